#include "models/gaussian/autoregressive_gaussian.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

using random::Purpose;

static_assert(model::HasReversibleMove<AutoregressiveGaussian> && model::HasEndSampler<AutoregressiveGaussian>);

AutoregressiveGaussian::AutoregressiveGaussian(const GaussianSettings& settings, double correlation)
    : settings_(settings), correlation_(correlation) {
    if (!(correlation >= 0 && correlation < 1))
        throw InputError("the correlation must be at least 0 and below 1, not " + std::to_string(correlation));
}

double AutoregressiveGaussian::sd(double b) const {
    const auto& s = settings_;
    return 1 / std::sqrt((1 - b) / (s.start_sd * s.start_sd) + b / (s.end_sd * s.end_sd));
}

double AutoregressiveGaussian::mean(double b) const {
    const auto& s = settings_;
    const double weighted = (1 - b) * s.start_mean / (s.start_sd * s.start_sd) + b * s.end_mean / (s.end_sd * s.end_sd);
    return sd(b) * sd(b) * weighted;
}

void AutoregressiveGaussian::draw(Block& block, double mean, double width, double kept,
                                  const model::BlockStreams& streams, Purpose purpose) const {
    Vector z(settings_.dimension);
    for (Index i = 0; i < block.size(); ++i) {
        random::fill_normal(streams.at(purpose, i), {z.data(), static_cast<std::size_t>(z.size())});
        auto x = block.columns().col(i);
        x = (mean + kept * (x.array() - mean) + width * z.array()).matrix().eval();
    }
}

void AutoregressiveGaussian::draw_start(Block& block, const model::BlockStreams& streams) const {
    draw(block, mean(0), sd(0), 0, streams, Purpose::start);
}

void AutoregressiveGaussian::draw_end(Block& block, double b_end, const model::BlockStreams& streams) const {
    draw(block, mean(b_end), sd(b_end), 0, streams, Purpose::end);
}

void AutoregressiveGaussian::move(Block& block, double b, const model::BlockStreams& streams) const {
    const double t = correlation_;
    draw(block, mean(b), std::sqrt(1 - t * t) * sd(b), t, streams, Purpose::move);
}

void AutoregressiveGaussian::set_mode(Block& block, double b_end, const model::BlockStreams&) const {
    block.columns().leftCols(block.size()).setConstant(mean(b_end));
}

void AutoregressiveGaussian::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    for (std::size_t i = 0; i < which.size(); ++i)
        if (which[i] != 0)
            a.columns().col(static_cast<Index>(i)).swap(b.columns().col(static_cast<Index>(i)));
}

void AutoregressiveGaussian::path_derivative(const Block& block, double, std::span<double> out) const {
    const auto& s = settings_;
    for (Index i = 0; i < block.size(); ++i) {
        double u = 0;
        for (Index k = 0; k < s.dimension; ++k) {
            const double start = (block.columns()(k, i) - s.start_mean) / s.start_sd;
            const double end = (block.columns()(k, i) - s.end_mean) / s.end_sd;
            u += 0.5 * (start * start - end * end);
        }
        out[static_cast<std::size_t>(i)] = u;
    }
}

void AutoregressiveGaussian::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    std::vector<double> u(out.size());
    path_derivative(block, to, u);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += (to - from) * u[i];
}

double AutoregressiveGaussian::log_normaliser(double b) const {
    const auto& s = settings_;
    const double mu = mean(b), start = (mu - s.start_mean) / s.start_sd, end = (mu - s.end_mean) / s.end_sd;
    const double one =
        0.5 * std::log(2 * std::numbers::pi) + std::log(sd(b)) - 0.5 * ((1 - b) * start * start + b * end * end);
    return static_cast<double>(s.dimension) * one;
}

std::optional<double> AutoregressiveGaussian::equilibrium_mean_u(double b) const {
    const auto& s = settings_;
    const auto mean_square = [mu = mean(b), width = sd(b)](double at, double unit) {
        return ((mu - at) * (mu - at) + width * width) / (unit * unit);
    };
    return 0.5 * static_cast<double>(s.dimension) *
           (mean_square(s.start_mean, s.start_sd) - mean_square(s.end_mean, s.end_sd));
}

Index AutoregressiveGaussian::n_quantities() const {
    return std::min<Index>(settings_.dimension, 4);
}

std::vector<std::string> AutoregressiveGaussian::quantity_names() const {
    std::vector<std::string> names;
    for (Index k = 1; k <= n_quantities(); ++k)
        names.push_back("x" + std::to_string(k));
    return names;
}

Matrix AutoregressiveGaussian::path_quantities(const Block& block) const {
    return block.columns().topLeftCorner(n_quantities(), block.size());
}

std::vector<model::MeanAndSd> AutoregressiveGaussian::equilibrium_moments(double b) const {
    return std::vector<model::MeanAndSd>(static_cast<std::size_t>(n_quantities()), {mean(b), sd(b)});
}

void AutoregressiveGaussian::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("gaussian-ar");
    const auto& s = settings_;
    for (const double value :
         {static_cast<double>(s.dimension), s.start_mean, s.start_sd, s.end_mean, s.end_sd, correlation_})
        fingerprint.add(value);
}

} // namespace pearlite::models
