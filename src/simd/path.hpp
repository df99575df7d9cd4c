#pragma once
/// The features of the running CPU, and the instruction set that kernels with several implementations run on: chosen
/// once, when the program runs. All implementations give the same bits.

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace pearlite::simd {

/// From plain C++ to tile products; each needs x86-64-v3 and the instructions in its name.
enum class Path { portable, avx2, avx512, vnni, amx };

/// "portable", ...
std::string_view name_of(Path path);

/// The path that this machine takes when a user wishes for one.
struct PathChoice {
    Path path = Path::portable;
    std::string note; ///< why it is not the one wished for; empty if it is, or if nothing was wished
};

/// The paths that the CPU and the operating system offer, `portable` first, the fastest last. Kernels for AVX-512 VNNI
/// are slower than those for AVX-512 alone and come before them.
std::span<const Path> available_paths();
/// The path of that name, or the fastest where it is unknown or not available. Nothing is wished by "".
PathChoice choose_path(std::string_view wish);
/// choose_path of the environment variable PEARLITE_CPU, once.
const PathChoice& chosen_path();

/// Whether the CPU has AES rounds on registers of 256 bits and, with AVX-512, of 512 bits.
bool has_wide_aes();

// Instruction sets of the running CPU and of the compiled code: for the choice between paths at run time, and to refuse
// a CPU that lacks a set which every path needs.

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
