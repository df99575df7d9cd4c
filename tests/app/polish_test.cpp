#include "app/result/parts/search/search.hpp"

#include "models/image/image_space.hpp"
#include "models/network/network_space.hpp"
#include "models/protein/ab_protein.hpp"
#include "pearlite/kernel/box_space.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

using models::AbProtein;
using Energy = models::AbProteinSettings::Energy;
using Angles = models::AbProteinSettings::Angles;

/// A conformation near the lowest one known of the 13-mer, rounded.
struct NearNative {
    Energy energy;
    Angles angles;
    double published;
    std::vector<double> x;
};
const std::vector<NearNative> near_natives = {
    {Energy::planar,
     Angles::internal,
     -3.2941,
     {-1.49, -1.50, 0.87, -1.48, -1.52, 1.47, -1.95, 1.45, -1.52, -1.48, 1.04}},
    {Energy::irback, Angles::internal, -26.5066, {2.00,  -2.01, 1.99, -1.99, 2.01,  -1.97, 1.99,
                                                  -1.98, 2.00,  2.01, 1.97,  -1.77, -0.28, -0.77,
                                                  1.81,  0.31,  0.64, -0.69, 0.83,  1.35,  2.79}},
    {Energy::azimuth, Angles::directions, -6.9961, {0.13,  -1.46, 0.23,  0.01, 0.51, -0.84, 0.05,
                                                    -0.54, -0.55, -0.81, 0.00, 0.16, -0.52, -2.03,
                                                    2.80,  0.02,  2.26,  0.43, 1.98, -2.82, 1.72}},
};

AbProtein protein_of(const NearNative& native) {
    return AbProtein({models::fibonacci_sequence(13), native.energy, native.angles});
}

algorithm::SearchOutcome outcome_at(const AbProtein& protein, const std::vector<double>& x) {
    algorithm::SearchOutcome outcome;
    outcome.best.energy = protein.energy(x);
    outcome.best.state.resize(x.size() * sizeof(double));
    std::memcpy(outcome.best.state.data(), x.data(), outcome.best.state.size());
    return outcome;
}

TEST(Polish, ReachesThePublishedMinimaOfProteins) {
    for (const auto& native : near_natives) {
        const auto protein = protein_of(native);
        const auto minimum = kernel::descend(protein, native.x);
        EXPECT_NEAR(minimum.energy, native.published, 6e-5);
        EXPECT_NEAR(minimum.energy, protein.known_minimum().value(), 6e-7);
        EXPECT_GT(protein.energy(native.x), minimum.energy + 1e-4); // there was something to do
    }
}

TEST(Polish, EachReplicateDescendsFromItsOwnState) {
    const auto& native = near_natives.front();
    const auto protein = protein_of(native);
    const auto space = model::space_of(kernel::BoxSpace<AbProtein>(protein));
    auto other = native.x;
    other[5] = -1.47;
    const std::vector<algorithm::SearchOutcome> outcomes{outcome_at(protein, other), {}, outcome_at(protein, native.x)};
    const auto result = polish(parallel::Communicator::alone(), *space, outcomes, 3);
    ASSERT_EQ(result.replicates.size(), 3U);
    EXPECT_EQ(result.best_replicate, 2U);
    for (const std::size_t r : {0U, 2U}) {
        const auto alone = kernel::descend(protein, r == 0 ? other : native.x);
        EXPECT_EQ(result.replicates[r].energy, alone.energy);
        EXPECT_EQ(result.replicates[r].point, alone.x);
        EXPECT_EQ(result.replicates[r].energies, alone.energies);
        EXPECT_EQ(result.replicates[r].gradients, alone.gradients);
        EXPECT_LT(alone.energy, outcomes[r].best.energy);
    }
    EXPECT_GT(result.replicates[0].energy, result.replicates[2].energy + 1e-3);
    // The one that found nothing.
    EXPECT_EQ(result.replicates[1].energy, std::numeric_limits<double>::infinity());
    EXPECT_EQ(result.replicates[1].energies, 0);
    EXPECT_EQ(result.best.values, result.replicates[2].point);
    ASSERT_TRUE(result.best.positions);
    EXPECT_EQ(result.best.positions->rows(), 13);
}

/// A bowl whose gradient has one wrong component, or none.
struct Bowl {
    explicit Bowl(double factor) : factor_(factor) {}
    static constexpr std::array<double, 2> low{-1, -1}, high{1, 1};
    Index dimension() const { return 2; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    double energy(std::span<const double> x) const { return x[0] * x[0] + 2 * x[1] * x[1]; }
    void gradient(std::span<const double> x, std::span<double> g) const { g[0] = 2 * x[0], g[1] = factor_ * x[1]; }
    void fingerprint(model::Fingerprint&) const {}
    double factor_;
};

TEST(Polish, WrongGradientsAreNoticed) {
    const std::vector<double> x{0.5, -0.25};
    EXPECT_LT(gradient_error(model::DescentOf(Bowl(4)), x), 1e-8);
    EXPECT_NEAR(gradient_error(model::DescentOf(Bowl(-4)), x), 2, 1e-6);
    EXPECT_NEAR(gradient_error(model::DescentOf(Bowl(4.04)), x), 0.01, 1e-4);
    // On the border and at the minimum differences are good enough.
    EXPECT_LT(gradient_error(model::DescentOf(Bowl(4)), std::vector<double>{1, -1}), 1e-4);
    EXPECT_LT(gradient_error(model::DescentOf(Bowl(4)), std::vector<double>{0, 0}), 1e-4);
    for (const auto& native : near_natives)
        EXPECT_LT(gradient_error(model::DescentOf(protein_of(native)), native.x), 1e-6);
}

TEST(Polish, IsForBoxesAlone) {
    models::ImageRestorationSettings image;
    image.rows = image.columns = 2;
    image.observed = {0, 1, 1, 0};
    Matrix table(2, 3);
    table << 0, 1, 1, 1, 0, 0;
    const models::BayesianNetwork network(models::discrete_table(table), {});
    EXPECT_TRUE(can_polish(*model::space_of(kernel::BoxSpace<AbProtein>(protein_of(near_natives.front())))));
    EXPECT_FALSE(can_polish(*model::space_of(models::ImageSpace(models::ImageRestoration(image)))));
    EXPECT_FALSE(can_polish(*model::space_of(models::NetworkSpace(network))));
}

} // namespace
} // namespace pearlite::app
