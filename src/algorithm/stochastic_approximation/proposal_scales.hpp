#pragma once
/// Scales of proposals, adapted while a pilot lasts.

#include "core/fields.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// After the k-th iteration of an operation with a scale: log s^2 += 3 k^-0.6 (a - a_wanted), where a is the fraction
/// of its proposals that were accepted (Andrieu & Thoms 2008). The scale stays fixed once adapt() is no longer called.
/// Operations that are not tuned keep their first scale.
class ProposalScales {
  public:
    ProposalScales(std::span<const model::Operation> operations, double wanted_acceptance)
        : wanted_acceptance_(wanted_acceptance) {
        for (const auto& operation : operations) {
            scales_.push_back(operation.has_scale ? operation.first_scale : std::numeric_limits<double>::quiet_NaN());
            is_tuned_.push_back(operation.has_scale && operation.is_tuned);
            adaptations_.push_back(0);
        }
    }

    double operator[](Index op) const { return scales_[static_cast<std::size_t>(op)]; }
    const std::vector<double>& values() const { return scales_; }

    void adapt(Index op, double acceptance) {
        const auto k = static_cast<std::size_t>(op);
        if (!is_tuned_[k])
            return;
        const double step = 3 * std::pow(static_cast<double>(++adaptations_[k]), -0.6);
        scales_[k] *= std::exp(0.5 * step * (acceptance - wanted_acceptance_));
    }

    void fields(Fields& f) {
        f("scales", scales_);
        f("adaptations", adaptations_);
    }

  private:
    double wanted_acceptance_;
    std::vector<double> scales_;
    std::vector<std::int64_t> adaptations_;
    std::vector<bool> is_tuned_;
};

} // namespace pearlite::algorithm
