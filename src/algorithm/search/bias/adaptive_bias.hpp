#pragma once
/// The self-adjusting bias theta of stochastic approximation annealing, at a cost per iteration that does not depend on
/// the number of regions.

#include "algorithm/search/search_record.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The update (Karagiannis et al. 2017, Algorithm 3 with section 3.3, empty regions)
///
///     theta_j += gamma_t (p_j - pi_j)   for the regions j of S_t, those ever proposed to
///
/// changes every theta_j of S_t. The class keeps G_t = sum of gamma_s, s <= t, and c_j with theta_j = c_j - pi_j G_t:
/// a region that joins S_t in step t begins with c_j = pi_j G_{t-1}, and each chain in j adds gamma_t / kappa to c_j.
class AdaptiveBias {
  public:
    /// theta = 0 everywhere, S empty; `desired` are the pi_j.
    explicit AdaptiveBias(std::vector<double> desired);

    Index regions() const { return static_cast<Index>(desired_.size()); }
    /// theta for a loop, until the next touch() or update().
    class View {
      public:
        View() = default;
        explicit View(const AdaptiveBias& bias)
            : c_(bias.c_.data()), desired_(bias.desired_.data()), in_use_(bias.in_use_.data()), gain_(bias.gain_sum_) {}
        double theta(Index j) const { return in_use_[j] != 0 ? c_[j] - desired_[j] * gain_ : 0; }

      private:
        const double *c_ = nullptr, *desired_ = nullptr;
        const std::int64_t* in_use_ = nullptr;
        double gain_ = 0;
    };
    double theta(Index j) const { return View(*this).theta(j); }
    bool is_in_use(Index j) const { return in_use_[static_cast<std::size_t>(j)] != 0; }

    /// Region j was proposed to: it joins S before the update of this step.
    void touch(Index j) {
        const auto k = static_cast<std::size_t>(j);
        if (in_use_[k] == 0) {
            in_use_[k] = 1;
            c_[k] = desired_[k] * gain_sum_;
        }
    }
    /// The same of many regions, of which none is new but in the first iterations.
    void touch(std::span<const std::int32_t> regions) {
        const std::int64_t* const in_use = in_use_.data();
        bool is_any_new = false;
        for (const std::int32_t j : regions)
            is_any_new |= in_use[j] == 0;
        for (std::size_t i = 0; is_any_new && i < regions.size(); ++i)
            touch(regions[i]);
    }
    /// regions[i] is the region of chain i, each in S.
    void update(double gain, std::span<const std::int32_t> regions);
    /// The number of truncations, each back to theta = 0 with S as it is.
    std::int64_t truncations() const { return truncations_; }

    std::span<const std::int64_t> visits() const { return visits_; }
    /// The update in which a chain was first in region j, from 1; 0 if none ever was.
    std::span<const std::int64_t> first_visits() const { return first_visits_; }
    /// Whether region j was first visited when SearchOutcome::late_share of all gain so far had been spent: the rest of
    /// the gain does not suffice for theta_j to be learnt.
    bool was_visited_late(Index j) const {
        const auto k = static_cast<std::size_t>(j);
        return visits_[k] > 0 && gain_before_visit_[k] > SearchOutcome::late_share * gain_sum_;
    }
    std::span<const double> desired() const { return desired_; }
    /// theta_j - log sum over S of exp(theta_k), so that they are the logarithms of masses that sum to 1; -inf outside
    /// S.
    std::vector<double> normalised() const;

    void fields(Fields& f) {
        f("c", c_);
        f("in_use", in_use_);
        f("visits", visits_);
        f("updates", updates_);
        f("first_visits", first_visits_);
        f("gain_before_visit", gain_before_visit_);
        f("gain_sum", gain_sum_);
        f("truncations", truncations_);
    }

  private:
    bool exceeds_bound() const;
    /// Log10 of M_c, c the number of truncations.
    double log10_bound() const { return 100 + 10 * static_cast<double>(truncations_); }

    std::vector<double> desired_, c_;
    std::vector<std::int64_t> in_use_, visits_, first_visits_;
    std::vector<double> gain_before_visit_; ///< G before the first visit
    std::int64_t updates_ = 0;
    double gain_sum_ = 0; ///< G
    std::int64_t truncations_ = 0;
};

} // namespace pearlite::algorithm
