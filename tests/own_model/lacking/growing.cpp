// A density that grows, without moves and without a way to its next variable.
// expect: this model lacks: void move(
// expect: this model lacks: double log_weight(
// expect: this model has an exact_log_normaliser() that is not:
#include "pearlite/app/custom_model.hpp"

struct Model {
    pearlite::Index n_variables() const { return 3; }
    double log_normaliser_first() const { return 0; }
    void draw_first(pearlite::random::Stream& stream, std::span<double> first) const { first[0] = stream.normal(); }
    double log_weight(std::span<const double>) const { return 0; } // but no draw_next
    double log_density(std::span<const double> x) const { return -x[0]; }
    double exact_log_normaliser(double) const { return 0; }
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_growing_model<Model>("model", "a model");
}
