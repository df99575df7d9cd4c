#include "models/common/reading.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "models/registry.hpp"

namespace pearlite::models {

namespace {

void list_gaussian(Keys& k, GaussianSettings& settings) {
    k("dimension", settings.dimension, within(1, 10000), "independent coordinates");
    k("start_mean", settings.start_mean, "mean of the first distribution");
    k("start_sd", settings.start_sd, above(0), "standard deviation of the first distribution");
    k("end_mean", settings.end_mean, "mean of the last distribution");
    k("end_sd", settings.end_sd, above(0), "standard deviation of the last distribution");
}

struct GaussianKeys {
    GaussianSettings settings;

    void keys(Keys& k) { list_gaussian(k, settings); }
};

struct AutoregressiveGaussianKeys {
    GaussianSettings settings;
    double correlation = 0.5;

    void keys(Keys& k) {
        list_gaussian(k, settings);
        k("correlation", correlation, at_least(0).below(1), "correlation of a state and the next");
    }
};

struct NoisyLikelihoodKeys {
    NoisyLikelihoodSettings settings; ///< but its data, which are simulated
    Index dimension = 1;
    DataSeed seed;

    void keys(Keys& k) {
        k("dimension", dimension, within(1, 1000), "independent coordinates");
        k("prior_sd", settings.prior_sd, above(0), "standard deviation of the prior");
        k("data_sd", settings.data_sd, above(0), "standard deviation of the data");
        k("noise_variance", settings.noise_variance, at_least(0),
          "variance of a log likelihood estimated from one sample; 0: exact");
        k("samples", settings.samples, at_least(1), "samples of an estimate");
        seed.keys(k, "the simulated data");
    }
};

std::unique_ptr<BuiltModel> build_gaussian(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<GaussianKeys>(configuration);
    return configuration.has_errors() ? nullptr : built_density(Gaussian(keys.settings));
}

std::unique_ptr<BuiltModel> build_gaussian_ar(io::Configuration& configuration, io::Section&) {
    const auto keys = read_model<AutoregressiveGaussianKeys>(configuration);
    return configuration.has_errors() ? nullptr : built(AutoregressiveGaussian(keys.settings, keys.correlation));
}

std::optional<NoisyLikelihood> read_noisy_likelihood(io::Configuration& configuration) {
    auto keys = read_model<NoisyLikelihoodKeys>(configuration);
    if (configuration.has_errors())
        return {};
    auto& settings = keys.settings;
    auto stream = keys.seed.stream(configuration);
    settings.data = simulate(keys.dimension, settings.prior_sd, settings.data_sd, stream).data;
    return NoisyLikelihood(std::move(settings));
}

std::unique_ptr<BuiltModel> build_noisy_likelihood(io::Configuration& configuration, io::Section&) {
    auto density = read_noisy_likelihood(configuration);
    return density ? built_density(std::move(*density)) : nullptr;
}

std::unique_ptr<BuiltModel> build_noisy_annealing(io::Configuration& configuration, io::Section&) {
    auto density = read_noisy_likelihood(configuration);
    return density ? built(NoisyAnnealing(std::move(*density))) : nullptr;
}

} // namespace

ModelEntry gaussian_entry() {
    return {{"gaussian", 16, 4096, true, 1, true},
            "from one normal distribution to another; exact log Z",
            build_gaussian,
            list_keys<GaussianKeys>};
}

ModelEntry gaussian_ar_entry() {
    return {{"gaussian-ar", 16, 4096, false, 1, true},
            "the same moved by autoregressive steps: the toy of nonequilibrium work",
            build_gaussian_ar,
            list_keys<AutoregressiveGaussianKeys>};
}

ModelEntry noisy_likelihood_entry() {
    return {{"noisy-likelihood", 16, 4096, true, 1, true, {}, "samples"},
            "Gaussian test bed with a likelihood that is disturbed without bias; exact evidence",
            build_noisy_likelihood,
            list_keys<NoisyLikelihoodKeys>};
}

ModelEntry noisy_annealing_entry() {
    return {{"noisy-annealing", 16, 4096, false, 1, true},
            "the same with perfect moves, as theory assumes them",
            build_noisy_annealing,
            list_keys<NoisyLikelihoodKeys>};
}

} // namespace pearlite::models
