#include "models/common/reading.hpp"
#include "models/rbm/growing_rbm.hpp"
#include "models/rbm/rbm_hidden.hpp"
#include "models/rbm/rbm_joint.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

/// The source of a machine's parameters and images: files, or a seed.
struct RbmKeys {
    bool from_file = true;
    DataFile weights;
    Index random_visible = 100, random_hidden = 1;
    double random_weight_sd = 0.1, random_bias_sd = 0.5;
    std::uint64_t random_seed = 1;
    std::optional<DataFile> base_rates, images;
    Index n_images = 10000; ///< read at most

    void keys(Keys& k) {
        from_file = k.has("weights") || !k.has("random_hidden");
        k.when("random_hidden is not given", from_file,
               [&] { k("weights", weights, about("trained weights and biases").must_be_given()); });
        k.when("weights is not given", !from_file, [&] {
            k("random_visible", random_visible, within(1, 100000), "visible units of a random machine");
            k("random_hidden", random_hidden, within(1, 100000),
              about("hidden units of a random machine").must_be_given());
            k("random_weight_sd", random_weight_sd, at_least(0), "standard deviation of random weights");
            k("random_bias_sd", random_bias_sd, at_least(0), "standard deviation of random biases");
            k("random_seed", random_seed, "seed of random weights and biases");
        });
        k("base_rates", base_rates, "training images whose rates of pixels are the start of the path");
        k("images", images, "images that reverse trajectories may start from");
        k.when_given("images", [&] { k("n_images", n_images, within(1, 1'000'000), "largest number of images read"); });
    }
};

/// The same for both layers; without base rates the path starts from uniform units, as in Habeck 2017.
struct JointRbmKeys {
    bool has_base_rates = false;
    RbmKeys machine;

    void keys(Keys& k) {
        has_base_rates = k.has("base_rates"); // resolved configurations print it first
        machine.keys(k);
    }
};

/// The marginal model's alone.
struct MarginalRbmKeys {
    RbmKeys machine;
    WeightPrecision precision = WeightPrecision::bits24;
    std::optional<DataFile> test_images;
    std::string test_dataset = "images";
    Index n_test_images = 10000;
    RbmTestImages::Form test_form = RbmTestImages::Form::stochastic;
    std::uint64_t test_seed = 1;

    void keys(Keys& k) {
        machine.keys(k);
        k("weight_precision", precision,
          {{"24-bit", WeightPrecision::bits24, "as single precision"},
           {"16-bit", WeightPrecision::bits16, "rounded below inverse temperature 1, where the last step corrects it"},
           {"8-bit", WeightPrecision::bits8, "the same, coarser"}},
          "weights on the path");
        using Form = RbmTestImages::Form;
        k("test_images", test_images,
          "images whose mean log-likelihood the run reports: idx, .csv or .h5, grey levels 0 to 255, or 0 to 1");
        k.when_given("test_images", [&] {
            k("test_dataset", test_dataset, "dataset of these images in an .h5 file");
            k("n_test_images", n_test_images, within(1, 1'000'000), "largest number of test images read");
            k("test_binarisation", test_form,
              {{"stochastic", Form::stochastic, "a pixel is on with the probability of its grey level"},
               {"threshold", Form::threshold, "a pixel is on where it is brighter than 1/2"},
               {"grey", Form::grey, "grey levels as they are, which are no states of the machine"}},
              "conversion of the test images' grey levels to pixels");
            k.when("test_binarisation", test_form, Form::stochastic,
                   [&] { k("test_seed", test_seed, "seed of these draws"); });
        });
    }
};

/// How hidden units alone move; the keys that follow those of RbmKeys.
struct HiddenRbmKeys {
    HiddenRbmSettings settings;

    void keys(Keys& k, Index n_hidden) {
        using Update = HiddenRbmSettings::Update;
        k("update", settings.update,
          {{"sweep", Update::sweep, "every unit once in order"},
           {"random-unit", Update::random_unit, "units drawn with replacement"}},
          "the hidden units that a move updates");
        k.when("update", settings.update, Update::random_unit, [&] {
            settings.flips = std::max<Index>(n_hidden, 1);
            k("flips", settings.flips, within(1, HiddenRbm::largest_flips),
              about("updates of a move").default_is("the number of hidden units"));
        });
    }
};

/// In a description the number of hidden units is not known.
void list_hidden_rbm(Keys& k) {
    RbmKeys().keys(k);
    HiddenRbmKeys().keys(k, 1);
}

/// Whether images have a pixel for each visible unit; if not, records a mistake of `key`.
bool suits(io::Section& section, const std::string& key, Index n_pixels, const RbmParameters& machine) {
    if (n_pixels == machine.visible_bias.size())
        return true;
    section.error(key, fmt::format("images of {} pixels, expected {}, the number of visible units", n_pixels,
                                   machine.visible_bias.size()));
    return false;
}

RbmParameters rbm_parameters(io::Section& section, const RbmKeys& keys) {
    RbmParameters parameters;
    if (!keys.from_file)
        parameters = random_rbm(keys.random_visible, keys.random_hidden, keys.random_weight_sd, keys.random_bias_sd,
                                keys.random_seed);
    else if (const auto arrays = read_data(section, "weights", keys.weights, io::read_rbm))
        parameters = {arrays->weights, arrays->visible_bias, arrays->hidden_bias, arrays->visible_bias, {}};
    if (keys.base_rates) {
        const auto counts = read_data(section, "base_rates", *keys.base_rates, io::read_idx_pixel_counts);
        if (counts && parameters.weights.size() > 0 && suits(section, "base_rates", counts->n_on.size(), parameters))
            parameters.base_bias = base_rate_bias(counts->n_on, counts->n_images);
    }
    if (keys.images) {
        const auto read = [&](const auto& path) { return io::read_idx_images(path, keys.n_images); };
        auto images = read_data(section, "images", *keys.images, read);
        if (images && parameters.weights.size() > 0 && suits(section, "images", images->rows(), parameters))
            parameters.images = std::move(*images);
    }
    return parameters;
}

std::unique_ptr<BuiltModel> build_rbm(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<MarginalRbmKeys>(configuration);
    auto parameters = rbm_parameters(section, keys.machine);
    if (keys.test_images) {
        const auto read = [&](const auto& path) {
            return io::read_grey_images(path, keys.test_dataset, keys.n_test_images);
        };
        auto images = read_data(section, "test_images", *keys.test_images, read);
        if (images && parameters.weights.size() > 0 && suits(section, "test_images", images->rows(), parameters))
            parameters.test = {std::move(*images), keys.test_form, keys.test_seed};
    }
    if (configuration.has_errors())
        return nullptr;
    const auto machine = std::make_shared<const Rbm>(std::move(parameters), simd::chosen_path().path, keys.precision);
    return model::annealed(std::make_shared<const model::TargetOf<Rbm>>(machine), rbm_growth(machine));
}

std::unique_ptr<BuiltModel> build_rbm_joint(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<JointRbmKeys>(configuration);
    auto parameters = rbm_parameters(section, keys.machine);
    if (!keys.has_base_rates)
        parameters.base_bias.setZero();
    return configuration.has_errors() ? nullptr : built(JointRbm(std::move(parameters)));
}

std::unique_ptr<BuiltModel> build_rbm_hidden(io::Configuration& configuration, io::Section& section) {
    auto parameters = rbm_parameters(section, read_model<RbmKeys>(configuration));
    const auto keys = read_model<HiddenRbmKeys>(configuration, parameters.hidden_bias.size());
    return configuration.has_errors() ? nullptr : built(HiddenRbm(std::move(parameters), keys.settings));
}

} // namespace

ModelEntry rbm_entry() {
    ModelEntry entry{{"rbm", Rbm::default_block, 4096, false, 1, model::TimeReversible<Rbm>},
                     "Bernoulli restricted Boltzmann machine; exact log Z up to 25 units in a layer",
                     build_rbm,
                     list_keys<MarginalRbmKeys>};
    entry.traits.grows = true;
    return entry;
}

ModelEntry rbm_joint_entry() {
    return {{"rbm-joint", JointRbm::default_block, 4096, false, 1, true},
            "the same with its hidden units kept: the full model",
            build_rbm_joint,
            list_keys<JointRbmKeys>};
}

ModelEntry rbm_hidden_entry() {
    return {{"rbm-hidden", HiddenRbm::default_block, 4096, false, 1, true},
            "the same with its visible units summed out, moved by single flips",
            build_rbm_hidden,
            list_hidden_rbm};
}

} // namespace pearlite::models
