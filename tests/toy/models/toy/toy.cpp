#include "models/toy/toy.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models {

void Toy::keys(Keys& k) {
    k("y", y_, "the observation");
    k("prior_sd", prior_sd_, above(0), "standard deviation of the prior");
}

double Toy::log_normal(double x, double sd) {
    return -0.5 * (x / sd) * (x / sd) - std::log(sd * std::sqrt(2 * std::numbers::pi));
}

std::optional<double> Toy::exact_log_ratio() const {
    return log_normal(y_, std::hypot(prior_sd_, 1.0));
}

void Toy::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add(y_);
    fingerprint.add(prior_sd_);
}

} // namespace pearlite::models
