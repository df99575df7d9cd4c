// The members of the family against a plain loop.
#include "algorithm/search_cases.hpp"

#include "core/log_space.hpp"

#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using Bias = SearchSettings::Bias;
using Kind = TemperatureLadder::Kind;
using parallel::Communicator;

template <class Space>
SearchOutcome outcome_of(const Space& space, const SearchSettings& settings) {
    auto engine = begun(Communicator::alone(), model::space_of(space), settings);
    return finish_search(engine).outcome();
}

// ---- The loop in plain sight, of searches whose one operation is a mutation

struct PlainSearch {
    SearchSettings settings;
    std::vector<double> desired;
    std::vector<std::vector<double>> theta, seen; ///< one, or one a chain; as the chains know it
    std::vector<std::vector<bool>> in_use;
    std::vector<double> energies;
    std::vector<std::int64_t> visits;
    double best = std::numeric_limits<double>::infinity(), best_seen = best;
    std::int64_t outside = 0, accepted = 0;

    explicit PlainSearch(const SearchSettings& all) : settings(all) {}

    std::size_t region(double energy) const { return static_cast<std::size_t>(settings.partition->region(energy)); }
    std::size_t owner(std::size_t chain) const { return theta.size() == 1 ? 0 : chain; }
    double log_f(std::size_t chain, double energy, double tau) const {
        return -energy / tau - (theta.empty() ? 0 : seen[owner(chain)][region(energy)]);
    }
    bool is_inside(double energy, double lowest) const {
        return !settings.aleph || region(energy) <= region(lowest + *settings.aleph);
    }

    template <class Space>
    void run(const Space& space) {
        const auto kappa = static_cast<std::size_t>(settings.chains);
        const Index m = settings.partition->regions();
        desired = model::desired_probabilities(m, settings.lambda);
        visits.assign(desired.size(), 0);
        theta.assign(settings.bias == Bias::none     ? 0
                     : settings.bias == Bias::shared ? 1
                                                     : kappa,
                     std::vector<double>(desired.size()));
        in_use.assign(theta.size(), std::vector<bool>(desired.size()));
        auto chains = space.make_chains(settings.chains);
        space.draw_start(chains, {settings.seed, 0, 0, 0, 0});
        energies.resize(static_cast<std::size_t>(chains.padded_size()));
        space.evaluate(chains, energies);
        model::Proposals proposals{energies, energies};
        for (std::size_t i = 0; i < kappa; ++i) {
            best = std::min(best, energies[i]);
            use(i, energies[i]);
        }
        seen = theta;
        best_seen = best;
        for (Index t = 1; t <= settings.iterations; ++t) {
            const auto step = static_cast<std::uint32_t>(t);
            space.mutate(chains, 0, {space.operations()[0].first_scale, nullptr}, energies,
                         {settings.seed, step, 0, 0, 0}, proposals);
            std::vector<std::uint8_t> takes(energies.size(), 0);
            for (std::size_t i = 0; i < kappa; ++i)
                takes[i] = takes_proposal(i, proposals, step, space.operations()[0].heat_bath) ? 1 : 0;
            space.accept(chains, takes);
            for (std::size_t i = 0; i < kappa; ++i)
                move(i, proposals.energies[i], takes[i] != 0);
            learn(t);
            if (t % settings.sync_every == 0) {
                seen = theta;
                best_seen = best;
            }
        }
    }
    void use(std::size_t chain, double energy) {
        if (!theta.empty())
            in_use[owner(chain)][region(energy)] = true;
    }
    bool takes_proposal(std::size_t i, const model::Proposals& proposals, std::uint32_t step, bool heat_bath) const {
        const double tau = settings.temperature(step), to = proposals.energies[i];
        if (to == std::numeric_limits<double>::infinity() || !is_inside(to, best_seen))
            return false;
        if (!is_inside(energies[i], best_seen))
            return true;
        const double u = std::exp(-random::Stream({settings.seed, random::Purpose::accept, i, step}).exponential());
        const double ratio = std::exp(log_f(i, to, tau) - log_f(i, energies[i], tau) + proposals.log_ratios[i]);
        return u < (heat_bath ? ratio / (1 + ratio) : ratio);
    }
    void move(std::size_t i, double proposed, bool takes) {
        if (proposed < std::numeric_limits<double>::infinity())
            use(i, proposed);
        if (takes) {
            energies[i] = proposed;
            best = std::min(best, proposed);
            ++accepted;
        }
        outside += is_inside(energies[i], best) ? 0 : 1;
    }
    void learn(Index t) {
        const auto kappa = static_cast<std::size_t>(settings.chains);
        for (std::size_t b = 0; b < theta.size(); ++b) {
            std::vector<double> frequencies(desired.size());
            for (std::size_t i = 0; i < kappa; ++i)
                if (owner(i) == b)
                    frequencies[region(energies[i])] += static_cast<double>(theta.size()) / static_cast<double>(kappa);
            for (std::size_t j = 0; j < desired.size(); ++j)
                if (in_use[b][j])
                    theta[b][j] += settings.gain(t) * (frequencies[j] - desired[j]);
        }
        for (std::size_t i = 0; i < (theta.size() > 1 ? 1 : kappa); ++i)
            ++visits[region(energies[i])];
    }
    std::vector<double> normalised() const {
        auto values = theta.front();
        for (std::size_t j = 0; j < values.size(); ++j)
            if (!in_use.front()[j])
                values[j] = log_zero;
        const double total = log_sum_exp(values);
        for (double& value : values)
            value -= total;
        return values;
    }
};

template <class Space>
void expect_plain_search(const Space& space, const SearchSettings& settings, const std::string& name) {
    PlainSearch plain(settings);
    plain.run(space);
    const auto outcome = outcome_of(space, settings);
    const auto kappa = static_cast<std::size_t>(settings.chains);
    plain.energies.resize(kappa);
    EXPECT_EQ(outcome.final_energies, plain.energies) << name;
    EXPECT_EQ(outcome.best.energy, plain.best) << name;
    EXPECT_EQ(outcome.outside, plain.outside) << name;
    EXPECT_EQ(outcome.counts[0].accepted, plain.accepted) << name;
    EXPECT_EQ(outcome.evaluations, settings.chains * (settings.iterations + 1)) << name;
    EXPECT_EQ(outcome.truncations, 0) << name;
    EXPECT_EQ(outcome.theta.empty(), settings.bias == Bias::none) << name;
    const double tau = settings.temperature(settings.iterations);
    for (std::size_t i = 0; i < kappa; ++i) {
        const double energy = plain.energies[i];
        const double theta = plain.theta.empty() ? 0 : plain.theta[plain.owner(i)][plain.region(energy)];
        EXPECT_NEAR(outcome.final_log_weights[i], theta + energy / tau - energy, 1e-9) << name;
    }
    if (settings.bias == Bias::none)
        return;
    const auto expected = plain.normalised();
    for (std::size_t j = 0; j < expected.size(); ++j)
        EXPECT_TRUE(outcome.theta[j] == expected[j] || std::abs(outcome.theta[j] - expected[j]) < 1e-9)
            << name << " " << j << " " << outcome.theta[j] << " " << expected[j];
    EXPECT_EQ(outcome.visits, plain.visits) << name;
}

SearchSettings family(Bias bias, Index chains, std::optional<double> aleph = {}) {
    SearchSettings settings;
    settings.chains = chains;
    settings.iterations = 700;
    settings.seed = 11;
    settings.bias = bias;
    settings.aleph = aleph;
    settings.temperature = {aleph ? Kind::constant : Kind::square_root, 2, 0.3, 20};
    settings.gain = {50, 0.6};
    settings.partition = model::EnergyPartition({-2.2, -1.5, -0.8, -0.5, 0.1, 0.3, 0.9, 1.7, 2.5, 5});
    return settings;
}

template <class Space>
void expect_plain_family(const Space& space) {
    expect_plain_search(space, family(Bias::none, 1), "sa");
    expect_plain_search(space, family(Bias::none, 5), "vfsa");
    expect_plain_search(space, family(Bias::shared, 1), "saa");
    expect_plain_search(space, family(Bias::own, 4), "psaa");
    expect_plain_search(space, family(Bias::shared, 5), "pisaa");
    expect_plain_search(space, family(Bias::shared, 1, 1.4), "asamc");
    expect_plain_search(space, family(Bias::shared, 5, 1.4), "aesamc");
    auto settings = family(Bias::shared, 5, 1.4);
    settings.sync_every = 4;
    expect_plain_search(space, settings, "rare collectives");
    settings = family(Bias::none, 3);
    settings.temperature = {Kind::geometric, 3, 0.2, 600};
    expect_plain_search(space, settings, "geometric");
}

TEST(SearchFamily, IsThePlainLoop) {
    for (const std::string name : {"metropolis", "hit-and-run", "k-point"}) {
        kernel::BoxOperationSettings operations;
        operations.operations = {name};
        operations.first_scale = 0.7;
        expect_plain_family(kernel::BoxSpace<Wells>(Wells{}, operations));
    }
    for (const std::string name : {"single-site", "k-site"})
        expect_plain_family(kernel::CategoricalSpace<Row>(Row{}, {.operations = {name}}));
}

/// The result of the plain loop depends on its settings: another gain, another pi, another ladder.
TEST(SearchFamily, TheLoopDependsOnItsSettings) {
    const kernel::CategoricalSpace<Row> space(Row{}, {.operations = {"single-site"}});
    const auto theta = outcome_of(space, family(Bias::shared, 5)).theta;
    auto settings = family(Bias::shared, 5);
    settings.gain.beta = 0.7;
    EXPECT_NE(outcome_of(space, settings).theta, theta);
    settings = family(Bias::shared, 5);
    settings.lambda = 0.2;
    EXPECT_NE(outcome_of(space, settings).theta, theta);
    settings = family(Bias::shared, 5);
    settings.temperature.high = 1.9;
    EXPECT_NE(outcome_of(space, settings).theta, theta);
}

TEST(SearchFamily, ChainsWithThetasOfTheirOwnDoNotKnowEachOther) {
    const kernel::CategoricalSpace<Row> space(Row{}, {.operations = {"single-site", "k-site"}});
    const auto alone = outcome_of(space, family(Bias::shared, 1)), few = outcome_of(space, family(Bias::own, 3)),
               many = outcome_of(space, family(Bias::own, 8)), shared = outcome_of(space, family(Bias::shared, 3));
    EXPECT_EQ(few.theta, alone.theta);
    EXPECT_EQ(few.visits, alone.visits);
    EXPECT_EQ(many.theta, alone.theta);
    EXPECT_NE(shared.theta, alone.theta);
    for (std::size_t i = 0; i < 3; ++i)
        EXPECT_EQ(few.final_energies[i], many.final_energies[i]);
}

TEST(SearchFamily, OneChainDoesNotCross) {
    const kernel::BoxSpace<Wells> space(Wells{});
    for (const auto crossover : {SearchSettings::Crossover::population, SearchSettings::Crossover::single}) {
        auto settings = family(Bias::shared, 1);
        settings.crossover = crossover;
        const auto outcome = outcome_of(space, settings);
        std::int64_t proposed = 0;
        for (std::size_t k = 0; k < outcome.counts.size(); ++k) {
            const bool is_mutation = space.operations()[k].kind == model::Operation::Kind::mutation;
            EXPECT_EQ(outcome.counts[k].proposed > 0, is_mutation) << outcome.operations[k];
            proposed += outcome.counts[k].proposed;
        }
        EXPECT_EQ(proposed, settings.iterations);
    }
}

} // namespace
} // namespace pearlite::algorithm
