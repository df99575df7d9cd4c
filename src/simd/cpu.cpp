#include "simd/cpu.hpp"

namespace pearlite::simd {

namespace {

struct Known {
    std::string_view name;
    bool compiled, present;
};

#ifdef __AVX2__
constexpr bool compiled_avx2 = true;
#else
constexpr bool compiled_avx2 = false;
#endif
#ifdef __FMA__
constexpr bool compiled_fma = true;
#else
constexpr bool compiled_fma = false;
#endif
#ifdef __AVX512F__
constexpr bool compiled_avx512f = true;
#else
constexpr bool compiled_avx512f = false;
#endif
#ifdef __AVX512BW__
constexpr bool compiled_avx512bw = true;
#else
constexpr bool compiled_avx512bw = false;
#endif
#ifdef __AVX512VNNI__
constexpr bool compiled_avx512vnni = true;
#else
constexpr bool compiled_avx512vnni = false;
#endif
#ifdef __AVX512VPOPCNTDQ__
constexpr bool compiled_avx512vpopcntdq = true;
#else
constexpr bool compiled_avx512vpopcntdq = false;
#endif

/// The compiler's builtins take literal names alone, hence the list. The CPU is asked once.
Known known(InstructionSet set) {
    static const std::array<Known, instruction_sets.size()> all = [] {
        __builtin_cpu_init();
        return std::array<Known, instruction_sets.size()>{
            {{"avx2", compiled_avx2, __builtin_cpu_supports("avx2") != 0},
             {"fma", compiled_fma, __builtin_cpu_supports("fma") != 0},
             {"avx512f", compiled_avx512f, __builtin_cpu_supports("avx512f") != 0},
             {"avx512bw", compiled_avx512bw, __builtin_cpu_supports("avx512bw") != 0},
             {"avx512vnni", compiled_avx512vnni, __builtin_cpu_supports("avx512vnni") != 0},
             {"avx512vpopcntdq", compiled_avx512vpopcntdq, __builtin_cpu_supports("avx512vpopcntdq") != 0}}};
    }();
    return all[static_cast<std::size_t>(set)];
}

} // namespace

std::string_view name_of(InstructionSet set) {
    return known(set).name;
}

bool compiled_for(InstructionSet set) {
    return known(set).compiled;
}

bool cpu_has(InstructionSet set) {
    return known(set).present;
}

} // namespace pearlite::simd
