#include "pearlite/kernel/box_operations.hpp"

#include "pearlite/core/contract.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace pearlite::kernel {

using model::LaneMatrix;

BoxChains::BoxChains(Index dimension, Index size)
    : size_(size),
      points_(LaneMatrix::Zero(dimension, padded(size))),
      proposed_(points_),
      noise_(LaneMatrix::Zero(dimension + 1, padded(size))) {
    for (auto* values : {&scales_, &log_jacobian_, &square_step_})
        values->assign(static_cast<std::size_t>(padded(size)), 0.0);
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

void BoxChains::accept(std::span<const std::uint8_t> accepted) {
    const Index p = padded_size();
    for (Index k = 0; k < dimension(); ++k) {
        double* const to = points_.row(k).data();
        const double* const from = proposed_.row(k).data();
        for (Index i = 0; i < p; ++i)
            to[i] = accepted[static_cast<std::size_t>(i)] != 0 ? from[i] : to[i];
    }
}

void BoxChains::refuse_outside(std::span<const double> lower, std::span<const double> upper,
                               std::span<double> energies) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < dimension(); ++k) {
        const double low = lower[static_cast<std::size_t>(k)], high = upper[static_cast<std::size_t>(k)];
        const double* const x = proposed_.row(k).data();
        for (std::size_t i = 0; i < energies.size(); ++i)
            energies[i] = x[i] >= low && x[i] <= high ? energies[i] : infinity;
    }
}

void BoxChains::add_scale_ratios(const model::ProposalScale& scale, std::span<const double> energies,
                                 model::Proposals& proposals) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(padded_size()); ++i)
        proposals.log_ratios[i] = log_jacobian_[i];
    if (!scale.by_region || normal_draws_ == 0)
        return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(size_); ++i) {
        if (!(proposals.energies[i] < std::numeric_limits<double>::infinity()))
            continue;
        const double s = scale(energies[i]), back = scale(proposals.energies[i]);
        proposals.log_ratios[i] += static_cast<double>(normal_draws_) * std::log(s / back) -
                                   0.5 * square_step_[i] * (1 / (back * back) - 1 / (s * s));
    }
}

} // namespace pearlite::kernel
