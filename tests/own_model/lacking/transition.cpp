// A model with a path and states of its own, but no transition and no fingerprint.
// expect: this model lacks: void move(
// expect: this model lacks: void fingerprint(
#include "pearlite/app/custom_model.hpp"

struct Model {
    using Block = pearlite::ColumnBlock<double>;
    using Streams = pearlite::model::BlockStreams;
    Block make_block(pearlite::Index size) const { return {1, size}; }
    void draw_start(Block&, const Streams&) const {}
    void prepare(Block&) const {}
    void add_log_ratio(const Block&, double, double, std::span<double>) const {}
    void path_derivative(const Block&, double, std::span<double>) const {}
    std::optional<double> log_normaliser_start() const { return {}; }
    std::optional<double> exact_log_ratio(double) const { return {}; }
};

pearlite::app::ModelEntry entry() {
    return pearlite::app::custom_annealed_model<Model>("model", "a model");
}
