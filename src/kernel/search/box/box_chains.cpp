#include "kernel/search/box/lane_loops.hpp"
#include "pearlite/kernel/detail/box_operations.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace pearlite::kernel {

using model::LaneMatrix;

BoxChains::BoxChains(Index dimension, Index size)
    : size_(size),
      points_(LaneMatrix::Zero(dimension, lane_padded(size))),
      noise_(Noise::Zero(dimension + 1, points_.cols())),
      uniforms_(LaneMatrix::Zero(std::max(dimension, static_cast<Index>(model::LocalDraws{}.uniforms.size())),
                                 points_.cols())),
      works_(static_cast<std::size_t>(points_.cols() / lane_padding + 1)) {
    for (auto* values : {&energies_, &scales_, &log_jacobian_, &square_step_, &step_})
        *values = Vector::Zero(padded_size());
    chosen_.assign(static_cast<std::size_t>(padded_size()), 0);
}

void BoxChains::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
    for (Index k = 0; k < dimension(); ++k)
        std::memcpy(out.data() + static_cast<std::size_t>(k) * sizeof(double), &points_(k, slot), sizeof(double));
}

void BoxChains::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
    for (Index k = 0; k < dimension(); ++k)
        std::memcpy(&points_(k, slot), in.data() + static_cast<std::size_t>(k) * sizeof(double), sizeof(double));
}

void BoxChains::copy(const BoxChains& from, std::span<const Index> source) {
    source_.assign(source.begin(), source.end());
    source_.resize(static_cast<std::size_t>(padded_size()), -1);
    simd::merge_columns(simd::ConstRows(from.points_), source_, simd::Rows(points_), dimension());
}

model::LocalDraws BoxChains::draws(Index slot) const {
    model::LocalDraws draws{scales_[slot] * static_cast<double>(noise_(0, slot)), {}};
    for (std::size_t k = 0; k < draws.uniforms.size(); ++k)
        draws.uniforms[k] = uniforms_(static_cast<Index>(k), slot);
    return draws;
}

void BoxChains::begin_with_all(const model::ProposalScale& scale, std::span<const double> energies) {
    taking_part_.resize(static_cast<std::size_t>(size_));
    std::iota(taking_part_.begin(), taking_part_.end(), 0);
    begin(scale, energies);
}

void BoxChains::begin_with(std::span<const std::uint8_t> active, const model::ProposalScale& scale,
                           std::span<const double> energies) {
    taking_part_.resize(static_cast<std::size_t>(size_));
    std::size_t n = 0;
    for (std::size_t i = 0; i < taking_part_.size(); ++i) { // without branches: active chains are random
        taking_part_[n] = static_cast<Index>(i);
        n += active[i] != 0 ? 1 : 0;
    }
    taking_part_.resize(n);
    if (lane_padded(n_proposed()) == padded_size())
        return begin_with_all(scale, energies);
    begin(scale, energies);
}

void BoxChains::begin(const model::ProposalScale& scale, std::span<const double> energies) {
    lanes_ = lane_padded(n_proposed());
    if (work().proposed.cols() != lanes_)
        work().proposed = LaneMatrix::Zero(dimension(), lanes_);
    normal_draws_ = 0;
    std::fill_n(log_jacobian_.data(), lanes_, 0.0);
    std::fill_n(scales_.data(), lanes_, scale.scale);
    if (scale.by_region)
        for (Index l = 0; l < n_proposed(); ++l)
            scales_[l] = scale(energies[static_cast<std::size_t>(slot(l))]);
}

const LaneMatrix& BoxChains::columns(const LaneMatrix& from, LaneMatrix& to) {
    if (is_everyone())
        return from;
    if (to.cols() != lanes_)
        to = LaneMatrix::Zero(dimension(), lanes_);
    source_.assign(taking_part_.begin(), taking_part_.end());
    source_.resize(static_cast<std::size_t>(lanes_), -1);
    simd::merge_columns(simd::ConstRows(from), source_, simd::Rows(to), dimension());
    return to;
}

void BoxChains::take_noise(Vector& r) const {
    for (Index l = 0; l < n_proposed(); ++l)
        r[l] = static_cast<double>(noise_(0, slot(l)));
}

void BoxChains::refuse_outside(std::span<const double> lower, std::span<const double> upper) {
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::refuse_outside<decltype(cpu)>(simd::ConstRows(proposed()), lower, upper, energies_.data());
    });
}

void BoxChains::report(const model::ProposalScale& scale, std::span<const double> energies,
                       model::Proposals& proposals) const {
    for (Index l = 0; l < n_proposed(); ++l) {
        const auto i = static_cast<std::size_t>(slot(l));
        proposals.energies[i] = energies_[l];
        proposals.log_ratios[i] = log_jacobian_[l];
        if (!scale.by_region || normal_draws_ == 0 || !(energies_[l] < infinity))
            continue;
        const double s = scale(energies[i]), back = scale(energies_[l]);
        proposals.log_ratios[i] += static_cast<double>(normal_draws_) * std::log(s / back) -
                                   0.5 * square_step_[l] * (1 / (back * back) - 1 / (s * s));
    }
}

void BoxChains::accept(std::span<const std::uint8_t> accepted) {
    const LaneMatrix& from = proposed();
    if (!is_everyone()) {
        source_.assign(static_cast<std::size_t>(padded_size()), -1);
        for (Index l = 0; l < n_proposed(); ++l) {
            const auto i = static_cast<std::size_t>(slot(l));
            source_[i] = accepted[i] != 0 ? l : -1;
        }
        return simd::merge_columns(simd::ConstRows(from), source_, simd::Rows(points_), dimension());
    }
    simd::on_this_cpu([&](auto cpu) {
        lane_loops::take<decltype(cpu)>(simd::ConstRows(from), accepted.data(), dimension(), simd::Rows(points_));
    });
}

} // namespace pearlite::kernel
