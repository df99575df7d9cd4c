// A density that has a number of data points, and no likelihood of some of them.
// expect: this model has data_points() but lacks: double log_likelihood(
#include "pearlite/app/custom_model.hpp"

struct Model {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const { return -x[0] * x[0]; }
    double log_likelihood(std::span<const double> x) const { return -x[0]; }
    pearlite::Index data_points() const { return 3; }
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_model<Model>("model", "a model");
}
