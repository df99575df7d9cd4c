#include "models/common/reading.hpp"
#include "models/rbm/training/rbm_learner.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

struct RbmTrainingKeys {
    DataFile images;
    std::string dataset = "images", held_out_dataset = "images";
    Index n_images = 1'000'000, n_held_out = 10000;
    std::optional<DataFile> held_out;
    Binarisation binarisation = Binarisation::stochastic;
    RbmLearnerSettings settings;

    void keys(Keys& k) {
        k("images", images,
          about("training images: idx (MNIST's, also gzip), .csv (an image a line) or .h5; grey levels 0 to 255, or 0 "
                "to 1")
              .must_be_given());
        k("dataset", dataset, "dataset of the images in an .h5 file");
        k("n_images", n_images, within(1, 100'000'000), "largest number of images read");
        k("held_out", held_out, "held-out images, whose free energies are compared with those of training images");
        k.when_given("held_out", [&] {
            k("held_out_dataset", held_out_dataset, "dataset of these images in an .h5 file");
            k("n_held_out", n_held_out, within(1, 100'000'000), "largest number of held-out images read");
        });
        k("hidden", settings.n_hidden, within(1, 100000), about("hidden units").must_be_given());
        k("binarisation", binarisation,
          {{"stochastic", Binarisation::stochastic,
            "a pixel is on with the probability of its grey level, drawn anew in each epoch"},
           {"threshold", Binarisation::threshold, "a pixel is on where it is brighter than 1/2"}},
          "conversion of grey levels to binary units");
        k("weight_sd", settings.weight_sd, at_least(0), "standard deviation of the first weights");
    }
};

std::size_t bytes_of(Index units) {
    return static_cast<std::size_t>((units + 7) / 8);
}

void add_images(model::Fingerprint& fingerprint, const GreyImages& images) {
    fingerprint.add(static_cast<double>(images.rows()));
    fingerprint.add(std::string_view(reinterpret_cast<const char*>(images.data()), at(images.size())));
}

std::unique_ptr<BuiltModel> build_rbm_training(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<RbmTrainingKeys>(configuration);
    auto data = std::make_shared<TrainingData>();
    data->binarisation = keys.binarisation;
    const auto read = [&](const std::string& dataset, Index largest) {
        return [&dataset, largest](const auto& path) { return io::read_grey_images(path, dataset, largest); };
    };
    if (auto images = read_data(section, "images", keys.images, read(keys.dataset, keys.n_images)))
        data->training = std::move(*images);
    if (keys.held_out)
        if (auto images = read_data(section, "held_out", *keys.held_out, read(keys.held_out_dataset, keys.n_held_out)))
            data->held_out = std::move(*images);
    if (data->held_out.size() > 0 && data->training.size() > 0 && data->held_out.rows() != data->training.rows())
        section.error("held_out", fmt::format("images of {} pixels, expected {}, as the training images have",
                                              data->held_out.rows(), data->training.rows()));
    if (configuration.has_errors())
        return nullptr;
    const auto identify = [data, settings = keys.settings](model::Fingerprint& fingerprint) {
        fingerprint.add("rbm-training");
        add_images(fingerprint, data->training);
        add_images(fingerprint, data->held_out);
        fingerprint.add(static_cast<double>(settings.n_hidden));
        fingerprint.add(settings.weight_sd);
        fingerprint.add(data->binarisation == Binarisation::stochastic ? "stochastic" : "threshold");
    };
    const auto learner = [data, settings = keys.settings](const random::Seed& seed) {
        return std::make_unique<RbmLearner>(data, settings, seed);
    };
    return model::trained(learner, identify, bytes_of(data->training.rows()) + bytes_of(keys.settings.n_hidden));
}

} // namespace

ModelEntry rbm_training_entry() {
    ModelEntry entry;
    entry.traits.name = "rbm-training";
    entry.traits.is_trained = true;
    entry.description = "Bernoulli restricted Boltzmann machine whose weights are learnt from images";
    entry.build = build_rbm_training;
    entry.keys = list_keys<RbmTrainingKeys>;
    return entry;
}

} // namespace pearlite::models
