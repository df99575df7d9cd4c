#pragma once
/// The Gaussian toy of Habeck (2017, section 5.1) as a model with its own transition, and faulty variants.

#include "pearlite/core/column_block.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"

#include <cmath>
#include <numbers>
#include <string>

namespace pearlite::kernel::testing {

/// N(20, 10^2) to N(0, 1) along the geometric path, moved by x' = N((1-t) mu_b + t x, (1-t^2) sd_b^2): t = 0 draws from
/// p_b.
class ArGaussian {
  public:
    using Block = ColumnBlock<double>;
    struct Settings {
        double start_mean = 20, start_sd = 10, end_mean = 0, end_sd = 1, correlation = 0.5;
    };
    explicit ArGaussian(const Settings& settings) : s_(settings) {}

    double variance(double b) const {
        return 1 / ((1 - b) / (s_.start_sd * s_.start_sd) + b / (s_.end_sd * s_.end_sd));
    }
    double mean(double b) const {
        return variance(b) *
               ((1 - b) * s_.start_mean / (s_.start_sd * s_.start_sd) + b * s_.end_mean / (s_.end_sd * s_.end_sd));
    }
    double u(double x) const {
        const double start = (x - s_.start_mean) / s_.start_sd, end = (x - s_.end_mean) / s_.end_sd;
        return 0.5 * (start * start - end * end);
    }
    /// E and Var of u over p_b, by u = c + l (x - mu) + q (x - mu)^2.
    double mean_u(double b) const { return u(mean(b)) + curvature() * variance(b); }
    double variance_u(double b) const {
        const double mu = mean(b), v = variance(b);
        const double slope =
            (mu - s_.start_mean) / (s_.start_sd * s_.start_sd) - (mu - s_.end_mean) / (s_.end_sd * s_.end_sd);
        return slope * slope * v + 2 * curvature() * curvature() * v * v;
    }
    /// log of the integral of f_b, f_0 and f_1 with maximum 1.
    double log_z(double b) const {
        const double mu = mean(b);
        const double start = (mu - s_.start_mean) / s_.start_sd, end = (mu - s_.end_mean) / s_.end_sd;
        return 0.5 * std::log(2 * std::numbers::pi * variance(b)) - 0.5 * ((1 - b) * start * start + b * end * end);
    }

    Block make_block(Index size) const { return Block(1, size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const {
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::start, i));
            block.columns()(0, i) = s_.start_mean + s_.start_sd * stream.normal();
        }
    }
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] += (to - from) * u(block.columns()(0, i));
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = u(block.columns()(0, i));
    }
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        const double t = s_.correlation, width = std::sqrt((1 - t * t) * variance(b));
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::move, i));
            double& x = block.columns()(0, i);
            x = (1 - t) * mean(b) + t * x + width * stream.normal();
        }
    }
    std::optional<double> log_normaliser_start() const { return log_z(0); }
    std::optional<double> exact_log_ratio(double b) const { return log_z(b) - log_z(0); }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("ar-gaussian"); }

  private:
    double curvature() const { return 0.5 * (1 / (s_.start_sd * s_.start_sd) - 1 / (s_.end_sd * s_.end_sd)); }
    Settings s_;
};

/// Its annealing step in one pass.
struct FusedArGaussian : ArGaussian {
    using ArGaussian::ArGaussian;
    void anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const {
        add_log_ratio(block, from, to, increments);
        move(block, to, streams);
        path_derivative(block, to, derivative);
    }
};

/// The wrong twin moves before it weighs.
struct WronglyFusedArGaussian : ArGaussian {
    using ArGaussian::ArGaussian;
    void anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                std::span<double> derivative) const {
        move(block, to, streams);
        add_log_ratio(block, from, to, increments);
        path_derivative(block, to, derivative);
    }
};

/// Fails at one step in the block that begins at one slot, hence on one rank.
struct FailingArGaussian : ArGaussian {
    explicit FailingArGaussian(Index slot) : ArGaussian(Settings{}), failing_slot(slot) {}
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        if (streams.first_slot == failing_slot && streams.step == 5)
            throw NumericalError("slot " + std::to_string(failing_slot) + " failed at step 5");
        ArGaussian::move(block, b, streams);
    }
    Index failing_slot;
};

} // namespace pearlite::kernel::testing
