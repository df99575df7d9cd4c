/// MBAR against free energies that are known, and against a plain solution of its equations.

#include "estimator/mbar/mbar.hpp"

#include "estimator/oscillators.hpp"
#include "pearlite/core/error.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::estimator {
namespace {

using testing::five_oscillators;
using ::testing::HasSubstr;
using testing::Oscillators;

/// The equations' own iteration, in plain loops.
Vector iterated(const ReducedPotentials& data) {
    const Index k = data.states(), n = data.here.cols();
    Vector f = Vector::Zero(k);
    for (int iteration = 0; iteration < 20000; ++iteration) {
        Vector next(k);
        for (Index i = 0; i < k; ++i) {
            double sum = 0;
            for (Index s = 0; s < n; ++s) {
                double mixture = 0;
                for (Index j = 0; j < k; ++j)
                    mixture += static_cast<double>(data.counts[at(j)]) * std::exp(f(j) - data.here(j, s));
                sum += std::exp(-data.here(i, s)) / mixture;
            }
            next(i) = -std::log(sum);
        }
        next.array() -= next(0);
        if ((next - f).cwiseAbs().maxCoeff() < 1e-13)
            return next;
        f = next;
    }
    return f;
}

TEST(Mbar, AgreesWithAPlainIteration) {
    Oscillators oscillators{{0, 1, 2, 1.5}, {1, 0.8, 1.2, 0.9}, {0, 1, -1, 2}, {40, 30, 60, 0}};
    const auto data = oscillators.draw(1);
    const auto found = mbar(data);
    EXPECT_LT(found.gradient, 1e-10);
    EXPECT_TRUE(found.free_energies.isApprox(iterated(data), 1e-9)) << found.free_energies.transpose();
}

// Offsets of hundreds of kT do not disturb Newton's method. z of f_k - f_0 has variance 1: over 400 data sets the mean
// of z^2 lies in 1 +- 0.35 (5 standard errors), and means of z in +- 0.25.
TEST(Mbar, FreeEnergiesOfOscillatorsAreRightWithinTheirErrors) {
    const auto oscillators = five_oscillators(100);
    constexpr int sets = 400;
    Vector sum = Vector::Zero(5), squares = Vector::Zero(5), between = Vector::Zero(5);
    for (int set = 0; set < sets; ++set) {
        const auto found = mbar(oscillators.draw(static_cast<std::uint64_t>(set)));
        for (Index k = 1; k < 5; ++k) {
            const double z = (found.free_energies(k) - oscillators.exact(k)) / found.standard_error(0, k);
            sum(k) += z;
            squares(k) += z * z;
            const double step = (found.free_energies(k) - found.free_energies(k - 1) - oscillators.exact(k) +
                                 oscillators.exact(k - 1)) /
                                found.standard_error(k - 1, k);
            between(k) += step * step;
        }
    }
    for (Index k = 1; k < 5; ++k) {
        EXPECT_NEAR(sum(k) / sets, 0, 0.25) << k;
        EXPECT_NEAR(squares(k) / sets, 1, 0.35) << k;
        EXPECT_NEAR(between(k) / sets, 1, 0.35) << k;
    }
    // The wrong twin: errors that are half as large are rejected.
    EXPECT_GT(4 * squares(1) / sets, 1.35);
}

TEST(Mbar, OfOneStateOrOfEqualOnes) {
    const Oscillators one{{1}, {2}, {3}, {50}};
    const auto alone = mbar(one.draw(1));
    EXPECT_EQ(alone.free_energies, Vector::Zero(1));
    EXPECT_NEAR(alone.effective_samples(0), 50, 1e-9);
    const Oscillators twins{{1, 1}, {2, 2}, {0, 5}, {50, 70}};
    const auto equal = mbar(twins.draw(1));
    EXPECT_NEAR(equal.free_energies(1), 5, 1e-10);
    EXPECT_NEAR(equal.standard_error(0, 1), 0, 1e-6);
    EXPECT_NEAR(equal.overlap(0, 1), 70.0 / 120, 1e-9);
    EXPECT_NEAR(equal.effective_samples(0), 120, 1e-6);
}

TEST(Mbar, TheWeakestLinkIsSmallWhereStatesDoNotOverlap) {
    const Oscillators apart{{0, 20}, {1, 1}, {0, 0}, {100, 100}};
    const auto found = mbar(apart.draw(1));
    EXPECT_LT(found.weakest_link(apart.samples), 1e-6);
    const Oscillators chain{{0, 1, 2, 3}, {1, 1, 1, 1}, {0, 0, 0, 0}, {100, 100, 100, 100}};
    EXPECT_GT(mbar(chain.draw(1)).weakest_link(chain.samples), 0.1);
}

TEST(Mbar, ImpossibleSamplesHaveNoWeight) {
    auto data = Oscillators{{0, 1}, {1, 1}, {0, 0}, {60, 60}}.draw(1);
    data.here(1, 0) = infinity;
    const auto found = mbar(data);
    EXPECT_TRUE(found.free_energies.allFinite());
    EXPECT_NE(found.free_energies(1), mbar(Oscillators{{0, 1}, {1, 1}, {0, 0}, {60, 60}}.draw(1)).free_energies(1));
}

template <class Change>
std::string mistake(const Change& change) {
    auto data = Oscillators{{0, 1}, {1, 1}, {0, 0}, {5, 5}}.draw(1);
    change(data);
    try {
        mbar(data);
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(Mbar, RefusesWhatIsNoData) {
    EXPECT_THAT(mistake([](auto& data) { data.here(1, 3) = std::nan(""); }),
                HasSubstr("sample 4: reduced potential nan"));
    EXPECT_THAT(mistake([](auto& data) { data.here(0, 0) = -infinity; }),
                HasSubstr("sample 1: reduced potential -inf"));
    EXPECT_THAT(mistake([](auto& data) { data.here.col(2).setConstant(infinity); }), HasSubstr("sample 3: impossible"));
    EXPECT_THAT(mistake([](auto& data) { data.counts = {0, 0}; }), HasSubstr("no state has samples"));
}

} // namespace
} // namespace pearlite::estimator
