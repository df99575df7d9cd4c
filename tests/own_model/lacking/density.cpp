// A density that lacks its draw from the prior and has a likelihood of the wrong form.
// expect: this model lacks: void draw_prior(
// expect: this model lacks: double log_likelihood(
// expect: this model has an exact_log_ratio() that is not:
#include "pearlite/app/custom_model.hpp"

struct Model {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    double log_prior(std::span<const double> x) const { return -x[0]; }
    double log_likelihood(const std::vector<double>& x) const { return -x[0] * x[0]; }
    double exact_log_ratio() { return 0; } // not const
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_model<Model>("model", "a model");
}
