#pragma once
/// Models that run backwards, rightly and wrongly, for tests of nonequilibrium annealing.

#include "kernel/ar_gaussian.hpp"
#include "pearlite/kernel/native.hpp"
#include "pearlite/sampler/nonequilibrium.hpp"

namespace pearlite::sampler::testing {

/// The Gaussian toy: its transition is reversible; it knows exact draws and the mode of p_1.
struct ReversibleArGaussian : kernel::testing::ArGaussian {
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

/// Fails in the backward run, at one slot, hence on one rank.
struct FailingBackwards : ReversibleArGaussian {
    explicit FailingBackwards(Index slot) : ReversibleArGaussian(Settings{}), failing_slot(slot) {}
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        if (streams.generation == 1 && streams.first_slot == failing_slot)
            throw NumericalError("slot " + std::to_string(failing_slot) + " failed backwards");
        ArGaussian::move(block, b, streams);
    }
    Index failing_slot;
};

/// Two correlated normal coordinates whose means drift from 0 to (drift, 0) along the path, updated one after the
/// other: a sweep that is not reversible. Z is the same for all b.
struct DriftingPair {
    using Block = ColumnBlock<double>;
    static constexpr double correlation = 0.8, drift = 2;

    static double mean(double b, int k) { return k == 0 ? drift * b : 0; }
    static double log_f(double b, double x, double y) {
        const double dx = x - mean(b, 0), dy = y - mean(b, 1);
        return -(dx * dx - 2 * correlation * dx * dy + dy * dy) / (2 * (1 - correlation * correlation));
    }

    Block make_block(Index size) const { return Block(2, size); }
    void draw(Block& block, double b, const model::BlockStreams& streams, random::Purpose purpose) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(purpose, i));
            const double x = stream.normal();
            const double y = correlation * x + std::sqrt(1 - correlation * correlation) * stream.normal();
            block.columns().col(i) << mean(b, 0) + x, mean(b, 1) + y;
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
    void path_derivative(const Block& block, double b, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i) {
            const double dx = block.columns()(0, i) - mean(b, 0), dy = block.columns()(1, i) - mean(b, 1);
            out[static_cast<std::size_t>(i)] = drift * (dx - correlation * dy) / (1 - correlation * correlation);
        }
    }
    void update(Block& block, double b, const model::BlockStreams& streams, int first) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::move, i));
            auto x = block.columns().col(i);
            for (const int k : {first, 1 - first})
                x(k) = mean(b, k) + correlation * (x(1 - k) - mean(b, 1 - k)) +
                       std::sqrt(1 - correlation * correlation) * stream.normal();
        }
    }
    void move(Block& block, double b, const model::BlockStreams& streams) const { update(block, b, streams, 0); }
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
        update(block, b, streams, 1);
    }
    std::optional<double> log_normaliser_start() const { return {}; }
    std::optional<double> exact_log_ratio(double) const { return 0; }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("drifting-pair"); }
};

/// The wrong twin goes backwards with its sub-updates in forward order.
struct WronglyReversedPair : DriftingPair {
    void move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
        update(block, b, streams, 0);
    }
};

template <class M>
using WorkOf = Nonequilibrium<M, kernel::Native<M>>;

template <class M>
WorkOf<M> work_sampler(const parallel::Communicator& ranks, const M& model, const path::Schedule& schedule,
                       const NonequilibriumSettings& settings, Index moves = 1) {
    return WorkOf<M>(ranks, std::make_shared<const M>(model), schedule, kernel::Native<M>(moves), settings);
}

/// The first estimate of that name.
inline const estimator::Estimate& estimate_of(const Outcome& outcome, const std::string& name) {
    for (const auto& estimate : outcome.log_ratio)
        if (estimate.estimator == name)
            return estimate;
    throw std::out_of_range("no estimate " + name);
}
inline double z_of(const Outcome& outcome, const std::string& name, double exact) {
    const auto& estimate = estimate_of(outcome, name);
    return (estimate.value - exact) / estimate.standard_error.value();
}

} // namespace pearlite::sampler::testing
