#include "models/rbm/rbm_kernels.hpp"

#include "simd/logistic.hpp"

#include <algorithm>
#include <numbers>

namespace pearlite::models::detail {

namespace {

using simd::absolute;
using simd::broadcast;
using simd::exp;
using simd::load;
using simd::logistic;
using simd::positive_part;
using simd::product_of;
using simd::smaller_tail;
using simd::store;
using simd::sum_of;
using Packet = simd::Floats;
using Sum = simd::SoftplusSum<Packet>;
constexpr Index lanes = simd::lanes<Packet>;

/// One logarithm serves so many units.
constexpr Index units_per_logarithm = Sum::packets_per_logarithm * lanes;

/// |(to - from) c| up to which the power series of softplus_difference_of_short_step are exact to 1e-7 relative.
constexpr float short_step = 0.25f;

float largest_magnitude(const float* c, Index rows) {
    Packet largest{};
    for (Index j = 0; j < rows; j += lanes)
        largest = simd::larger(absolute(load<Packet>(c + j)), largest);
    return simd::largest_of(largest);
}

/// With q = 1/(1 + exp(to |c|)) and D = to - from:
///   log(1 + exp(to c)) - log(1 + exp(from c)) = D max(c, 0) - log(1 + y),  y = (exp(D |c|) - 1) q.
/// No two large numbers are subtracted, so the rounding error shrinks with the step.
template <bool with_probability>
double softplus_difference_of_short_step(const float* c, Index rows, double from, double to, float* probability) {
    static constexpr auto expm1_series = simd::inverse_factorials<float, 1, 6>(); // (exp(d) - 1)/d
    static constexpr std::array<float, 7> log1p_series = {1.0f,     -1.0f / 2, 1.0f / 3, -1.0f / 4,
                                                          1.0f / 5, -1.0f / 6, 1.0f / 7}; // log(1 + y)/y, |y| <= 0.15
    const float minus_to = static_cast<float>(-to);
    const float step = static_cast<float>(to - from);
    Packet positive{};
    Packet logarithms{};
    for (Index j = 0; j < rows; j += lanes) {
        const Packet x = load<Packet>(c + j);
        const Packet magnitude = absolute(x);
        const Packet tail = smaller_tail(exp(minus_to * magnitude));
        const Packet d = step * magnitude;
        const Packet y = d * simd::polynomial(expm1_series, d) * tail;
        logarithms += y * simd::polynomial(log1p_series, y);
        positive += positive_part(x);
        if constexpr (with_probability)
            store(probability + j, logistic(x, tail));
    }
    return (to - from) * sum_of(positive) - sum_of(logarithms);
}

/// log(1 + exp(b c)) = b max(c, 0) + log(1 + exp(-|b c|)): no overflow for any c, and the second part is a product.
template <bool with_probability>
double softplus_difference_of_long_step(const float* c, Index rows, double from, double to, float* probability) {
    const float minus_from = static_cast<float>(-from);
    const float minus_to = static_cast<float>(-to);
    Packet positive{};
    double log_factors = 0;
    for (Index start = 0; start < rows; start += units_per_logarithm) {
        Packet product_to = broadcast<Packet>(1);
        Packet product_from = product_to;
        for (Index j = start; j < std::min(rows, start + units_per_logarithm); j += lanes) {
            const Packet x = load<Packet>(c + j);
            const Packet magnitude = absolute(x);
            const Packet exp_to = exp(minus_to * magnitude);
            product_to *= 1.0f + exp_to;
            product_from *= 1.0f + exp(minus_from * magnitude);
            positive += positive_part(x);
            if constexpr (with_probability)
                store(probability + j, logistic(x, smaller_tail(exp_to)));
        }
        log_factors += std::log(product_of(product_to) / product_of(product_from));
    }
    return (to - from) * sum_of(positive) + log_factors;
}

/// Which way is a matter of the column alone, so it is the same in every block.
template <bool with_probability>
double softplus_difference_of(const float* c, Index rows, double from, double to, float* probability) {
    if (static_cast<float>(std::abs(to - from)) * largest_magnitude(c, rows) <= short_step)
        return softplus_difference_of_short_step<with_probability>(c, rows, from, to, probability);
    return softplus_difference_of_long_step<with_probability>(c, rows, from, to, probability);
}

} // namespace

double softplus_difference(const float* c, Index rows, double from, double to) {
    return softplus_difference_of<false>(c, rows, from, to, nullptr);
}

double softplus_difference(const float* c, Index rows, double from, double to, float* probability) {
    return softplus_difference_of<true>(c, rows, from, to, probability);
}

double softplus_sum(const float* c, Index rows, Index padding) {
    Sum sum;
    for (Index start = 0; start < rows; start += units_per_logarithm) {
        for (Index j = start; j < std::min(rows, start + units_per_logarithm); j += lanes)
            sum.add(load<Packet>(c + j));
        sum.fold();
    }
    return sum.total() - static_cast<double>(padding) * std::numbers::ln2;
}

void hidden_probabilities(const float* c, Index rows, double b, float* probability) {
    const float minus_b = static_cast<float>(-b);
    for (Index j = 0; j < rows; j += lanes) {
        const Packet x = load<Packet>(c + j);
        const Packet exponential = exp(minus_b * absolute(x));
        store(probability + j, logistic(x, smaller_tail(exponential)));
    }
}

double softplus_derivative(const float* c, Index rows, double b) {
    const float minus_b = static_cast<float>(-b);
    Packet sum{};
    for (Index j = 0; j < rows; j += lanes) {
        const Packet x = load<Packet>(c + j);
        const Packet exponential = exp(minus_b * absolute(x));
        sum += logistic(x, smaller_tail(exponential)) * x;
    }
    return sum_of(sum);
}

void visible_probabilities(const float* field, const float* bias, Index rows, double b, float* probability) {
    const Packet scale = broadcast<Packet>(static_cast<float>(b));
    for (Index i = 0; i < rows; i += lanes) {
        const Packet x = simd::fused(scale, load<Packet>(field + i), load<Packet>(bias + i));
        const Packet exponential = exp(-absolute(x));
        store(probability + i, logistic(x, smaller_tail(exponential)));
    }
}

} // namespace pearlite::models::detail
