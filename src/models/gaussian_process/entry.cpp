#include "models/common/orders.hpp"
#include "models/common/reading.hpp"
#include "models/gaussian_process/gp_classification.hpp"
#include "models/gaussian_process/orthant/annealed_orthant.hpp"
#include "models/registry.hpp"

#include <fmt/format.h>

namespace pearlite::models {

namespace {

void list_arithmetic(Keys& k, bool& is_double) {
    k("precision", is_double, {{"single", false}, {"double", true, "which takes twice as long"}},
      "the arithmetic of states and sweeps; weights are double in either case");
}

struct OrthantKeys {
    Index size = 20, negative = 0;
    double correlation = 0.5;
    bool is_double = false;

    void keys(Keys& k) {
        k("size", size, within(1, 10'000), "variables");
        k("negative", negative, within({0}, {size, "size"}),
          "number of negative variables; these are the first ones, and the others are positive");
        k("correlation", correlation, at_least(0).below(1), "correlation of each two of them");
        list_arithmetic(k, is_double);
    }
};

OrthantSettings equicorrelated(const OrthantKeys& keys) {
    Matrix covariance = Matrix::Constant(keys.size, keys.size, keys.correlation);
    covariance.diagonal().setOnes();
    Vector signs = Vector::Ones(keys.size);
    signs.head(keys.negative).setConstant(-1);
    return {std::move(covariance), std::move(signs), given_order(keys.size), keys.is_double,
            log_equicorrelated_orthant(keys.size - keys.negative, keys.negative, keys.correlation)};
}

class OrthantGrowth final : public model::Growth {
  public:
    explicit OrthantGrowth(OrthantSettings settings) : settings_(std::move(settings)) {}
    std::vector<std::string> orders() const override { return {"given"}; }
    std::shared_ptr<const model::GrowingTarget> growing(const std::string&, std::uint64_t) const override {
        return std::make_shared<const Orthant>(settings_);
    }

  private:
    OrthantSettings settings_;
};

/// Keys that both forms of Gaussian process classification share.
struct GpKeys {
    DataFile data;
    std::optional<DataFile> test_data;
    ClassificationSettings settings;
    Covariance covariance;
    std::optional<double> log_length_scale, log_amplitude;
    bool is_double = false;

    void keys(Keys& k) {
        using Kind = Covariance::Kind;
        k("data", data,
          about("a table with a header line, or an HDF5 file with train/data and train/target").must_be_given());
        k("test_data", test_data,
          about("another table of the same columns, whose rows are held out").default_is("an HDF5 file has test/data"));
        k("label", settings.label, about("the column of the class").default_is(class_role().description()));
        k("inputs", settings.inputs, {},
          about("the columns of the inputs").default_is("all others, but those that number the rows"));
        settings.missing.keys(k);
        k("classes", settings.classes, about("the two classes that count").default_is("the two that there are"));
        k("training_rows", settings.training_rows, at_least(2),
          "number of training rows, drawn at random; the others are held out");
        k.when_given("training_rows", [&] { k("split_seed", settings.split_seed, "seed of this draw"); });
        k("scaling", settings.scaling,
          {{"none", InputScaling::none},
           {"standardise", InputScaling::standardise, "mean 0 and variance 1"},
           {"symmetric", InputScaling::symmetric, "2 x - 1, of pixels in [0, 1]"}},
          "transformation of the inputs");
        k("covariance", covariance.kind,
          {{"squared-exponential", Kind::squared_exponential},
           {"matern-3/2", Kind::matern32},
           {"matern-5/2", Kind::matern52}},
          "covariance function");
        k("log_length_scale", log_length_scale, about("log of the length scale").default_is("log sqrt(inputs)"));
        k("log_amplitude", log_amplitude, about("log of the process's standard deviation").default_is("0"));
        list_arithmetic(k, is_double);
        if (k.is_reading() && test_data && settings.training_rows)
            k.error("training_rows",
                    "got a number beside test_data, which has the held-out rows; expected one of them");
        if (k.is_reading() && !settings.classes.empty() && settings.classes.size() != 2)
            k.error("classes", fmt::format("got {} classes, expected two", settings.classes.size()));
    }
};

struct GpClassificationKeys : GpKeys {
    LatentCoordinates coordinates = LatentCoordinates::prior;

    void keys(Keys& k) {
        GpKeys::keys(k);
        k("coordinates", coordinates,
          {{"prior", LatentCoordinates::prior},
           {"posterior", LatentCoordinates::posterior, "that of expectation propagation"}},
          "the distribution that is standard normal in the coordinates of the annealed latent values");
    }
};

std::unique_ptr<BuiltModel> build_orthant(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<OrthantKeys>(configuration);
    if (configuration.has_errors())
        return nullptr;
    auto settings = equicorrelated(keys);
    auto target = annealed_orthant(settings);
    return model::annealed(std::move(target), std::make_shared<const OrthantGrowth>(std::move(settings)));
}

/// Nothing if there are mistakes.
std::optional<GpClassificationSettings> read_gp(const GpKeys& keys, io::Configuration& configuration,
                                                io::Section& section) {
    if (const auto n = keys.settings.classes.size(); n != 0 && n != 2)
        return std::nullopt; // keys() has recorded the mistake, and no row has such classes
    std::vector<std::string> remarks;
    auto data = read_data(section, "data", keys.data, [&](const auto& path) {
        auto settings = keys.settings;
        settings.file = path;
        if (keys.test_data)
            settings.test_file = keys.test_data->path;
        return read_classification(settings, &remarks);
    });
    for (const auto& remark : remarks)
        configuration.remark("model.data", remark);
    if (configuration.has_errors() || !data)
        return std::nullopt;
    const auto inputs = static_cast<double>(data->training.inputs.rows());
    auto covariance = keys.covariance;
    covariance.length_scale = std::exp(keys.log_length_scale.value_or(0.5 * std::log(inputs)));
    covariance.amplitude = std::exp(keys.log_amplitude.value_or(0));
    return GpClassificationSettings{std::move(*data), covariance, keys.is_double};
}

std::unique_ptr<BuiltModel> build_gp_classification(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<GpClassificationKeys>(configuration);
    auto settings = read_gp(keys, configuration, section);
    return settings ? built_gp_classification(std::move(*settings), keys.coordinates) : nullptr;
}

std::unique_ptr<BuiltModel> build_gp_orthant(io::Configuration& configuration, io::Section& section) {
    auto settings = read_gp(read_model<GpKeys>(configuration), configuration, section);
    return settings ? built_gp_orthant(std::move(*settings)) : nullptr;
}

} // namespace

ModelEntry orthant_entry() {
    ModelEntry entry{{"orthant", 48, 4800, false, 1, true},
                     "probability that equicorrelated normals have given signs; exact by quadrature",
                     build_orthant,
                     list_keys<OrthantKeys>};
    entry.traits.grows = true;
    return entry;
}

ModelEntry gp_classification_entry() {
    ModelEntry entry{{"gp-classification", 48, 4800, true, 1, true},
                     "Gaussian process classification with a probit link",
                     build_gp_classification,
                     list_keys<GpClassificationKeys>};
    entry.traits.grows = true;
    return entry;
}

ModelEntry gp_orthant_entry() {
    ModelEntry entry{{"gp-orthant", 48, 4800, false, 1, true},
                     "the same in latent values with noise, moved by Gibbs sweeps",
                     build_gp_orthant,
                     list_keys<GpKeys>};
    entry.traits.grows = true;
    return entry;
}

} // namespace pearlite::models
