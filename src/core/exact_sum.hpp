#pragma once
/// Sums that do not depend on the order of their terms: a superaccumulator (Kulisch) that holds every double exactly;
/// and a quick sum whose bits depend on its terms alone.

#include "pearlite/core/types.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace pearlite {

/// An exact accumulator of doubles. The sum it returns is the exact sum of all terms ever added, correctly rounded to
/// nearest even, so it is the same for every order and every split. Infinities and NaN are counted apart: a sum with a
/// NaN, or with infinities of both signs, is NaN; with infinities of one sign it is that infinity.
/// A sum of nothing, or of zeros of either sign, is +0.
/// Fixed layout of 64-bit integer words, so that MPI_SUM over the words adds accumulators (see normalise()).
class ExactSum {
  public:
    static constexpr int n_limbs = 70;          ///< 32 bits of the fixed-point sum each, in signed 64-bit words
    static constexpr int n_words = n_limbs + 3; ///< then the counts of +inf, -inf and NaN

    ExactSum() = default;
    explicit ExactSum(std::span<const double> values) { add(values); }

    void add(double value);
    void add(std::span<const double> values);
    void add(const ExactSum& other);

    /// Propagates carries so that each limb but the last is in [0, 2^32): then the words of up to 2^31 accumulators can
    /// be added one by one without overflow. Normalised accumulators of equal sums have equal words.
    void normalise();
    /// The sum, correctly rounded. Does not change the represented value.
    double value() const;

    /// For reductions and storage. Words that are written here must be normalised, or a sum of up to 2^31 such words.
    std::span<std::int64_t, n_words> words() {
        pending_ = carry_interval; // the writer's limbs may be full: the next addition carries first
        return words_;
    }
    std::span<const std::int64_t, n_words> words() const { return words_; }

  private:
    /// An addition changes a limb by 2^52 at most, so this many fit into 63 bits with room to spare.
    static constexpr std::int64_t carry_interval = 512;

    std::array<std::int64_t, n_words> words_{};
    std::int64_t pending_ = 0; ///< additions since the last carry propagation, at most carry_interval
};

/// The exactly rounded sum of the values.
double exact_sum(std::span<const double> values);

/// The sum of term(0) .. term(n - 1). The order of the additions is fixed, whatever the compiler and the place in
/// memory: eight sums of every eighth.
template <class Term>
double ordered_sum(Index n, Term&& term) {
    constexpr Index n_sums = 8;
    std::array<double, n_sums> sums{};
    for (Index i = 0; i < n; ++i)
        sums[static_cast<std::size_t>(i % n_sums)] += term(i);
    double total = 0;
    for (const double sum : sums)
        total += sum;
    return total;
}

} // namespace pearlite
