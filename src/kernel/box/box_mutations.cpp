// Mutations of chains in a box, all chains at once.
#include "pearlite/kernel/detail/box_operations.hpp"
#include "random/lanes.hpp"
#include "simd/arithmetic.hpp"
#include "simd/rows.hpp"

#include <algorithm>

namespace pearlite::kernel {

using random::Purpose;
using simd::Rows;
using Packet = simd::Doubles8;

namespace {

constexpr auto own_uniforms = static_cast<Index>(model::LocalDraws{}.uniforms.size());

template <class Matrix>
auto rows(Matrix& values, Index n) {
    return std::span(values.data(), static_cast<std::size_t>(n * values.cols()));
}

} // namespace

/// x' = x + s N(0, I).
void BoxOperations::metropolis(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), p = chains.padded_size();
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(chains.noise_, d));
    chains.normal_draws_ = d;
    const simd::ConstRows x(chains.points_);
    const simd::NoiseRows z(chains.noise_);
    const Rows to(chains.work().proposed);
    for (Index first = 0; first < p; first += lane_padding) {
        const Packet s = simd::load<Packet>(chains.scales_.data() + first);
        Packet square{};
        for (Index k = 0; k < d; ++k) {
            const Packet step = s * z.at(k, first);
            to.at(k, first) = x.at(k, first) + step;
            square += step * step;
        }
        simd::at<Packet>(chains.square_step_.data() + first) = square;
    }
}

/// x' = x + s r e, e uniform on directions, r ~ N(0, 1).
void BoxOperations::hit_and_run(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), p = chains.padded_size();
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(chains.noise_, d + 1));
    chains.normal_draws_ = 1;
    const simd::ConstRows x(chains.points_);
    const simd::NoiseRows z(chains.noise_);
    const Rows to(chains.work().proposed);
    for (Index first = 0; first < p; first += lane_padding) {
        Packet square{};
        for (Index k = 0; k < d; ++k)
            square += z.at(k, first) * z.at(k, first);
        const Packet step = simd::load<Packet>(chains.scales_.data() + first) * z.at(d, first);
        simd::at<Packet>(chains.square_step_.data() + first) = step * step;
        const Packet factor = step / simd::square_root(square);
        for (Index k = 0; k < d; ++k)
            to.at(k, first) = x.at(k, first) + factor * z.at(k, first);
    }
}

/// One r ~ N(0, 1) for k coordinates, distinct and uniform (Floyd's sampling): x'_c = x_c + s r.
void BoxOperations::k_point(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), n = settings_.mutation_points, p = chains.padded_size();
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(chains.noise_, 1));
    random::fill_uniform_lanes(streams.at(Purpose::site, 0), p, rows(chains.uniforms_, n));
    auto& proposed = chains.work().proposed;
    proposed = chains.points_;
    chains.normal_draws_ = 1;
    std::vector<Index>& chosen = chains.coordinates_;
    for (Index i = 0; i < chains.size(); ++i) {
        const double step = chains.scales_[i] * static_cast<double>(chains.noise_(0, i));
        chains.square_step_[i] = step * step;
        chosen.clear();
        for (Index k = 0; k < n; ++k) {
            const Index last = d - n + k;
            const auto c = static_cast<Index>(chains.uniforms_(k, i) * static_cast<double>(last + 1));
            chosen.push_back(std::find(chosen.begin(), chosen.end(), c) == chosen.end() ? c : last);
            proposed(chosen.back(), i) += step;
        }
        chains.chosen_[static_cast<std::size_t>(i)] = chosen.back();
    }
}

/// A step s r if the move has one, r ~ N(0, 1), and uniform numbers.
void BoxOperations::draw_own(BoxChains& chains, bool has_step, const model::BlockStreams& streams) const {
    const Index p = chains.padded_size();
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(chains.noise_, 1));
    random::fill_uniform_lanes(streams.at(Purpose::site, 0), p, rows(chains.uniforms_, own_uniforms));
    chains.work().proposed = chains.points_;
    chains.normal_draws_ = has_step ? 1 : 0;
    for (Index i = 0; i < chains.size(); ++i) {
        const double step = chains.scales_[i] * static_cast<double>(chains.noise_(0, i));
        chains.square_step_[i] = step * step;
    }
}

} // namespace pearlite::kernel
