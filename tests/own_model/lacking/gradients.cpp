// Gradients of many points in another form than kernels ask for.
// expect: this model has an evaluate_with_gradient() that is not: void evaluate_with_gradient(
#include "pearlite/app/custom_model.hpp"

struct Model {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -x[0] * x[0]; }
    double log_likelihood(std::span<const double> x) const { return -x[0]; }
    void evaluate_with_gradient(const pearlite::Matrix&, std::span<double>, std::span<double>,
                                pearlite::Matrix&) const {}
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_model<Model>("model", "a model");
}
