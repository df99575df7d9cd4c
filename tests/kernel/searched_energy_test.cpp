#include "pearlite/kernel/detail/searched_energy.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace pearlite::kernel {
namespace {

struct Uneven {
    static constexpr std::array<double, 3> low{-2, -1.5, -1}, high{2.5, 2, 3};

    Index dimension() const { return 3; }
    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    double energy(std::span<const double> x) const {
        return 0.5 * x[0] * x[0] + 0.6 * x[0] * x[1] + 0.5 * std::sin(2 * x[0] + x[2]) + std::pow(x[2] - x[1], 4);
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("uneven"); }
};

/// Has every optional member that BoxFunctions forwards. A constant marks energies that were computed in lanes.
struct Equipped : Uneven {
    static constexpr std::array<double, 3> start_low{-1, 0, 1}, start_high{-0.5, 0.5, 1.5};

    std::span<const double> start_lower() const { return start_low; }
    std::span<const double> start_upper() const { return start_high; }
    void energies(const model::LaneMatrix& points, std::span<double> out) const {
        for (Index i = 0; i < points.cols(); ++i)
            out[static_cast<std::size_t>(i)] = 7 + std::abs(points(0, i)) + points(1, i) * points(2, i);
    }
    void gradient(std::span<const double> x, std::span<double> gradient) const {
        gradient[0] = x[0] + 0.6 * x[1] + std::cos(2 * x[0] + x[2]);
        gradient[1] = 0.6 * x[0] - 4 * std::pow(x[2] - x[1], 3);
        gradient[2] = 0.5 * std::cos(2 * x[0] + x[2]) + 4 * std::pow(x[2] - x[1], 3);
    }
    double energy_with_gradient(std::span<const double> x, std::span<double> slope) const {
        gradient(x, slope);
        return energy(x) + 1e-14;
    }
    bool is_periodic() const { return true; }
    std::optional<double> known_minimum() const { return -1.25; }
    std::vector<double> log_region_masses(std::span<const double> points, double temperature) const {
        return std::vector<double>(points.size() + 1, -temperature);
    }
};

/// The energies of 11 chains at their start and after the moves of a plan, and their states.
std::vector<double> course(const model::BuiltModel& searched, const model::OperationPlan& plan) {
    const auto space = searched.space(plan);
    const auto chains = space->make_chains(11);
    const auto size = static_cast<std::size_t>(chains->padded_size());
    std::vector<double> energies(size), course;
    model::Proposals proposals{std::vector<double>(size), std::vector<double>(size)};
    const std::vector<std::uint8_t> all(size, 1);
    space->draw_start(*chains, {.seed = 3});
    space->evaluate(*chains, energies);
    for (std::uint32_t step = 1; step <= 12; ++step) {
        for (Index i = 0; i < chains->size(); ++i)
            course.push_back(energies[static_cast<std::size_t>(i)]);
        const auto op = static_cast<Index>(step) % static_cast<Index>(plan.operations.size());
        space->mutate(*chains, op, {0.3}, energies, {.seed = 3, .step = step}, proposals);
        space->accept(*chains, all);
        energies = proposals.energies;
    }
    for (Index i = 0; i < chains->size(); ++i) {
        std::array<double, 3> x{};
        chains->pack(i, std::as_writable_bytes(std::span(x)));
        course.insert(course.end(), x.begin(), x.end());
    }
    return course;
}

template <class E>
void expect_the_same_both_ways() {
    const auto own = searched_box(E{});
    const auto any = searched(std::make_shared<const BoxFunctionsOf<E>>(E{}));
    for (const auto& [descent, hops] : {std::pair{0, false}, std::pair{3, false}, std::pair{3, true}}) {
        const model::OperationPlan plan{.operations = {"metropolis", "k-point", "hit-and-run"},
                                        .mutation_points = 2,
                                        .crossover_points = 2,
                                        .first_scale = 0.1,
                                        .descent_iterations = descent,
                                        .basin_hopping = hops};
        EXPECT_EQ(course(*own, plan), course(*any, plan)) << descent << hops;
    }
    const auto own_space = own->space({{"metropolis"}}), any_space = any->space({{"metropolis"}});
    EXPECT_EQ(own_space->known_minimum(), any_space->known_minimum());
    if constexpr (model::HasRegionMasses<E>) {
        const std::vector<double> points{1, 2}, masses{-2.5, -2.5, -2.5};
        for (const auto& space : {own_space, any_space}) {
            const auto* regions = space->template offers<model::RegionMasses>();
            ASSERT_NE(regions, nullptr);
            EXPECT_EQ(regions->log_region_masses(points, 2.5), masses);
        }
        const auto descending = own->space({.operations = {"metropolis"}, .descent_iterations = 3});
        EXPECT_TRUE(descending->template offers<model::RegionMasses>()->log_region_masses(points, 1).empty());
    }
    const auto *own_descent = own_space->template offers<model::Descent>(),
               *any_descent = any_space->template offers<model::Descent>();
    ASSERT_TRUE(own_descent != nullptr && any_descent != nullptr);
    EXPECT_EQ(own_descent->has_gradient(), any_descent->has_gradient());
    EXPECT_EQ(own_descent->has_energy_with_gradient(), any_descent->has_energy_with_gradient());
    EXPECT_EQ(own_descent->is_periodic(), any_descent->is_periodic());
    const std::vector<double> start{0.3, -0.2, 0.9};
    EXPECT_EQ(descend(*own_descent, start).x, descend(*any_descent, start).x);
    EXPECT_NE(any_space->template offers<model::PointStates>(), nullptr);
}

TEST(SearchedEnergy, BehindVirtualCallsABoxIsSearchedAsInASpaceOfItsOwn) {
    expect_the_same_both_ways<Uneven>();
    expect_the_same_both_ways<Equipped>();
}

struct Upright : Uneven {
    std::span<const double> upper() const { return low; }
};

TEST(SearchedEnergy, ABoxMustHaveAnInside) {
    EXPECT_THROW(searched_box(Upright{}), InputError);
    EXPECT_THROW(searched(std::make_shared<const BoxFunctionsOf<Upright>>(Upright{})), InputError);
}

struct Endless : Uneven {
    static constexpr double infinity = std::numeric_limits<double>::infinity();
    static constexpr std::array<double, 3> low{-infinity, -1, -1}, high{1, 1, 1};
    bool goes_round = true;

    std::span<const double> lower() const { return low; }
    std::span<const double> upper() const { return high; }
    bool is_periodic() const { return goes_round; }
};

TEST(SearchedEnergy, APeriodicBoxMustBeFinite) {
    EXPECT_THROW(searched_box(Endless{}), InputError);
    EXPECT_NO_THROW(searched_box(Endless{{}, false}));
}

} // namespace
} // namespace pearlite::kernel
