#pragma once
/// Random numbers of the particles of a filter. Particle i at time t has number t n + i of each kind, n the number of
/// particles with padding.

#include <algorithm>
#include <cstddef>
#include <span>

namespace pearlite::models::detail {

/// Particles in work at a time: their numbers stay in the first-level cache.
inline constexpr std::size_t chunk = 1024;

/// Makes the numbers of some particles when they are asked for: a chunk of them, or those of as many times as a chunk
/// holds where the particles are few. make(first, out) makes numbers first, first + 1, ..., a multiple of 32 of them in
/// an array that is aligned to 64 bytes.
template <class Real, class Make>
class Ahead {
  public:
    Ahead(Make make, std::size_t particles, std::size_t times)
        : make_(make),
          particles_(particles),
          most_(particles < chunk ? chunk / particles * particles : chunk),
          all_(particles * times) {}

    /// Numbers of particles first .. first + count - 1 at time t, until the next call. first: a multiple of `chunk`;
    /// count: up to `chunk`, or up to the last particle.
    const Real* at(std::size_t t, std::size_t first, std::size_t count) {
        const std::size_t begin = t * particles_ + first;
        if (begin < begin_ || begin + count > end_) {
            begin_ = begin;
            end_ = particles_ > chunk ? begin + count : std::min(begin + most_, all_);
            make_(begin, std::span<Real>(values_, end_ - begin));
        }
        return values_ + (begin - begin_);
    }

  private:
    Make make_;
    std::size_t particles_, most_, all_;
    std::size_t begin_ = 0, end_ = 0; ///< of the numbers in memory
    alignas(64) Real values_[chunk];
};

} // namespace pearlite::models::detail
