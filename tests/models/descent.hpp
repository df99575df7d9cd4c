#pragma once
/// Local minimisation and basin hopping, to look for the minima that the literature reports.

#include "pearlite/core/types.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace pearlite::testing {

struct Minimum {
    Vector x;
    double energy = 0;
};

template <class E>
double energy_at(const E& energy, const Vector& x) {
    return energy.energy(std::span(x.data(), static_cast<std::size_t>(x.size())));
}

template <class E>
Vector gradient_at(const E& energy, const Vector& x) {
    Vector g(x.size());
    const auto d = static_cast<std::size_t>(x.size());
    energy.gradient(std::span(x.data(), d), std::span(g.data(), d));
    return g;
}

/// The last steps of a descent, as an approximate inverse Hessian (Liu & Nocedal 1989).
class StepMemory {
  public:
    void add(const Vector& step, const Vector& change) {
        const double curvature = step.dot(change);
        if (curvature <= 1e-12 * change.squaredNorm())
            return;
        steps_.push_back({step, change, curvature});
        if (steps_.size() > 8)
            steps_.pop_front();
    }
    void clear() { steps_.clear(); }
    bool empty() const { return steps_.empty(); }

    Vector times(Vector g) const {
        std::vector<double> shares(steps_.size());
        for (std::size_t k = steps_.size(); k-- > 0;) {
            shares[k] = steps_[k].step.dot(g) / steps_[k].curvature;
            g -= shares[k] * steps_[k].change;
        }
        if (!steps_.empty())
            g *= steps_.back().curvature / steps_.back().change.squaredNorm();
        for (std::size_t k = 0; k < steps_.size(); ++k)
            g += (shares[k] - steps_[k].change.dot(g) / steps_[k].curvature) * steps_[k].step;
        return g;
    }

  private:
    struct Step {
        Vector step, change;
        double curvature;
    };
    std::deque<Step> steps_;
};

/// L-BFGS with backtracking, until the energy gains nothing.
template <class E>
Minimum descend(const E& energy, Vector x) {
    constexpr double longest_step = 0.5;
    StepMemory memory;
    double value = energy_at(energy, x);
    Vector g = gradient_at(energy, x);
    for (int iteration = 0; iteration < 2000 && g.norm() > 1e-9; ++iteration) {
        Vector direction = -memory.times(g);
        if (!(direction.dot(g) < 0)) {
            memory.clear();
            direction = -g;
        }
        const double length = direction.cwiseAbs().maxCoeff();
        double scale = length > longest_step ? longest_step / length : 1;
        double lower = value;
        Vector next;
        for (int half = 0; half < 40; ++half, scale /= 2) {
            next = x + scale * direction;
            lower = energy_at(energy, next);
            if (lower < value + 1e-4 * scale * direction.dot(g))
                break;
        }
        if (!(lower < value)) {
            if (memory.empty())
                break;
            memory.clear();
            continue;
        }
        const Vector slope = gradient_at(energy, next);
        memory.add(next - x, slope - g);
        x = std::move(next);
        g = slope;
        value = lower;
    }
    return {x, value};
}

/// Descents from `starts` random points of which every coordinate is within `spread`, each followed by `hops` descents
/// from disturbances of the best place so far.
template <class E>
Minimum basin_hopping(const E& energy, int starts, int hops, double spread, std::uint64_t seed) {
    Minimum best{{}, std::numeric_limits<double>::infinity()};
    for (int start = 0; start < starts; ++start) {
        random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(start), 0});
        const auto disturbed = [&](Vector x, double by) {
            for (double& coordinate : x)
                coordinate += stream.uniform(-by, by);
            return x;
        };
        Minimum here = descend(energy, disturbed(Vector::Zero(energy.dimension()), spread));
        for (int hop = 0; hop < hops; ++hop) {
            Minimum there = descend(energy, disturbed(here.x, 0.3 + stream.uniform()));
            if (there.energy < here.energy)
                here = std::move(there);
        }
        if (here.energy < best.energy)
            best = std::move(here);
    }
    return best;
}

} // namespace pearlite::testing
