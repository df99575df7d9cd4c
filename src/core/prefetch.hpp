#pragma once
/// Cache lines that another core has had are on their way before they are needed: a core asks for many at once, where
/// each load or store in its turn would wait.

#include <cstddef>
#include <span>

namespace pearlite {

inline constexpr std::size_t cache_line = 64; ///< bytes

inline void prefetch_to_read(std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += cache_line)
        __builtin_prefetch(bytes.data() + i);
}

#if defined(__x86_64__)
__attribute__((target("prfchw")))
#endif
inline void
prefetch_to_write(std::span<const std::byte> bytes) {
    for (std::size_t i = 0; i < bytes.size(); i += cache_line)
        __builtin_prefetch(bytes.data() + i, 1);
}

} // namespace pearlite
