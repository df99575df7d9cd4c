#pragma once
/// Compares a sampler on several ranks with itself on one, also after a store and a restore.

#include "algorithm/densities.hpp"
#include "population/memory_fields.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::algorithm::testing {

using parallel::Communicator;
using testing_support::restore;
using testing_support::store;
using testing_support::Stored;

/// Estimates and their errors, or draws of chains. They are compared on the root, since other ranks may have none.
/// Collective.
template <class S>
std::vector<double> numbers_of(const Communicator& ranks, S& sampler) {
    std::vector<double> numbers;
    if constexpr (requires { sampler.draws(); }) {
        const auto chains = sampler.chain_outcome();
        numbers.insert(numbers.end(), chains.acceptance.begin(), chains.acceptance.end());
        numbers.insert(numbers.end(), chains.longest_stay.begin(), chains.longest_stay.end());
        for (const auto& summary : chains.summaries)
            for (const double value : {summary.posterior.mean, summary.posterior.sd, summary.posterior.mcse,
                                       summary.posterior.quantile_025, summary.r_hat, summary.tail_ess})
                numbers.push_back(std::isnan(value) ? -2 : value); // NaN equals nothing
        for (const Matrix& draws : sampler.draws()) {
            const auto all =
                ranks.gather(std::span<const double>(draws.data(), static_cast<std::size_t>(draws.size())));
            numbers.insert(numbers.end(), all.begin(), all.end());
        }
    } else {
        const auto outcome = sampler.outcome();
        for (const auto& estimate : outcome.log_ratio) {
            numbers.push_back(std::isnan(estimate.value) ? -2 : estimate.value); // NaN equals nothing: refused
            numbers.push_back(estimate.standard_error.value_or(-1));
        }
        for (const auto& diagnostic : outcome.diagnostics)
            numbers.push_back(std::isnan(diagnostic.value) ? -2 : diagnostic.value); // NaN equals nothing
    }
    return ranks.is_root() ? numbers : std::vector<double>{};
}

/// Everything that a run, which has begun, holds at its end, and its numbers.
template <class S>
std::pair<Stored, std::vector<double>> result_of(const Communicator& ranks, S& sampler) {
    finish(sampler);
    sampler.flush();
    auto stored = store(ranks, sampler);
    testing_support::MemoryFields results(ranks, stored, false);
    if constexpr (requires { sampler.found(); })
        if (const auto found = sampler.found(); found.sharded_results)
            found.sharded_results(results);
    return {stored, numbers_of(ranks, sampler)};
}

/// The names under which two states differ.
inline std::string difference(const Stored& a, const Stored& b) {
    std::string names = a.size() == b.size() ? "" : "their lists of fields ";
    for (const auto& [name, bytes] : a)
        if (!b.count(name) || b.at(name) != bytes)
            names += name + " ";
    return names;
}

/// make(ranks) on all ranks, on this one alone, and restored after `steps` steps into a new sampler. A sampler may do
/// the parts of a round in an order that depends on the ranks: then it is the same at the end, not on the way.
template <class Make>
void expect_same_everywhere(const Make& make, int steps, bool on_the_way = true) {
    const auto world = Communicator::world(), alone = Communicator::alone();
    auto here = make(alone), everywhere = make(world);
    here.begin();
    everywhere.begin();
    const auto expected = result_of(alone, here);
    const auto result = result_of(world, everywhere);
    EXPECT_EQ(difference(result.first, expected.first), "");
    if (world.is_root()) {
        EXPECT_EQ(result.second, expected.second);
        EXPECT_FALSE(expected.second.empty());
    }

    // Saved by all ranks, resumed on one; saved on one, resumed by all.
    auto first = make(world), second = make(alone), on_one = make(alone), on_all = make(world);
    first.begin();
    second.begin();
    for (int step = 0; step < steps; ++step) {
        first.step();
        second.step();
    }
    first.flush();
    second.flush();
    auto saved = store(world, first);
    const auto alike = store(alone, second);
    EXPECT_TRUE(!on_the_way || difference(saved, alike).empty()) << difference(saved, alike);
    restore(alone, saved, on_one);
    restore(world, saved, on_all);
    EXPECT_EQ(difference(result_of(alone, on_one).first, expected.first), "");
    EXPECT_EQ(difference(result_of(world, on_all).first, expected.first), "");
}

/// The message of the NumericalError in which the run ends, with its time.
template <class S>
std::string failure_of(S&& make) {
    const auto begin = std::chrono::steady_clock::now();
    std::string message = "none";
    try {
        auto sampler = make();
        complete(sampler);
    } catch (const NumericalError& error) {
        message = error.what();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    return message;
}

} // namespace pearlite::algorithm::testing
