#pragma once
/// Models that run backwards, by a move that is its own reversal and by sweeps in the opposite order.

#include "kernel/ar_gaussian.hpp"

namespace pearlite::kernel::testing {

/// The Gaussian toy: its transition is reversible; it knows exact draws and the mode of p_1.
struct ReversibleArGaussian : ArGaussian {
    using ArGaussian::ArGaussian;
    static constexpr bool move_is_reversible = true;
    static constexpr bool path_is_linear = true;
    void draw_end(Block& block, double b, const model::BlockStreams& streams) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::end, i));
            block.columns()(0, i) = mean(b) + std::sqrt(variance(b)) * stream.normal();
        }
    }
    void set_mode(Block& block, double b, const model::BlockStreams&) const {
        for (Index i = 0; i < block.size(); ++i)
            block.columns()(0, i) = mean(b);
    }
};

/// Two normal coordinates whose precision matrix [[1 + 15 b, -3.5 b], [-3.5 b, 1]] changes along the path, updated one
/// after the other: a sweep that is not reversible. (Where only the means move, a wrong order cannot be seen.)
struct TighteningPair {
    using Block = ColumnBlock<double>;

    static double precision(double b) { return 1 + 15 * b; }
    static double coupling(double b) { return 3.5 * b; }
    static double determinant(double b) { return precision(b) - coupling(b) * coupling(b); }
    static double log_f(double b, double x, double y) {
        return -0.5 * (precision(b) * x * x + y * y) + coupling(b) * x * y;
    }

    Block make_block(Index size) const { return Block(2, size); }
    void draw(Block& block, double b, const model::BlockStreams& streams, random::Purpose purpose) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(purpose, i));
            const double x = stream.normal() / std::sqrt(determinant(b)); // var x = 1/det
            block.columns().col(i) << x, coupling(b) * x + stream.normal();
        }
    }
    void draw_start(Block& block, const model::BlockStreams& streams) const {
        draw(block, 0, streams, random::Purpose::start);
    }
    void draw_end(Block& block, double b, const model::BlockStreams& streams) const {
        draw(block, b, streams, random::Purpose::end);
    }
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i) {
            const double x = block.columns()(0, i), y = block.columns()(1, i);
            out[static_cast<std::size_t>(i)] += log_f(to, x, y) - log_f(from, x, y);
        }
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i) {
            const double x = block.columns()(0, i), y = block.columns()(1, i);
            out[static_cast<std::size_t>(i)] = -7.5 * x * x + 3.5 * x * y;
        }
    }
    void update_first(Block& block, double b, Index i, random::Stream& stream) const {
        block.columns()(0, i) =
            coupling(b) / precision(b) * block.columns()(1, i) + stream.normal() / std::sqrt(precision(b));
    }
    void update_second(Block& block, double b, Index i, random::Stream& stream) const {
        block.columns()(1, i) = coupling(b) * block.columns()(0, i) + stream.normal();
    }
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::move, i));
            update_first(block, b, i, stream);
            update_second(block, b, i, stream);
        }
    }
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::move, i));
            update_second(block, b, i, stream);
            update_first(block, b, i, stream);
        }
    }
    std::optional<double> log_normaliser_start() const { return {}; }
    std::optional<double> exact_log_ratio(double b) const { return -0.5 * std::log(determinant(b)); }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("tightening-pair"); }
};

} // namespace pearlite::kernel::testing
