// Searches on one rank: the limit of theta, every member of the family against a plain recursion, records of energies.
#include "algorithm/search/stochastic_approximation.hpp"

#include "algorithm/search_invariance.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using random::testing::rejection_level;
using Crossover = SearchSettings::Crossover;
using Kind = TemperatureLadder::Kind;
using parallel::Communicator;

template <class Space>
StochasticApproximation engine_of(const Space& space, const SearchSettings& settings) {
    return begun(Communicator::alone(), model::space_of(space), settings);
}

// ---- Where theta goes

std::vector<double> region_log_masses(const model::EnergyPartition& partition, double tau) {
    std::vector<double> masses(static_cast<std::size_t>(partition.regions()), log_zero);
    for (const double energy : all_energies_of_rows()) {
        auto& mass = masses[static_cast<std::size_t>(partition.region(energy))];
        mass = log_add(mass, -energy / tau);
    }
    return masses;
}
std::vector<double> region_log_masses_of_wells(const model::EnergyPartition& partition, double tau) {
    std::vector<double> masses(static_cast<std::size_t>(partition.regions()));
    over_wells(1200, [&](double x, double y, double area) {
        const double energy = Wells{}.energy(std::array{x, y});
        masses[static_cast<std::size_t>(partition.region(energy))] += area * std::exp(-energy / tau);
    });
    for (double& mass : masses)
        mass = std::log(mass);
    return masses;
}

std::vector<double> normalised(std::vector<double> theta) {
    const double total = log_sum_exp(theta);
    for (double& value : theta)
        value -= total;
    return theta;
}
/// log mass_j - log(pi_j + pi_e), pi_e what empty regions desire, shared by the others; normalised.
std::vector<double> limit_of_theta(const std::vector<double>& log_masses, double lambda, bool shares_empty = true) {
    const auto desired = model::desired_probabilities(static_cast<Index>(log_masses.size()), lambda);
    double empty = 0, full = 0;
    for (std::size_t j = 0; j < desired.size(); ++j)
        (log_masses[j] == log_zero ? empty : full) += log_masses[j] == log_zero ? desired[j] : 1;
    std::vector<double> theta;
    for (std::size_t j = 0; j < desired.size(); ++j)
        theta.push_back(log_masses[j] - std::log(desired[j] + (shares_empty ? empty / full : 0)));
    return normalised(theta);
}

using Thetas = std::vector<std::vector<double>>;

/// theta at the end of independent searches.
template <class Space>
Thetas thetas_of(const Space& space, SearchSettings settings, std::uint64_t replicates) {
    Thetas thetas;
    for (std::uint64_t r = 0; r < replicates; ++r) {
        settings.seed = r;
        auto engine = engine_of(space, settings);
        thetas.push_back(finish_search(engine).outcome().theta);
    }
    return thetas;
}

/// The greatest distance of the replicates' mean from `exact`, in units of its standard error; infinite where one of
/// them alone is -inf.
double greatest_z(const Thetas& thetas, const std::vector<double>& exact) {
    const auto n = static_cast<double>(thetas.size());
    double greatest = 0;
    for (std::size_t j = 0; j < exact.size(); ++j) {
        double mean = 0, squares = 0;
        for (const auto& theta : thetas)
            mean += theta[j] / n;
        if (mean == log_zero && exact[j] == log_zero)
            continue;
        for (const auto& theta : thetas)
            squares += (theta[j] - mean) * (theta[j] - mean);
        greatest = std::max(greatest, std::abs(mean - exact[j]) / std::sqrt(squares / (n - 1) / n));
    }
    return greatest;
}

/// |t| with 39 degrees of freedom exceeds it with probability 2e-6: about 30 comparisons raise a false alarm for 1e-4
/// of all seeds.
constexpr double largest_z = 5.6;
constexpr std::uint64_t replicates = 40;

/// Regions 0, 5 and 9 are empty.
const model::EnergyPartition uneven({-3, -2, -1, -0.6, -0.4, 0, 1, 2.2, 4});

SearchSettings converging(double lambda) {
    SearchSettings settings;
    settings.chains = 6;
    settings.iterations = 15000;
    settings.temperature = {Kind::geometric, 3, 0.8, 1000};
    settings.partition = uneven;
    settings.lambda = lambda;
    settings.gain = {30, 1};
    settings.selection_temperature = 0.5;
    return settings;
}

TEST(StochasticApproximation, ThetaGoesToTheLogMasses) {
    for (const double lambda : {0.0, 0.3}) {
        const auto masses = region_log_masses(uneven, 0.8);
        const kernel::CategoricalSpace<Row> space(Row{});
        const auto thetas = thetas_of(space, converging(lambda), replicates);
        EXPECT_LT(greatest_z(thetas, limit_of_theta(masses, lambda)), largest_z) << lambda;
        // Wrong limits: the masses at another temperature, equal masses, other desired frequencies, a recursion of the
        // wrong sign, and (where it differs) a limit without the desired frequencies of empty regions.
        std::vector<std::vector<double>> wrong{
            limit_of_theta(region_log_masses(uneven, 0.85), lambda),
            limit_of_theta(masses, lambda == 0 ? 0.1 : 0),
        };
        std::vector<double> equal, negative;
        for (const double mass : masses) {
            equal.push_back(mass == log_zero ? log_zero : 0);
            negative.push_back(mass == log_zero ? log_zero : -mass);
        }
        wrong.push_back(limit_of_theta(equal, lambda));
        wrong.push_back(limit_of_theta(negative, lambda));
        if (lambda > 0)
            wrong.push_back(limit_of_theta(masses, lambda, false));
        for (std::size_t k = 0; k < wrong.size(); ++k)
            EXPECT_GT(greatest_z(thetas, wrong[k]), 2 * largest_z) << lambda << " " << k;
    }
}

TEST(StochasticApproximation, ThetaOfAContinuousSpaceGoesToTheLogMasses) {
    kernel::BoxOperationSettings operations;
    operations.first_scale = 0.6;
    const kernel::BoxSpace<Wells> space(Wells{}, operations);
    auto settings = converging(0);
    settings.partition = model::EnergyPartition({-0.6, 0, 0.7, 1.5, 3});
    for (const bool by_region : {false, true}) {
        settings.scale_by_region = by_region;
        const auto thetas = thetas_of(space, settings, replicates);
        const auto exact = limit_of_theta(region_log_masses_of_wells(*settings.partition, 0.8), 0);
        const auto warmer = limit_of_theta(region_log_masses_of_wells(*settings.partition, 0.85), 0);
        EXPECT_LT(greatest_z(thetas, exact), largest_z) << by_region;
        EXPECT_GT(greatest_z(thetas, warmer), 2 * largest_z) << by_region;
    }
}

/// The theta of each chain has the limit of the shared theta.
TEST(StochasticApproximation, OwnThetasGoToTheLogMassesToo) {
    auto settings = converging(0.3);
    settings.bias = SearchSettings::Bias::own;
    settings.chains = 3;
    kernel::CategoricalOperationSettings operations;
    operations.operations = {"single-site"};
    const auto thetas = thetas_of(kernel::CategoricalSpace<Row>(Row{}, operations), settings, replicates);
    EXPECT_LT(greatest_z(thetas, limit_of_theta(region_log_masses(uneven, 0.8), 0.3)), largest_z);
}

// ---- Small populations, in which a wrong choice of partners would show

/// 5 p-values, compared with 1e-6.
TEST(StochasticApproximation, SmallPopulationsKeepTheirDistribution) {
    for (const auto crossover : {Crossover::population, Crossover::single}) {
        auto settings = frozen(WellsCase{}.target, 4, 12, 0);
        settings.crossover = crossover;
        const auto box = wells({"k-point-crossover", "snooker", "linear", "differential", "metropolis"});
        EXPECT_GT(moved(Communicator::alone(), WellsCase{}, box, settings, 3000).smallest(), rejection_level);
        settings = frozen(RowCase{}.target, 3, 12, 0);
        settings.crossover = crossover;
        const auto row = rows({"two-point-crossover", "uniform-crossover", "single-site"});
        EXPECT_GT(moved(Communicator::alone(), RowCase{}, row, settings, 3000).smallest(), rejection_level);
    }
}

/// Theta adapts to the chains, and then their distribution is another one.
TEST(StochasticApproximation, AThetaThatMovesChangesTheDistribution) {
    auto settings = frozen(RowCase{}.target, 5001, 40, 0);
    settings.fixed_theta.clear();
    EXPECT_LT(moved(Communicator::alone(), RowCase{}, rows({"single-site"}), settings, 1).states, rejection_level);
}

// ---- Accounts

using CountedRow = Counted<Row, std::int32_t>;
using CountedWells = Counted<Wells, double>;

template <class Space>
void expect_exact_account(const Space& space, const std::int64_t& asked, const SearchSettings& settings) {
    const std::int64_t before = asked;
    auto engine = engine_of(space, settings);
    while (!engine.finished()) {
        engine.iterate();
        if (settings.sync_every == 1) {
            ASSERT_EQ(engine.evaluations(), asked - before);
        }
    }
    const auto outcome = engine.outcome();
    EXPECT_EQ(outcome.evaluations, asked - before);
    std::int64_t proposed = settings.chains; // the first states
    for (const auto& count : outcome.counts) {
        EXPECT_LE(count.accepted, count.proposed);
        EXPECT_GT(count.accepted, 0);
        proposed += count.proposed;
    }
    EXPECT_EQ(outcome.evaluations, proposed);
    EXPECT_LE(outcome.best_evaluations, outcome.evaluations);
    EXPECT_EQ(outcome.curve.evaluations().back(), outcome.evaluations);
    const auto& visits = outcome.visits;
    EXPECT_EQ(std::accumulate(visits.begin(), visits.end(), std::int64_t{0}), settings.chains * settings.iterations);
}

TEST(StochasticApproximation, ReportsAsManyEnergiesAsItAskedFor) {
    const CountedRow row;
    const kernel::CategoricalSpace<CountedRow> space(row, {.operations = kernel::CategoricalOperations::names()});
    auto settings = frozen(RowCase{}.target, 5, 400, 3);
    expect_exact_account(space, *row.count, settings);
    settings.crossover = Crossover::single;
    expect_exact_account(space, *row.count, settings);
    settings.sync_every = 6;
    expect_exact_account(space, *row.count, settings);
    settings.partition.reset();
    settings.fixed_theta.clear();
    settings.range_iterations = 50;
    expect_exact_account(space, *row.count, settings);

    const CountedWells counted;
    kernel::BoxOperationSettings operations;
    operations.operations = {"metropolis", "hit-and-run", "k-point"};
    settings = frozen(WellsCase{}.target, 5, 400, 3);
    expect_exact_account(kernel::BoxSpace<CountedWells>(counted, operations), *counted.count, settings);
    // Chains that fill one vector are all asked for in a crossover; of more, those that take part.
    operations.operations = kernel::BoxOperations::names();
    settings.chains = 40;
    expect_exact_account(kernel::BoxSpace<CountedWells>(counted, operations), *counted.count, settings);
}

/// The best find agrees with a look at every iteration.
TEST(StochasticApproximation, RemembersTheBest) {
    auto settings = frozen(WellsCase{}.target, 6, 300, 5);
    auto engine = engine_of(wells(kernel::BoxOperations::names()), settings);
    double best = std::numeric_limits<double>::infinity();
    Index iteration = -1;
    std::int64_t evaluations = 0;
    for (Index t = 0;; engine.iterate(), ++t) {
        for (const double energy : engine.energies())
            if (energy < best) {
                best = energy;
                iteration = t;
                evaluations = engine.evaluations();
            }
        if (engine.finished())
            break;
    }
    const auto outcome = engine.outcome();
    EXPECT_EQ(outcome.best.energy, best);
    EXPECT_EQ(outcome.best.iteration, iteration);
    EXPECT_EQ(outcome.best_evaluations, evaluations);
    EXPECT_EQ(outcome.curve.best().back(), best);
    EXPECT_EQ(*std::min_element(outcome.region_best.begin(), outcome.region_best.end()), best);
    std::array<double, 2> x{};
    std::memcpy(x.data(), outcome.best.state.data(), sizeof x);
    EXPECT_EQ(Wells{}.energy(x), best);
}

} // namespace
} // namespace pearlite::algorithm
