#pragma once
/// Words of a stream, some at a time, for kernel sources: where these have the instructions they are made in place, so
/// that drawing and what is done with the draws are in work at once. All give the words that fill_bits() gives.

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

namespace pearlite::random {

/// A source has take(n): the next n words, which stay where they are until the next call; n is a multiple of 16 and at
/// most this. elsewhere(address) is a function (word, out) that fills `out` with another stream's words from that one
/// on, which begins a counter; the stream has the same seed.
inline constexpr std::size_t most_words_taken = 576;

/// The counter so many words after that of a stream's begin.
inline Counter later(Counter begin, Index words) {
    begin[0] += static_cast<std::uint32_t>(words / 4);
    return begin;
}

#if defined(__AVX512F__) && defined(__VAES__)
class ArsWords {
  public:
    explicit ArsWords(const Address& address)
        : keys_(Ars::key(address.seed.value).data()),
          counters_(address.counter().data(), ars_kernels::Counting::draws) {}

    const std::uint32_t* take(std::size_t n) {
        ars_kernels::fill_words(keys_, counters_, words_, n);
        return words_;
    }
    /// With keys of its own, so that those of take() stay in registers.
    auto elsewhere(const Address& address) const {
        return [keys = keys_, begin = address.counter()](Index word, std::span<std::uint32_t> out) {
            const auto first = later(begin, word);
            ars_kernels::Counters<ars_kernels::Four> counters(first.data(), ars_kernels::Counting::draws);
            ars_kernels::fill_words(keys, counters, out.data(), out.size());
        };
    }

  private:
    ars_kernels::RoundKeys<ars_kernels::Four> keys_;
    ars_kernels::Counters<ars_kernels::Four> counters_;
    alignas(64) std::uint32_t words_[most_words_taken];
};
#endif

/// Words of any generator, many at a time, since a call has to find kernels and keys. Philox keeps the CPU busy by
/// itself.
class DrawnWords {
  public:
    /// Of a stream of which `n_words` words will be taken in all.
    DrawnWords(const Address& address, std::size_t n_words)
        : counter_(address.counter()), seed_(address.seed), not_drawn_(n_words) {}

    const std::uint32_t* take(std::size_t n) {
        if (end_ - next_ < n) {
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
        next_ += n;
        return taken;
    }
    auto elsewhere(const Address& address) const {
        return [seed = seed_, begin = address.counter()](Index word, std::span<std::uint32_t> out) {
            fill(later(begin, word), seed, out);
        };
    }

  private:
    Counter counter_;
    Seed seed_;
    std::size_t not_drawn_, next_ = 0, end_ = 0;
    alignas(64) std::uint32_t words_[4096];
};

/// function(source) for a stream of which `n_words` words will be taken in all.
template <class Function>
void with_words(const Address& address, std::size_t n_words, Function&& function) {
#if defined(__AVX512F__) && defined(__VAES__)
    if (address.seed.generator == Generator::ars)
        return function(ArsWords(address));
#endif
    function(DrawnWords(address, n_words));
}

} // namespace pearlite::random
