#pragma once
/// The logistic function 1/(1 + exp(-x)) and the softplus log(1 + exp(x)) of packets, by exp(-|x|): no overflow for
/// any x.

#include "simd/elementary.hpp"

#include <cmath>

namespace pearlite::simd {

/// 1/(1 + exp(|x|)), given exp(-|x|).
template <class P>
[[gnu::always_inline]] inline P smaller_tail(P exp_of_minus_absolute) {
    return exp_of_minus_absolute / (Element<P>{1} + exp_of_minus_absolute);
}

/// 1/(1 + exp(-x)), given 1/(1 + exp(|x|)).
template <class P>
[[gnu::always_inline]] inline P logistic(P x, P tail) {
    return x < Element<P>{0} ? tail : Element<P>{1} - tail;
}

/// max(x, 0).
template <class P>
[[gnu::always_inline]] inline P positive_part(P x) {
    return x < Element<P>{0} ? P{} : x;
}

/// sum of log(1 + exp(x)) = max(x, 0) + log(1 + exp(-|x|)), whose second parts are the logarithm of a product.
template <class P>
class SoftplusSum {
  public:
    /// Factors 1 + exp(-|x|) are at most 2: a lane holds this number of them, a product of at most 2^32 (float) or
    /// 2^64, and the product of all lanes in double is at most 2^512.
    static constexpr Index packets_per_logarithm = sizeof(Element<P>) == 4 ? 32 : 64;

    [[gnu::always_inline]] void add(P x) {
        positive_ += positive_part(x);
        product_ *= Element<P>{1} + exp(-absolute(x));
    }
    /// After at most packets_per_logarithm packets.
    [[gnu::always_inline]] void fold() {
        log_factors_ += std::log(product_of(product_));
        product_ = broadcast<P>(1);
    }
    /// The sum; valid after fold().
    double total() const { return sum_of(positive_) + log_factors_; }

  private:
    P positive_{}, product_ = broadcast<P>(1);
    double log_factors_ = 0;
};

} // namespace pearlite::simd
