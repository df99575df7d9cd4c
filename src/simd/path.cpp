#include "simd/path.hpp"

#include "simd/instructions.hpp"

#include <algorithm>
#include <cpuid.h>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace pearlite::simd {

namespace {

constexpr std::array names{std::string_view("portable"), std::string_view("avx2"), std::string_view("avx512"),
                           std::string_view("vnni"), std::string_view("amx")};
constexpr std::array by_speed{Path::portable, Path::avx2, Path::vnni, Path::avx512, Path::amx};

/// AMX-TILE and AMX-INT8: bits 24 and 25 of leaf 7. Not all compilers know their names.
bool has_tile_products() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    constexpr unsigned both = 3u << 24;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & both) == both;
}

/// Linux gives tile registers to a process that asks for them.
bool may_use_tiles() {
    constexpr long request_permission = 0x1023; // ARCH_REQ_XCOMP_PERM
    constexpr long tile_data = 18;              // XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

bool is_available(Path path) {
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                        __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
                        __builtin_cpu_supports("avx512vl") != 0;
    switch (path) {
    case Path::portable:
        return true;
    case Path::avx2:
        return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    case Path::avx512:
        return avx512;
    case Path::vnni:
        return avx512 && __builtin_cpu_supports("avx512vnni") != 0;
    case Path::amx:
        return avx512 && has_tile_products() && may_use_tiles();
    }
    return false;
}

} // namespace

std::string_view name_of(Path path) {
    return names[static_cast<std::size_t>(path)];
}

std::span<const Path> available_paths() {
    static const std::vector<Path> available = [] {
        std::vector<Path> paths;
        std::copy_if(by_speed.begin(), by_speed.end(), std::back_inserter(paths), is_available);
        return paths;
    }();
    return available;
}

PathChoice choose_path(std::string_view wish) {
    const auto available = available_paths();
    const Path fastest = available.back();
    if (wish.empty())
        return {fastest, ""};
    const auto known = std::find(names.begin(), names.end(), wish);
    const auto instead = "; " + std::string(name_of(fastest)) + " is taken";
    if (known == names.end())
        return {fastest,
                "PEARLITE_CPU=" + std::string(wish) + " is not one of portable, avx2, avx512, vnni, amx" + instead};
    const auto path = static_cast<Path>(known - names.begin());
    if (std::find(available.begin(), available.end(), path) == available.end())
        return {fastest, "PEARLITE_CPU=" + std::string(wish) + ": this machine does not offer it" + instead};
    return {path, ""};
}

const PathChoice& chosen_path() {
    static const PathChoice choice = [] {
        const char* const wish = std::getenv("PEARLITE_CPU");
        return choose_path(wish == nullptr ? "" : wish);
    }();
    return choice;
}

bool has_wide_aes() {
    __builtin_cpu_init();
    // Leaf 7, register C, bit 9. Not all compilers know its name.
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __builtin_cpu_supports("aes") != 0 && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 9 & 1) != 0;
}

bool runs_avx512() {
    static const bool answer = chosen_path().path >= Path::avx512;
    return answer;
}

bool runs_avx512_aes() {
    static const bool answer = runs_avx512() && has_wide_aes();
    return answer;
}

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
