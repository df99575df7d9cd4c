#include "pearlite/kernel/detail/local_descent.hpp"

#include "core/lbfgs.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

namespace {

/// Descents follow each other: a coordinate that left the box may have to come back in from its border.
constexpr int largest_rounds = 20;
constexpr DescentLimits to_the_end{.iterations = 2000, .tolerance = 1e-12};

/// The objective of a minimiser: the energy in the box. Keeps the best point so far.
class Evaluation {
  public:
    Evaluation(const model::Descent& target, std::span<const double> start)
        : target_(target),
          lower_(target.lower()),
          upper_(target.upper()),
          is_periodic_(target.is_periodic()),
          x_(start.begin(), start.end()),
          gradient_(start.size()) {
        if (is_periodic_)
            for (std::size_t k = 0; k < x_.size(); ++k)
                x_[k] = in_box(k, x_[k]);
        best_ = start_ = {x_, target_.energy(x_), 1, 0};
    }
    const LocalMinimum& best() const { return best_; }
    /// The same with the energy that energy() gives.
    LocalMinimum end() const {
        auto end = best_;
        if (!target_.has_energy_with_gradient() || end.x == start_.x)
            return end;
        end.energy = target_.energy(end.x);
        ++end.energies;
        if (!(end.energy < start_.energy)) { // lower by a rounding alone
            end.x = start_.x;
            end.energy = start_.energy;
        }
        return end;
    }

    bool is_on_border() const {
        const auto is_at_end = [&](std::size_t k) { return best_.x[k] == lower_[k] || best_.x[k] == upper_[k]; };
        for (std::size_t k = 0; !is_periodic_ && k < x_.size(); ++k)
            if (is_at_end(k))
                return true;
        return false;
    }

    double evaluate(std::span<const double> from, std::span<double> gradient) {
        for (std::size_t k = 0; k < x_.size(); ++k)
            x_[k] = in_box(k, from[k]);
        ++best_.energies;
        const double energy = target_.energy_with_gradient(x_, gradient_);
        if (!(energy < infinity))
            return infinity;
        ++best_.gradients;
        if (energy < best_.energy) {
            best_.x = x_;
            best_.energy = energy;
        }
        for (std::size_t k = 0; k < x_.size(); ++k)
            gradient[k] = is_held(k, from[k]) ? 0.0 : gradient_[k];
        return energy;
    }

  private:
    double in_box(std::size_t k, double from) const {
        const double period = upper_[k] - lower_[k];
        if (is_periodic_ && !(from >= lower_[k] && from <= upper_[k]))
            from -= period * std::floor((from - lower_[k]) / period);
        return std::clamp(from, lower_[k], upper_[k]);
    }
    /// Beyond the border the energy is that of the border; a coordinate on the border that would leave the box stays.
    bool is_held(std::size_t k, double from) const {
        if (is_periodic_)
            return false;
        return x_[k] != from || (from <= lower_[k] && gradient_[k] > 0) || (from >= upper_[k] && gradient_[k] < 0);
    }

    const model::Descent& target_;
    std::span<const double> lower_, upper_;
    bool is_periodic_;
    std::vector<double> x_, gradient_;
    LocalMinimum start_, best_;
};

void run_library(Evaluation& evaluation, std::span<const double> start, const DescentLimits& limits) {
    minimise_by_lbfgs(
        [&](std::span<const double> x, std::span<double> gradient) { return evaluation.evaluate(x, gradient); }, start,
        {limits.iterations, limits.tolerance});
}

/// Descents that follow each other, the first from `start`, as long as they lead down and goes_on().
template <class GoesOn>
void run_rounds(Evaluation& evaluation, std::span<const double> start, const DescentLimits& limits, GoesOn goes_on) {
    std::vector<double> from(start.begin(), start.end());
    for (int round = 0; round < largest_rounds; ++round) {
        const double before = evaluation.best().energy;
        run_library(evaluation, from, limits);
        if (!(evaluation.best().energy < before) || !goes_on())
            break;
        from = evaluation.best().x;
    }
}

/// An energy without a gradient, given one by differences; counts the energies.
class ByDifferences final : public model::Descent {
  public:
    explicit ByDifferences(const model::Descent& own) : own_(own) {}

    std::span<const double> lower() const override { return own_.lower(); }
    std::span<const double> upper() const override { return own_.upper(); }
    bool is_periodic() const override { return own_.is_periodic(); }
    double energy(std::span<const double> x) const override {
        ++energies_;
        return own_.energy(x);
    }
    bool has_gradient() const override { return true; }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        difference_gradient(*this, x, gradient);
    }
    std::int64_t energies() const { return energies_; }

  private:
    const model::Descent& own_;
    mutable std::int64_t energies_ = 0;
};

LocalMinimum descend_by_gradient(const model::Descent& target, std::span<const double> start) {
    Evaluation evaluation(target, start);
    run_rounds(evaluation, start, to_the_end, [] { return true; });
    return evaluation.end();
}

} // namespace

LocalMinimum descend(const model::Descent& target, std::span<const double> start) {
    PEARLITE_EXPECTS(!start.empty() && target.lower().size() == start.size() && target.upper().size() == start.size());
    if (target.has_gradient())
        return descend_by_gradient(target, start);
    const ByDifferences differences(target);
    auto minimum = descend_by_gradient(differences, start);
    minimum.energies = differences.energies();
    minimum.gradients = 0;
    return minimum;
}

LocalMinimum descend(const model::Descent& target, std::span<const double> start, const DescentLimits& limits) {
    PEARLITE_EXPECTS(limits.iterations >= 1 && limits.tolerance > 0);
    const auto lower = target.lower(), upper = target.upper();
    for (std::size_t k = 0; k < start.size(); ++k)
        if (!target.is_periodic() && !(start[k] >= lower[k] && start[k] <= upper[k]))
            return {{start.begin(), start.end()}, infinity};
    const ByDifferences differences(target);
    const bool has_gradient = target.has_gradient();
    Evaluation evaluation(has_gradient ? target : static_cast<const model::Descent&>(differences), start);
    if (evaluation.best().energy < infinity)
        run_rounds(evaluation, start, limits, [&] { return limits.moves_state && evaluation.is_on_border(); });
    return evaluation.end();
}

void difference_gradient(const model::Descent& target, std::span<const double> x, std::span<double> gradient) {
    static const double step = std::cbrt(std::numeric_limits<double>::epsilon());
    const auto lower = target.lower(), upper = target.upper();
    std::vector<double> y(x.begin(), x.end());
    const auto energy_at = [&](std::size_t k, double value) {
        y[k] = value;
        const double energy = target.energy(y);
        y[k] = x[k];
        return energy;
    };
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double h = step * std::max(1.0, std::abs(x[k]));
        double high = std::min(x[k] + h, upper[k]), low = std::max(x[k] - h, lower[k]);
        double above = energy_at(k, high), below = energy_at(k, low);
        if (!std::isfinite(above))
            above = energy_at(k, high = x[k]);
        if (!std::isfinite(below))
            below = energy_at(k, low = x[k]);
        gradient[k] = low < high ? (above - below) / (high - low) : 0.0;
    }
}

} // namespace pearlite::kernel
