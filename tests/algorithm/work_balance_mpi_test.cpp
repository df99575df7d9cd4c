// Blocks that move to other ranks between steps give the same bits as blocks that stay.
#include "algorithm/same_everywhere.hpp"
#include "models/gaussian/noisy_likelihood.hpp"
#include "pearlite/random/stream.hpp"

#include <algorithm>
#include <numeric>

namespace pearlite::algorithm {
namespace {

using namespace testing;
using models::NoisyLikelihood;

/// SMC that deals its blocks to random ranks before every step.
class Shuffled {
  public:
    Shuffled(const Communicator& ranks, Smc sampler) : sampler_(std::move(sampler)), ranks_(ranks) {}

    void begin() { sampler_.begin(); }
    bool finished() const { return sampler_.finished(); }
    void flush() { sampler_.flush(); }
    void fields(Fields& f) { sampler_.fields(f); }
    Outcome outcome() const { return sampler_.outcome(); }
    void step() {
        random::Stream stream({99, random::Purpose::test, 0, ++n_steps_});
        const auto blocks = sampler_.population().generation(0).layout().blocks();
        std::vector<Index> first_blocks{0, blocks};
        for (int rank = 1; rank < ranks_.size(); ++rank)
            first_blocks.push_back(static_cast<Index>(stream.index(static_cast<std::uint64_t>(blocks) + 1)));
        std::sort(first_blocks.begin(), first_blocks.end());
        sampler_.deal(first_blocks);
        sampler_.step();
    }

  private:
    Smc sampler_;
    Communicator ranks_;
    std::uint32_t n_steps_ = 0;
};

NoisyLikelihood noisy() {
    return NoisyLikelihood({.data = (Vector(2) << 0.5, -1).finished(), .noise_variance = 1.5});
}

/// The same with a cost: an estimate takes exp(2 theta_1) times `seconds`, and the density states that cost or not.
struct Dear : NoisyLikelihood {
    explicit Dear(double seconds_of_unit = 2e-6) : NoisyLikelihood(noisy()), seconds(seconds_of_unit) {}
    void estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                  std::span<double> log_likelihood) const {
        NoisyLikelihood::estimate(points, streams, log_prior, log_likelihood);
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const double end = parallel::work_seconds() + seconds * cost({points.col(static_cast<Index>(i)).data(), 2});
            while (parallel::work_seconds() < end) {
            }
        }
    }
    double cost(std::span<const double> x) const { return std::exp(std::min(2 * x[0], 4.0)); }

    double seconds;
};
struct SilentlyDear : Dear {
    double cost() const = delete;
};

template <class D>
Smc smc(const Communicator& ranks, const D& density, Index particles, Index block) {
    return smc_of(ranks, path_of(density), path::AdaptiveSchedule{1, 0.8}, 2, {particles, block, 6},
                  {population::Resampling::systematic, 0.9});
}

template <class Make>
void expect_no_difference(const Make& make) {
    const auto world = Communicator::world(), alone = Communicator::alone();
    auto here = make(alone);
    here.begin();
    const auto expected = result_of(alone, here);
    Shuffled shuffled(world, make(world));
    shuffled.begin();
    const auto result = result_of(world, shuffled);
    EXPECT_EQ(difference(result.first, expected.first), "");
    if (world.is_root()) {
        EXPECT_EQ(result.second, expected.second);
    }
}

TEST(WorkBalanceMpi, BlocksMayChangeHandsAtEveryStep) {
    for (const Index block : {1, 4, 64})
        expect_no_difference([=](const Communicator& ranks) { return smc(ranks, noisy(), 115, block); });
}

TEST(WorkBalanceMpi, AlsoBetweenSavingAndResuming) {
    for (const Index block : {4, 64})
        expect_same_everywhere(
            [=](const Communicator& ranks) { return Shuffled(ranks, smc(ranks, noisy(), 115, block)); }, 2);
}

TEST(WorkBalanceMpi, SamplersThatDealByCost) {
    expect_same_everywhere([](const Communicator& ranks) { return smc(ranks, Dear{}, 250, 4); }, 2);
    expect_same_everywhere([](const Communicator& ranks) { return smc(ranks, SilentlyDear{Dear{}}, 250, 4); }, 2);
}

/// The cost() of the particles after each step, summed over the blocks that each rank owns and over equal numbers of
/// blocks. (Measured times would give the same shares on an idle machine.)
struct Shares {
    double mean = 0, busiest = 0, busiest_of_equal_runs = 0;
    Index deals = 0;
};

/// Small moves, so that expensive particles stay expensive.
template <class D>
Shares shares_of(const Communicator& ranks, const D& density, bool balance) {
    const auto path = path_of(density);
    Smc sampler(ranks, path, path::linear_schedule(12, 1),
                kernel::RandomWalk::constant(path, 1, 0.1 * Matrix::Identity(2, 2)), {160, 2, 6},
                {population::Resampling::systematic, 0.1, balance});
    sampler.begin();
    Shares shares;
    while (!sampler.finished()) {
        sampler.step();
        const auto& particles = sampler.population().generation(0);
        std::vector<double> local(static_cast<std::size_t>(particles.local_blocks()), 0.0);
        for (std::size_t b = 0; b < local.size(); ++b)
            for (Index i = 0; i < 2; ++i)
                local[b] += density.Dear::cost(
                    {path::points_of(particles.block(static_cast<Index>(b))).points.col(i).data(), 2});
        const auto costs = ranks.all_gather(std::span<const double>(local));
        shares.mean += std::accumulate(costs.begin(), costs.end(), 0.0) / ranks.size();
        shares.busiest += population::work_of_busiest_rank(particles.layout(), costs);
        shares.busiest_of_equal_runs += population::work_of_busiest_rank(particles.layout().with_equal_runs(), costs);
    }
    shares.deals = sampler.progress().work->deals;
    return shares;
}

TEST(WorkBalanceMpi, DealsHappenAndPay) {
    const auto world = Communicator::world();
    const auto expect_gain = [&](const auto& density) {
        const auto without = shares_of(world, density, false), with = shares_of(world, density, true);
        EXPECT_EQ(without.deals, 0);
        EXPECT_EQ(without.busiest, without.busiest_of_equal_runs);
        EXPECT_EQ(without.mean, with.mean);
        EXPECT_EQ(with.deals > 0, world.size() > 1);
        if (world.size() > 1) {
            EXPECT_GT(with.busiest_of_equal_runs, 1.05 * with.mean);
            EXPECT_LT(with.busiest - with.mean, 0.8 * (with.busiest_of_equal_runs - with.mean));
        }
    };
    expect_gain(Dear{2e-5});
    expect_gain(SilentlyDear{Dear{2e-5}});
}

} // namespace
} // namespace pearlite::algorithm
