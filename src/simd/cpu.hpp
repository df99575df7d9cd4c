#pragma once
/// Instruction sets of the running CPU and of the compiled code: for the choice between paths at run time, and to
/// refuse a CPU that lacks a set which every path needs.

#include <array>
#include <string_view>

namespace pearlite::simd {

/// Instruction sets that the code uses if they are available, in the order in which results name them.
enum class InstructionSet { avx2, fma, avx512f, avx512bw, avx512vnni, avx512vpopcntdq };

inline constexpr std::array instruction_sets{InstructionSet::avx2,       InstructionSet::fma,
                                             InstructionSet::avx512f,    InstructionSet::avx512bw,
                                             InstructionSet::avx512vnni, InstructionSet::avx512vpopcntdq};

/// "avx2", ...: as in /proc/cpuinfo, but without underscores.
std::string_view name_of(InstructionSet set);
/// Whether the library was compiled for the set, and so may use it anywhere.
bool compiled_for(InstructionSet set);
/// Whether the CPU and the operating system support the set.
bool cpu_has(InstructionSet set);

} // namespace pearlite::simd
