#include "simd/path.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>
#include <string>

namespace pearlite::simd {
namespace {

/// The flags of the CPU that the kernel lists, without underscores.
std::set<std::string> flags_of_the_kernel() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("flags"))
            continue;
        std::erase(line, '_');
        std::istringstream words(line.substr(line.find(':') + 1));
        return {std::istream_iterator<std::string>(words), {}};
    }
    return {};
}

TEST(Cpu, HasWhatTheKernelSays) {
    const std::set<std::string> flags = flags_of_the_kernel();
    if (flags.empty())
        GTEST_SKIP() << "/proc/cpuinfo has no flags";
    for (const InstructionSet set : instruction_sets)
        EXPECT_EQ(cpu_has(set), flags.contains(std::string(name_of(set)))) << name_of(set);
}

TEST(Cpu, HasWhatThisTestWasCompiledFor) {
    for (const InstructionSet set : instruction_sets)
        EXPECT_LE(compiled_for(set), cpu_has(set)) << name_of(set);
#ifdef __AVX512F__
    EXPECT_TRUE(compiled_for(InstructionSet::avx512f));
#else
    EXPECT_FALSE(compiled_for(InstructionSet::avx512f));
#endif
}

} // namespace
} // namespace pearlite::simd
