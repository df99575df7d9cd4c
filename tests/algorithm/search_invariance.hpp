#pragma once
/// Does a search with fixed theta leave the product of f_{theta,tau} over its chains invariant? Populations start from
/// exact draws, the search moves them on any number of ranks, and then their states are counted.

#include "algorithm/search_cases.hpp"
#include "random/statistics.hpp"

#include <algorithm>
#include <map>

namespace pearlite::algorithm::testing {

using parallel::Communicator;

/// Chains of the wells, drawn from a target by rejection.
struct WellsCase {
    using Space = kernel::BoxSpace<Wells>;
    static constexpr Index fine_cells = 54, coarse_cells = 6;

    SearchTarget target{0.8, model::EnergyPartition({-0.6, 0, 0.7, 1.5, 3}), {0.6, -0.5, 0.4, -0.6, -1.2, -2.5}};
    double log_bound = 0;

    WellsCase() {
        over_wells(300, [&](double x, double y, double) {
            log_bound = std::max(log_bound, target.log_density(Wells{}.energy(std::array{x, y})));
        });
        log_bound += 0.05;
    }

    void draw(kernel::BoxChains& chains, Index slot, random::Stream& stream) const {
        std::array<double, 2> x{};
        double log_f = 0;
        do {
            for (std::size_t k = 0; k < 2; ++k)
                x[k] = stream.uniform(Wells::low[k], Wells::high[k]);
            log_f = target.log_density(Wells{}.energy(x));
            PEARLITE_EXPECTS(log_f < log_bound);
        } while (std::log(stream.uniform()) > log_f - log_bound);
        chains.points()(0, slot) = x[0];
        chains.points()(1, slot) = x[1];
    }

    /// A ninth of the box and the region; the region.
    Index fine(double x, double y) const {
        const auto third = [](double value, double low, double high) {
            return std::min(static_cast<Index>(3 * (value - low) / (high - low)), Index{2});
        };
        return 9 * coarse(x, y) + 3 * third(x, Wells::low[0], Wells::high[0]) + third(y, Wells::low[1], Wells::high[1]);
    }
    Index coarse(double x, double y) const { return target.partition.region(Wells{}.energy(std::array{x, y})); }
    Index fine(const kernel::BoxChains& chains, Index i) const {
        return fine(chains.points()(0, i), chains.points()(1, i));
    }
    Index coarse(const kernel::BoxChains& chains, Index i) const {
        return coarse(chains.points()(0, i), chains.points()(1, i));
    }
    /// Probabilities of the cells by quadrature. Its error, from the jumps of theta, is far below the resolution of the
    /// counts.
    std::pair<std::vector<double>, std::vector<double>> probabilities() const {
        std::vector<double> fine_masses(fine_cells), coarse_masses(coarse_cells);
        double total = 0;
        over_wells(1200, [&](double x, double y, double area) {
            const double mass = area * std::exp(target.log_density(Wells{}.energy(std::array{x, y})));
            fine_masses[static_cast<std::size_t>(fine(x, y))] += mass;
            coarse_masses[static_cast<std::size_t>(coarse(x, y))] += mass;
            total += mass;
        });
        for (auto* masses : {&fine_masses, &coarse_masses})
            for (double& mass : *masses)
                mass /= total;
        return {fine_masses, coarse_masses};
    }
};

/// Rows of sites, every state a cell; the coarse ones are regions.
struct RowCase {
    using Space = kernel::CategoricalSpace<Row>;
    static constexpr Index fine_cells = 24, coarse_cells = 6;

    SearchTarget target{1.1, model::EnergyPartition({-2, -1, 0, 1, 2.2}), {0.9, -0.2, 0.5, -0.4, 0.2, -0.9}};

    void draw(kernel::CategoricalChains& chains, Index slot, random::Stream& stream) const {
        const auto k = stream.categorical(probabilities().first);
        const std::array state{static_cast<std::int32_t>(k / 12), static_cast<std::int32_t>(k / 3 % 4),
                               static_cast<std::int32_t>(k % 3)};
        chains.set(slot, state, Row{}.energy(state));
    }
    static Index fine(const kernel::CategoricalChains& chains, Index i) {
        const auto x = chains.state(i);
        return 12 * x[0] + 3 * x[1] + x[2];
    }
    Index coarse(const kernel::CategoricalChains& chains, Index i) const {
        return target.partition.region(Row{}.energy(chains.state(i)));
    }
    std::pair<std::vector<double>, std::vector<double>> probabilities() const {
        std::vector<double> fine_masses, coarse_masses(coarse_cells);
        const auto energies = all_energies_of_rows();
        double total = 0;
        for (const double energy : energies) {
            fine_masses.push_back(std::exp(target.log_density(energy)));
            total += fine_masses.back();
        }
        for (std::size_t k = 0; k < energies.size(); ++k)
            coarse_masses[static_cast<std::size_t>(target.partition.region(energies[k]))] += fine_masses[k] /= total;
        return {fine_masses, coarse_masses};
    }
};

/// The space of a case, whose chains start from the case's target.
template <class Case>
struct FromTarget : Case::Space {
    Case chosen;
    template <class... Arguments>
    explicit FromTarget(Arguments&&... arguments) : Case::Space(std::forward<Arguments>(arguments)...) {}

    void draw_start(typename Case::Space::Chains& chains, const model::BlockStreams& streams) const {
        for (Index i = 0; i < chains.size(); ++i) {
            random::Stream stream(streams.at(random::Purpose::test, i));
            chosen.draw(chains, i, stream);
        }
    }
};

inline FromTarget<WellsCase> wells(std::vector<std::string> operations) {
    kernel::BoxOperationSettings settings;
    settings.operations = std::move(operations);
    settings.first_scale = 0.8;
    return FromTarget<WellsCase>(Wells{}, settings);
}

inline FromTarget<RowCase> rows(std::vector<std::string> operations) {
    kernel::CategoricalOperationSettings settings;
    settings.operations = std::move(operations);
    return FromTarget<RowCase>(Row{}, settings);
}

/// chi-squared p-value; cells in which fewer than 10 are expected count as one.
inline double p_value_of_counts(const std::vector<double>& counts, const std::vector<double>& probabilities) {
    double n = 0, rare = 0, rare_probability = 0;
    for (const double count : counts)
        n += count;
    std::vector<double> kept, kept_probabilities;
    for (std::size_t k = 0; k < counts.size(); ++k) {
        const bool is_rare = n * probabilities[k] < 10;
        (is_rare ? rare : kept.emplace_back()) += counts[k];
        (is_rare ? rare_probability : kept_probabilities.emplace_back()) += probabilities[k];
    }
    kept.push_back(rare);
    kept_probabilities.push_back(rare_probability);
    return random::testing::chi_squared_p_value(kept, kept_probabilities);
}

/// p-values of the states of all chains of `populations` populations, and of those of chains 2 k and 2 k + 1 together,
/// after searches with these settings.
struct Moved {
    double states = 0, pairs = 0;
    double smallest() const { return std::min(states, pairs); }
};
template <class Case, class Space>
Moved moved(const Communicator& ranks, const Case& chosen, const Space& space, SearchSettings settings,
            std::uint64_t populations) {
    using Chain = std::array<std::int32_t, 2>;
    const auto shared_space = model::space_of(space);
    std::vector<double> states(Case::fine_cells), pairs(Case::coarse_cells * Case::coarse_cells), pair_probabilities;
    for (std::uint64_t r = 0; r < populations; ++r) {
        settings.seed = r;
        auto engine = begun(ranks, shared_space, settings);
        finish_search(engine);
        const auto& chains = own_block<typename Space::Chains>(engine.chains());
        std::vector<Chain> mine;
        for (Index i = 0; i < engine.layout().local_items(); ++i)
            mine.push_back({static_cast<std::int32_t>(chosen.fine(chains, i)),
                            static_cast<std::int32_t>(chosen.coarse(chains, i))});
        const auto all = ranks.all_gather(std::span<const Chain>(mine));
        for (std::size_t i = 0; i < all.size(); ++i) {
            ++states[static_cast<std::size_t>(all[i][0])];
            if (i % 2 == 1)
                ++pairs[static_cast<std::size_t>(all[i - 1][1] * Case::coarse_cells + all[i][1])];
        }
    }
    const auto [fine, coarse] = chosen.probabilities();
    for (const double p : coarse)
        for (const double q : coarse)
            pair_probabilities.push_back(p * q);
    return {p_value_of_counts(states, fine), p_value_of_counts(pairs, pair_probabilities)};
}

} // namespace pearlite::algorithm::testing
