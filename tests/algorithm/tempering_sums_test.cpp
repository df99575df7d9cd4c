#include "algorithm/parallel_tempering/tempering_sums.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

/// Two states at each of two temperatures, three scans; the second state's ratios span more than a double's range.
TemperingSums three_scans() {
    const std::vector<std::vector<double>> ratios{{-1, -800}, {2, 900}, {0.5, 898}};
    auto sums = TemperingSums::of_states(4);
    for (std::size_t scan = 0; scan < 3; ++scan) {
        const double u = static_cast<double>(scan + 1);
        const bool is_first = scan == 0, is_in_first_half = scan < 2;
        sums.add(0, std::vector<double>{u, -u}, ratios[scan], {is_first, is_in_first_half});
        sums.add(2, std::vector<double>{10 * u, 0}, std::vector<double>{0, 0}, {is_first, is_in_first_half});
    }
    sums.swaps = {1.5, 0.5, 0, 0};
    return sums;
}

TEST(TemperingSums, MomentsAreThoseOfTheScans) {
    const auto sums = three_scans();
    EXPECT_EQ(sums.u, (std::vector<double>{6, -6, 60, 0}));
    EXPECT_EQ(sums.u_first_half, (std::vector<double>{3, -3, 30, 0}));
    EXPECT_EQ(sums.u_square, (std::vector<double>{14, 14, 1400, 0}));
}

TEST(TemperingSums, ExponentialsOfAnySizeAreSummed) {
    const auto sums = three_scans();
    const auto log_sum = [&](std::size_t i) { return sums.ratio_shift[i] + std::log(sums.ratio[i]); };
    EXPECT_NEAR(log_sum(0), std::log(std::exp(-1) + std::exp(2) + std::exp(0.5)), 1e-14);
    EXPECT_NEAR(log_sum(1), 900 + std::log1p(std::exp(-2)), 1e-12);
    EXPECT_NEAR(log_sum(2), std::log(3), 1e-15);
}

TEST(TemperingSums, TheTraceHasMeansOfTheStatesAtEachTemperature) {
    const auto trace = tempering_trace(parallel::Communicator::alone(), three_scans(),
                                       parallel::BlockLayout(4, 2, 1, 0), path::Schedule({0, 0.5}), 1, 4);
    EXPECT_EQ(trace.inverse_temperature, (std::vector<double>{0, 0.5}));
    EXPECT_EQ(trace.mean_u, (std::vector<double>{0, 10}));
    EXPECT_NEAR(trace.variance_u[0], 28.0 / 6, 1e-14);
    EXPECT_NEAR(trace.variance_u[1], 1400.0 / 6 - 100, 1e-12);
    EXPECT_EQ(trace.log_ratio, (std::vector<double>{0, 0.5 * 0.5 * 10}));
    EXPECT_EQ(trace.ess, (std::vector<double>{6, 6}));
}

TEST(TemperingSums, TurnsAreCounted) {
    EXPECT_EQ(due_scans(0, 0, 10), 5);
    EXPECT_EQ(due_scans(1, 0, 10), 5);
    EXPECT_EQ(due_scans(0, 0, 1), 0);
    EXPECT_EQ(due_scans(1, 0, 1), 1);
    EXPECT_EQ(due_scans(3, 4, 9), 3);
    EXPECT_EQ(due_scans(2, 4, 9), 2);
}

TEST(TemperingSums, ReplicasRememberWhereTheyWere) {
    std::int64_t tag = ReplicaTag::nowhere;
    tag = ReplicaTag::visit_end(ReplicaTag::visit_end(tag)); // from where it began
    EXPECT_EQ(ReplicaTag::passages(tag), 0);
    for (int passage = 1; passage <= 3; ++passage) {
        tag = ReplicaTag::visit_start(ReplicaTag::visit_start(tag));
        EXPECT_EQ(ReplicaTag::passages(tag), passage - 1);
        tag = ReplicaTag::visit_end(ReplicaTag::visit_end(tag));
        EXPECT_EQ(ReplicaTag::passages(tag), passage);
    }
}

} // namespace
} // namespace pearlite::algorithm
