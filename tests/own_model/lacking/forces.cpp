// Forces at one point, where trajectories ask for those of many.
// expect: this model has a force() that is not: void force(
#include "pearlite/app/custom_model.hpp"

struct Model {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -x[0] * x[0]; }
    double log_likelihood(std::span<const double> x) const { return -x[0]; }
    void gradient(std::span<const double> x, double b, std::span<double> out) const { out[0] = -2 * x[0] - b; }
    void force(std::span<const double> x, double b, std::span<double> out) const { gradient(x, b, out); }
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_model<Model>("model", "a model");
}
