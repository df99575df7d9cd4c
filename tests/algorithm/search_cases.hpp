#pragma once
/// Tiny energies with exactly known distributions, for tests of searches.

#include "algorithm/search/stochastic_approximation.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/kernel/categorical_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace pearlite::algorithm::testing {

/// exp(-U/tau - theta_J), up to a factor.
struct SearchTarget {
    double tau = 1;
    model::EnergyPartition partition;
    std::vector<double> theta;

    double log_density(double energy) const {
        return -energy / tau - theta[static_cast<std::size_t>(partition.region(energy))];
    }
};

/// Settings that keep theta and the temperature fixed, with a selection temperature that matters.
inline SearchSettings frozen(const SearchTarget& target, Index chains, Index iterations, random::Seed seed) {
    SearchSettings settings;
    settings.chains = chains;
    settings.iterations = iterations;
    settings.seed = seed;
    settings.temperature = {TemperatureLadder::Kind::constant, target.tau, target.tau, 1};
    settings.partition = target.partition;
    settings.fixed_theta = target.theta;
    settings.selection_temperature = 0.4;
    return settings;
}

/// 2 x 4 x 3 states in a row, with energies from -2.6 to 3.0 without any symmetry.
struct Row {
    static constexpr std::array<std::int32_t, 3> numbers{2, 4, 3};

    std::span<const std::int32_t> levels() const { return numbers; }
    double energy(std::span<const std::int32_t> x) const {
        double sum = 0;
        for (std::size_t k = 0; k < x.size(); ++k) {
            sum += std::sin(3.1 * static_cast<double>(k) + 1.7 * x[k]);
            if (k > 0)
                sum += std::cos(1.3 * x[k - 1] - 2.1 * x[k]);
        }
        return sum;
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("row"); }
};
static_assert(model::CategoricalEnergy<Row>);

inline std::vector<double> all_energies_of_rows() {
    std::vector<double> energies;
    for (std::int32_t a = 0; a < 2; ++a)
        for (std::int32_t b = 0; b < 4; ++b)
            for (std::int32_t c = 0; c < 3; ++c)
                energies.push_back(Row{}.energy(std::array{a, b, c}));
    return energies;
}

/// Two unequal wells with a ridge between them on [-2, 2.5] x [-1.5, 2].
struct Wells {
    static constexpr std::array<double, 2> low{-2, -1.5}, high{2.5, 2};

    Index dimension() const { return 2; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    double energy(std::span<const double> x) const {
        const double a = x[0] * x[0] - 1.2;
        return 1.5 * a * a + 0.8 * (x[1] - 0.5 * x[0]) * (x[1] - 0.5 * x[0]) + 0.6 * x[0] + 0.3 * std::sin(4 * x[1]);
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("wells"); }
};
static_assert(model::Energy<Wells>);

/// Midpoints of a grid over the wells' box, n of them per axis: f(x, y, area).
template <class F>
void over_wells(Index n, const F& f) {
    const auto count = static_cast<double>(n);
    const double dx = (Wells::high[0] - Wells::low[0]) / count, dy = (Wells::high[1] - Wells::low[1]) / count;
    for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j)
            f(Wells::low[0] + (static_cast<double>(i) + 0.5) * dx, Wells::low[1] + (static_cast<double>(j) + 0.5) * dy,
              dx * dy);
}

/// An energy of spans of T that counts its evaluations.
template <class E, class T>
struct Counted : E {
    std::shared_ptr<std::int64_t> count = std::make_shared<std::int64_t>(0);
    double energy(std::span<const T> x) const {
        ++*count;
        return E::energy(x);
    }
};

/// A search with its first states.
inline StochasticApproximation begun(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                                     const SearchSettings& settings) {
    StochasticApproximation engine(ranks, std::move(space), settings);
    engine.begin();
    return engine;
}
inline StochasticApproximation& finish_search(StochasticApproximation& engine) {
    while (!engine.finished())
        engine.iterate();
    return engine;
}

} // namespace pearlite::algorithm::testing
