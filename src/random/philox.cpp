#include "pearlite/random/detail/philox.hpp"

#include "random/philox_kernels.hpp"

namespace pearlite::random {

Philox::Counter Philox::generate(Counter counter, Key key) {
    Counter words;
    kernels::Plain::packet<1>(counter, key, words.data());
    return words;
}

void Philox::fill(Counter counter, Key key, std::span<std::uint32_t> out) {
    kernels::fill<kernels::Best>(counter, key, out);
}

} // namespace pearlite::random
