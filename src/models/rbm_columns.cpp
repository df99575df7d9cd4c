#include "rbm_columns.hpp"

#include "rbm_lanes.hpp"

#include <algorithm>
#include <numbers>

namespace pearlite::models::detail {

namespace {

using Lanes = FloatLanes;
using Packet = Lanes::Packet;

/// Factors 1 + exp(-|b c|) are at most 2, so a lane holds 32 of them in [1, 2^32], and the product of at most 16 lanes
/// in double is at most 2^512: one logarithm serves so many units.
constexpr Index units_per_logarithm = 32 * Lanes::size;

/// |(to - from) c| up to which the power series of softplus_difference_of_short_step are exact to 1e-7 relative.
constexpr float short_step = 0.25f;

/// 1/(1 + exp(|x|)), given exp(-|x|).
Packet logistic_of_minus_absolute(Packet exponential) {
    return exponential / (1.0f + exponential);
}

/// 1/(1 + exp(-x)), given 1/(1 + exp(|x|)).
Packet logistic(Packet x, Packet smaller_tail) {
    return x < 0.0f ? smaller_tail : 1.0f - smaller_tail;
}

float largest_magnitude(const float* c, Index rows) {
    Packet largest{};
    for (Index j = 0; j < rows; j += Lanes::size) {
        const Packet magnitude = absolute<Lanes>(load<Lanes>(c + j));
        largest = largest < magnitude ? magnitude : largest;
    }
    float result = 0;
    for (Index lane = 0; lane < Lanes::size; ++lane)
        result = std::max(result, static_cast<float>(largest[lane]));
    return result;
}

/// With q = 1/(1 + exp(to |c|)) and D = to - from:
///   log(1 + exp(to c)) - log(1 + exp(from c)) = D max(c, 0) - log(1 + y),  y = (exp(D |c|) - 1) q.
/// No two large numbers are subtracted, so the rounding error shrinks with the step.
template <bool with_probability>
double softplus_difference_of_short_step(const float* c, Index rows, double from, double to, float* probability) {
    static constexpr auto expm1_series = inverse_factorials<float, 1, 6>(); // (exp(d) - 1)/d
    static constexpr std::array<float, 7> log1p_series = {1.0f,     -1.0f / 2, 1.0f / 3, -1.0f / 4,
                                                          1.0f / 5, -1.0f / 6, 1.0f / 7}; // log(1 + y)/y, |y| <= 0.15
    const float minus_to = static_cast<float>(-to);
    const float step = static_cast<float>(to - from);
    Packet positive_part{};
    Packet logarithms{};
    for (Index j = 0; j < rows; j += Lanes::size) {
        const Packet x = load<Lanes>(c + j);
        const Packet magnitude = absolute<Lanes>(x);
        const Packet tail = logistic_of_minus_absolute(exp_of_negative<Lanes>(minus_to * magnitude));
        const Packet d = step * magnitude;
        const Packet y = d * polynomial<Lanes>(expm1_series, d) * tail;
        logarithms += y * polynomial<Lanes>(log1p_series, y);
        positive_part += x < 0.0f ? Packet{} : x;
        if constexpr (with_probability)
            packet_at<Lanes>(probability + j) = logistic(x, tail);
    }
    return (to - from) * sum_of<Lanes>(positive_part) - sum_of<Lanes>(logarithms);
}

/// log(1 + exp(b c)) = b max(c, 0) + log(1 + exp(-|b c|)): no overflow for any c, and the second part is a product.
template <bool with_probability>
double softplus_difference_of_long_step(const float* c, Index rows, double from, double to, float* probability) {
    const float minus_from = static_cast<float>(-from);
    const float minus_to = static_cast<float>(-to);
    Packet positive_part{};
    double log_factors = 0;
    for (Index start = 0; start < rows; start += units_per_logarithm) {
        Packet product_to = Packet{} + 1.0f;
        Packet product_from = product_to;
        for (Index j = start; j < std::min(rows, start + units_per_logarithm); j += Lanes::size) {
            const Packet x = load<Lanes>(c + j);
            const Packet magnitude = absolute<Lanes>(x);
            const Packet exp_to = exp_of_negative<Lanes>(minus_to * magnitude);
            product_to *= 1.0f + exp_to;
            product_from *= 1.0f + exp_of_negative<Lanes>(minus_from * magnitude);
            positive_part += x < 0.0f ? Packet{} : x;
            if constexpr (with_probability)
                packet_at<Lanes>(probability + j) = logistic(x, logistic_of_minus_absolute(exp_to));
        }
        log_factors += std::log(product_of<Lanes>(product_to) / product_of<Lanes>(product_from));
    }
    return (to - from) * sum_of<Lanes>(positive_part) + log_factors;
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
    Packet positive_part{};
    double log_factors = 0;
    for (Index start = 0; start < rows; start += units_per_logarithm) {
        Packet product = Packet{} + 1.0f;
        for (Index j = start; j < std::min(rows, start + units_per_logarithm); j += Lanes::size) {
            const Packet x = load<Lanes>(c + j);
            product *= 1.0f + exp_of_negative<Lanes>(-absolute<Lanes>(x));
            positive_part += x < 0.0f ? Packet{} : x;
        }
        log_factors += std::log(product_of<Lanes>(product));
    }
    return sum_of<Lanes>(positive_part) + log_factors - static_cast<double>(padding) * std::numbers::ln2;
}

void hidden_probabilities(const float* c, Index rows, double b, float* probability) {
    const float minus_b = static_cast<float>(-b);
    for (Index j = 0; j < rows; j += Lanes::size) {
        const Packet x = load<Lanes>(c + j);
        const Packet exponential = exp_of_negative<Lanes>(minus_b * absolute<Lanes>(x));
        packet_at<Lanes>(probability + j) = logistic(x, logistic_of_minus_absolute(exponential));
    }
}

double softplus_derivative(const float* c, Index rows, double b) {
    const float minus_b = static_cast<float>(-b);
    Packet sum{};
    for (Index j = 0; j < rows; j += Lanes::size) {
        const Packet x = load<Lanes>(c + j);
        const Packet exponential = exp_of_negative<Lanes>(minus_b * absolute<Lanes>(x));
        sum += logistic(x, logistic_of_minus_absolute(exponential)) * x;
    }
    return sum_of<Lanes>(sum);
}

void visible_probabilities(const float* field, const float* bias, Index rows, double b, float* probability) {
    const Packet scale = Packet{} + static_cast<float>(b);
    for (Index i = 0; i < rows; i += Lanes::size) {
        const Packet x = fused_multiply_add<Lanes>(scale, load<Lanes>(field + i), load<Lanes>(bias + i));
        const Packet exponential = exp_of_negative<Lanes>(-absolute<Lanes>(x));
        packet_at<Lanes>(probability + i) = logistic(x, logistic_of_minus_absolute(exponential));
    }
}

} // namespace pearlite::models::detail
