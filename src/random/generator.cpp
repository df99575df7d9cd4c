#include "pearlite/random/detail/generator.hpp"

#include "pearlite/random/detail/ars.hpp"
#include "pearlite/random/detail/philox.hpp"
#include "random/fill_kernels.hpp"
#include "random/philox_kernels.hpp"

namespace pearlite::random {

const char* name_of(Generator generator) {
    return generator == Generator::ars ? Ars::name : Philox::name;
}

Counter Philox::generate(Counter counter, Key key) {
    Counter words;
    kernels::Plain::packet<1>(counter, key, words.data());
    return words;
}

void Philox::fill(Counter counter, Key key, std::span<std::uint32_t> out) {
    simd::on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::words(counter, key, out); });
}

Counter generate(const Counter& counter, const Seed& seed) {
    if (seed.generator == Generator::ars)
        return Ars::generate(counter, Ars::key(seed.value));
    return Philox::generate(counter, Philox::key(seed.value));
}

void fill(const Counter& counter, const Seed& seed, std::span<std::uint32_t> out) {
    if (seed.generator == Generator::ars)
        Ars::fill(counter, Ars::key(seed.value), out);
    else
        Philox::fill(counter, Philox::key(seed.value), out);
}

} // namespace pearlite::random
