// Crossovers of chains in a box: a lane for each chain that takes part.
#include "pearlite/kernel/detail/box_operations.hpp"
#include "random/lanes.hpp"
#include "simd/rows.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

using model::LaneMatrix;
using random::Purpose;
using simd::ConstRows;
using Packet = simd::Doubles8;
using Cuts = std::int64_t __attribute__((vector_size(sizeof(Packet)))); // cuts are these numbers

namespace {

/// x + r (y - z), a factor r for each lane; without z, x + r y.
void add_multiple(const LaneMatrix& x, const Vector& r, const LaneMatrix& y, const LaneMatrix* z, LaneMatrix& result) {
    const ConstRows from(x), plus(y), minus(z ? *z : y);
    const simd::Rows to(result);
    const Index d = result.rows();
    for (Index first = 0; first < to.stride; first += lane_padding) {
        const Packet factor = simd::load<Packet>(r.data() + first);
        for (Index k = 0; k < d; ++k) {
            Packet direction = plus.at(k, first);
            if (z != nullptr)
                direction -= minus.at(k, first);
            to.at(k, first) = from.at(k, first) + factor * direction;
        }
    }
}

/// x, but y from every other cut to the next; a cut before a coordinate is -1 in its row, else 0.
void swap_between_cuts(const LaneMatrix& x, const LaneMatrix& y, const std::int64_t* cuts, LaneMatrix& result) {
    const ConstRows own(x), other(y);
    const simd::Rows to(result);
    const Index d = result.rows();
    for (Index first = 0; first < to.stride; first += lane_padding) {
        Cuts is_swapped{};
        for (Index k = 0; k < d; ++k) {
            is_swapped ^= simd::load<Cuts>(cuts + k * to.stride + first);
            to.at(k, first) = is_swapped ? other.at(k, first) : own.at(k, first);
        }
    }
}

/// n distinct cuts: a cut c lies before coordinate c, 1 <= c < d. `uniform(k)` is the k-th number.
template <class Uniform>
void choose_cuts(Index d, Index n, std::vector<Index>& cuts, Uniform uniform) {
    cuts.clear();
    for (Index k = 0; k < n; ++k) {
        const Index last = d - 1 - n + k;
        const auto c = static_cast<Index>(uniform(k) * static_cast<double>(last + 1)) + 1;
        cuts.push_back(std::find(cuts.begin(), cuts.end(), c) == cuts.end() ? c : last + 1);
    }
}

/// |y - x|^2 of each lane.
void square_distances(const LaneMatrix& x, const LaneMatrix& y, Vector& out) {
    const ConstRows from(x), to(y);
    const Index d = x.rows();
    for (Index first = 0; first < from.stride; first += lane_padding) {
        Packet sum{};
        for (Index k = 0; k < d; ++k) {
            const Packet difference = to.at(k, first) - from.at(k, first);
            sum += difference * difference;
        }
        simd::at<Packet>(out.data() + first) = sum;
    }
}

} // namespace

/// Both children of a pair: coordinates are swapped between every other pair of neighbouring crossover points. Each
/// chain makes its own child; the pair shares the points.
void BoxOperations::k_point_crossover(BoxChains& chains, const BoxChains& partners, const model::Meetings& meetings,
                                      const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), n = settings_.crossover_points;
    auto& work = chains.work();
    const LaneMatrix &x = chains.columns(chains.points_, work.own), &y = chains.columns(partners.points_, work.first);
    random::fill_uniform_lanes(streams.at(Purpose::partner, 0), chains.padded_size(),
                               std::span(chains.uniforms_.data(), static_cast<std::size_t>(n * chains.padded_size())));
    chains.cuts_.setZero(d, chains.lanes_);
    for (Index l = 0; l < chains.n_proposed(); ++l) {
        const Index slot = chains.slot(l);
        if (meetings.active[static_cast<std::size_t>(slot)] == 0)
            continue;
        // The numbers of the pair are those of its first member, which may live on another rank.
        const Index first = meetings.meeting[static_cast<std::size_t>(slot)], local = first - streams.first_slot;
        if (local >= 0 && local < chains.size()) {
            choose_cuts(d, n, chains.coordinates_, [&](Index k) { return chains.uniforms_(k, local); });
        } else {
            random::Stream stream(
                {streams.seed, Purpose::partner, random::slot_id(streams.generation, first), streams.step});
            choose_cuts(d, n, chains.coordinates_, [&](Index) { return stream.uniform(); });
        }
        for (const Index c : chains.coordinates_)
            chains.cuts_(c, l) = -1;
    }
    swap_between_cuts(x, y, chains.cuts_.data(), work.proposed);
}

/// x' = x + s r (y - x)/|y - x|. Points along a line through y are seen from y in polar coordinates: the Jacobian is
/// (|x' - y| / |x - y|)^(d-1), which the paper leaves out.
void BoxOperations::snooker(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const {
    auto& work = chains.work();
    const LaneMatrix &x = chains.columns(chains.points_, work.own), &y = chains.columns(partners.points_, work.first);
    random::fill_normal_lanes(streams.at(Purpose::move, 0), chains.padded_size(),
                              std::span(chains.noise_.data(), static_cast<std::size_t>(chains.padded_size())));
    chains.normal_draws_ = 1;
    chains.take_noise(chains.step_);
    square_distances(x, y, chains.square_step_);
    for (Index l = 0; l < chains.n_proposed(); ++l) {
        const double distance = std::sqrt(chains.square_step_[l]), step = chains.scales_[l] * chains.step_[l];
        // A chain on top of its partner has no direction: it stays.
        chains.step_[l] = distance > 0 ? step / distance : 0;
        chains.log_jacobian_[l] =
            distance > 0 ? static_cast<double>(chains.dimension() - 1) * std::log(std::abs(distance - step) / distance)
                         : 0;
        chains.square_step_[l] = distance > 0 ? step * step : 0;
    }
    add_multiple(x, chains.step_, y, &x, work.proposed);
}

/// x' = x + r y, r ~ U(-1, 1).
void BoxOperations::linear(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const {
    auto& work = chains.work();
    const LaneMatrix &x = chains.columns(chains.points_, work.own), &y = chains.columns(partners.points_, work.first);
    random::fill_uniform_lanes(streams.at(Purpose::move, 0), chains.padded_size(),
                               std::span(chains.uniforms_.data(), static_cast<std::size_t>(chains.padded_size())));
    for (Index l = 0; l < chains.n_proposed(); ++l)
        chains.step_[l] = 2 * chains.uniforms_(0, chains.slot(l)) - 1;
    add_multiple(x, chains.step_, y, nullptr, work.proposed);
}

/// x' = x + s r (y - z), r ~ N(0, 1), y and z two others: symmetric, because y and z are as likely as z and y.
void BoxOperations::differential(BoxChains& chains, const BoxChains& first, const BoxChains& second,
                                 const model::BlockStreams& streams) const {
    auto& work = chains.work();
    const LaneMatrix& x = chains.columns(chains.points_, work.own);
    const LaneMatrix &y = chains.columns(first.points_, work.first), &z = chains.columns(second.points_, work.second);
    random::fill_normal_lanes(streams.at(Purpose::move, 0), chains.padded_size(),
                              std::span(chains.noise_.data(), static_cast<std::size_t>(chains.padded_size())));
    chains.normal_draws_ = 1;
    chains.take_noise(chains.step_);
    for (Index l = 0; l < chains.n_proposed(); ++l) {
        chains.step_[l] *= chains.scales_[l];
        chains.square_step_[l] = chains.step_[l] * chains.step_[l];
    }
    add_multiple(x, chains.step_, y, &z, work.proposed);
}

} // namespace pearlite::kernel
