#pragma once
/// Words of a stream, as many at a time, for kernel sources: where these have the instructions they are made in place,
/// between the instructions of the kernel. All give the words that fill_bits() gives.

#include "pearlite/random/detail/ars.hpp"
#include "pearlite/random/stream.hpp"

#if defined(__AVX512F__) && defined(__VAES__)
#include "random/ars/four.hpp"
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <utility>

namespace pearlite::random {

/// A source has next(), the next n words, which stay where they are until the next call; n is a multiple of 16 and at
/// most this. After each call a kernel takes ahead(), a function of no arguments, and calls it n / 16 times, between
/// instructions of its own that do not wait for it: it makes sixteen of the words that next() gives next.
/// elsewhere(address) is a function (word, out) that fills `out` with another stream's words from that one on, which
/// begins a counter; the stream has the same seed.
inline constexpr std::size_t most_words_taken = 576;

/// The counter this number of words after the begin of a stream.
inline Counter later(Counter begin, Index words) {
    begin[0] += static_cast<std::uint32_t>(words / 4);
    return begin;
}

#if defined(__AVX512F__) && defined(__VAES__)
/// A CPU looks some hundred instructions ahead for one that need not wait: AES rounds in one piece would keep one of
/// its ports busy and leave the others idle. Words are stored elsewhere, so that no store could change the keys: those
/// of a copy that a kernel has stay in registers.
class ArsWords {
    using Four = ars_kernels::Four;

  public:
    using Buffer = std::uint32_t[2][most_words_taken];

    ArsWords(const Address& address, std::size_t n_words, Buffer& buffer)
        : keys_(Ars::key(address.seed.value).data()),
          counters_(address.counter().data(), ars_kernels::Counting::draws),
          n_words_(n_words),
          now_(buffer[1]),
          ahead_(buffer[0]) {
        ars_kernels::fill_words(keys_, counters_, ahead_, n_words);
    }

    const std::uint32_t* next() {
        std::swap(now_, ahead_);
        return now_;
    }
    /// Its counters and its place stay in registers.
    auto ahead() {
        const auto function = [&keys = keys_, counters = counters_, out = ahead_]() mutable {
            ars_kernels::fill_registers<Four, 1>(keys, counters, out);
            out += 16;
        };
        counters_.skip(n_words_ / 16);
        return function;
    }
    /// With separate keys, so that those of ahead() stay in registers.
    auto elsewhere(const Address& address) const {
        return [keys = keys_, begin = address.counter()](Index word, std::span<std::uint32_t> out) {
            const auto first = later(begin, word);
            ars_kernels::Counters<Four> counters(first.data(), ars_kernels::Counting::draws);
            ars_kernels::fill_words(keys, counters, out.data(), out.size());
        };
    }

  private:
    ars_kernels::RoundKeys<Four> keys_;
    ars_kernels::Counters<Four> counters_;
    std::size_t n_words_;
    std::uint32_t *now_, *ahead_;
};
#endif

/// Words of any generator, many at a time, since a call has to find kernels and keys. Philox keeps the CPU busy by
/// itself.
class DrawnWords {
  public:
    DrawnWords(const Address& address, std::size_t n_words, std::size_t times)
        : counter_(address.counter()), seed_(address.seed), n_words_(n_words), not_drawn_(n_words * times) {}

    const std::uint32_t* next() {
        if (end_ - next_ < n_words_) {
            std::copy(words_ + next_, words_ + end_, words_);
            end_ -= next_;
            next_ = 0;
            const std::size_t drawn = std::min(not_drawn_, (std::size(words_) - end_) / 16 * 16);
            fill(counter_, seed_, {words_ + end_, drawn});
            counter_ = later(counter_, static_cast<Index>(drawn));
            not_drawn_ -= drawn;
            end_ += drawn;
        }
        const std::uint32_t* const taken = words_ + next_;
        next_ += n_words_;
        return taken;
    }
    static auto ahead() {
        return [] {};
    }
    auto elsewhere(const Address& address) const {
        return [seed = seed_, begin = address.counter()](Index word, std::span<std::uint32_t> out) {
            fill(later(begin, word), seed, out);
        };
    }

  private:
    Counter counter_;
    Seed seed_;
    std::size_t n_words_, not_drawn_, next_ = 0, end_ = 0;
    alignas(64) std::uint32_t words_[4096];
};

/// Calls function(source) for a stream of which n_words words will be taken `times` times.
template <class Function>
void with_words(const Address& address, std::size_t n_words, std::size_t times, Function&& function) {
#if defined(__AVX512F__) && defined(__VAES__)
    if (address.seed.generator == Generator::ars) {
        alignas(64) ArsWords::Buffer buffer;
        return function(ArsWords(address, n_words, buffer));
    }
#endif
    function(DrawnWords(address, n_words, times));
}

} // namespace pearlite::random
