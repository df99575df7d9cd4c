#include "simd/path.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace pearlite::simd {
namespace {

bool is_available(Path path) {
    return std::ranges::find(available_paths(), path) != available_paths().end();
}

TEST(Path, AvailablePathsAreWhatTheCpuHas) {
    EXPECT_EQ(available_paths().front(), Path::portable);
    EXPECT_EQ(is_available(Path::avx2), cpu_has(InstructionSet::avx2) && cpu_has(InstructionSet::fma));
    EXPECT_LE(is_available(Path::avx512), cpu_has(InstructionSet::avx512bw));
    EXPECT_EQ(is_available(Path::vnni), is_available(Path::avx512) && cpu_has(InstructionSet::avx512vnni));
}

TEST(Path, NothingWishedIsTheFastestWithoutANote) {
    EXPECT_EQ(choose_path("").path, available_paths().back());
    EXPECT_EQ(choose_path("").note, "");
}

TEST(Path, AWishIsFulfilledOrExplained) {
    for (const Path path : {Path::portable, Path::avx2, Path::avx512, Path::vnni, Path::amx}) {
        const PathChoice choice = choose_path(name_of(path));
        EXPECT_EQ(choice.path, is_available(path) ? path : available_paths().back());
        EXPECT_EQ(choice.note.empty(), is_available(path)) << choice.note;
    }
    const PathChoice unknown = choose_path("sse9");
    EXPECT_EQ(unknown.path, available_paths().back());
    EXPECT_NE(unknown.note.find("sse9"), std::string::npos);
}

} // namespace
} // namespace pearlite::simd
