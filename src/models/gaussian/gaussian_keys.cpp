#include "models/gaussian/gaussian_keys.hpp"

namespace pearlite::models {

namespace {

void list_gaussian(Keys& k, GaussianSettings& settings) {
    k("dimension", settings.dimension, within(1, 10000), "independent coordinates");
    k("start_mean", settings.start_mean, "mean of the first distribution");
    k("start_sd", settings.start_sd, above(0), "standard deviation of the first distribution");
    k("end_mean", settings.end_mean, "mean of the last distribution");
    k("end_sd", settings.end_sd, above(0), "standard deviation of the last distribution");
}

} // namespace

void GaussianKeys::keys(Keys& k) {
    list_gaussian(k, settings);
}

void AutoregressiveGaussianKeys::keys(Keys& k) {
    list_gaussian(k, settings);
    k("correlation", correlation, at_least(0).below(1), "correlation of a state and the next");
}

void NoisyLikelihoodKeys::keys(Keys& k) {
    k("dimension", dimension, within(1, 1000), "independent coordinates");
    k("prior_sd", settings.prior_sd, above(0), "standard deviation of the prior");
    k("data_sd", settings.data_sd, above(0), "standard deviation of the data");
    k("noise_variance", settings.noise_variance, at_least(0),
      "variance of a log likelihood estimated from one sample; 0: exact");
    k("samples", settings.samples, at_least(1), "samples of an estimate");
    k("data_seed", data_seed, "seed of the simulated data");
}

} // namespace pearlite::models
