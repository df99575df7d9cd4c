#include "random/ars/choice.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/detail/ars.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace pearlite::random {

namespace ars_kernels {

namespace {

constexpr const Kernels* by_speed[] = {&software_kernels, &aes_kernels, &vaes_kernels, &vaes512_kernels};

bool is_available(const Kernels* kernels) {
    __builtin_cpu_init();
    const bool aes = __builtin_cpu_supports("aes") != 0, wide = simd::has_wide_aes();
    if (kernels == &aes_kernels)
        return aes;
    if (kernels == &vaes_kernels)
        return wide && __builtin_cpu_supports("avx2") != 0;
    if (kernels == &vaes512_kernels) {
        const auto paths = simd::available_paths();
        return wide && std::find(paths.begin(), paths.end(), simd::Path::avx512) != paths.end();
    }
    return true;
}

bool allows(simd::Path path, const Kernels* kernels) {
    if (path == simd::Path::portable)
        return kernels == &software_kernels;
    return path != simd::Path::avx2 || kernels != &vaes512_kernels;
}

} // namespace

std::span<const Kernels* const> available_kernels() {
    static const std::vector<const Kernels*> available = [] {
        std::vector<const Kernels*> found;
        std::copy_if(std::begin(by_speed), std::end(by_speed), std::back_inserter(found), is_available);
        return found;
    }();
    return available;
}

const Kernels& kernels_for(simd::Path path) {
    const Kernels* fastest = &software_kernels;
    for (const Kernels* const kernels : available_kernels())
        if (allows(path, kernels))
            fastest = kernels;
    return *fastest;
}

} // namespace ars_kernels

namespace {

using ars_kernels::Counting;

const ars_kernels::Kernels& chosen() {
    static const ars_kernels::Kernels& kernels = ars_kernels::kernels_for(simd::chosen_path().path);
    return kernels;
}

} // namespace

Ars::Counter Ars::generate(const Counter& counter, const Key& key) {
    Counter words;
    chosen().generate(counter.data(), key.data(), words.data());
    return words;
}

void Ars::fill(const Counter& counter, const Key& key, std::span<std::uint32_t> out) {
    chosen().fill(counter.data(), key.data(), Counting::draws, out.data(), out.size());
}

void Ars::fill_ids(const Counter& counter, const Key& key, std::span<std::uint32_t> out) {
    PEARLITE_EXPECTS(out.size() % 4 == 0);
    chosen().fill(counter.data(), key.data(), Counting::ids, out.data(), out.size());
}

void Ars::encrypt(const Key& key, std::span<std::uint32_t> counters) {
    PEARLITE_EXPECTS(counters.size() % 4 == 0);
    chosen().encrypt(key.data(), counters.data(), counters.size() / 4);
}

const char* Ars::implementation() {
    return chosen().name;
}

} // namespace pearlite::random
