#pragma once
/// Tests of draws run for every generator. A test derives its fixtures from this class and makes addresses whose seed
/// has the generator `tested`.

#include "pearlite/random/detail/generator.hpp"

#include <gtest/gtest.h>
#include <string>

namespace pearlite::random::testing {

class EachGenerator : public ::testing::TestWithParam<Generator> {
  protected:
    static inline Generator tested = Generator::philox; ///< by the test under way

    void SetUp() override { tested = GetParam(); }
    void TearDown() override { tested = Generator::philox; }

  public:
    /// A seed of the generator under test.
    static Seed seed(std::uint64_t number) { return {number, tested}; }
};

inline const auto each_generator = ::testing::Values(Generator::philox, Generator::ars);

inline std::string generator_of_test(const ::testing::TestParamInfo<Generator>& about) {
    return about.param == Generator::ars ? "ars" : "philox";
}

} // namespace pearlite::random::testing
