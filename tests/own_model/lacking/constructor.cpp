// A density that cannot be constructed from a configuration.
// expect: this model lacks a constructor: explicit T(pearlite::io::Section& section)
#include "pearlite/app/custom_model.hpp"

struct Model {
    explicit Model(double rate) : rate_(rate) {}
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = stream.exponential(); }
    double log_prior(std::span<const double> x) const { return -x[0]; }
    double log_likelihood(std::span<const double> x) const { return -rate_ * x[0]; }
    double rate_;
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_model<Model>("model", "a model");
}
