#include "models/rbm/kernels/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace pearlite::models::rbm_kernels {

namespace {

/// 127 (1 + 256 + 65536): digits of at most 127.
constexpr double largest_integer = 8355711;

/// The smallest float that is not below x.
double rounded_up(double x) {
    auto result = static_cast<float>(x);
    if (static_cast<double>(result) < x)
        result = std::nextafter(result, std::numeric_limits<float>::infinity());
    return static_cast<double>(result);
}

Index up_to(Index n, Index multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/// Digits from -128 to 127 to base 256, least significant first; the last digit takes the remainder.
std::array<std::int8_t, 3> digits_of(std::int32_t integer, Index n) {
    std::array<std::int8_t, 3> digits{};
    for (Index i = 0; i < n; ++i) {
        const std::int32_t digit = ((integer + 128) & 255) - 128;
        digits[at(i)] = static_cast<std::int8_t>(digit);
        integer = (integer - digit) / 256;
    }
    return digits;
}

Aligned<std::int8_t> pack_integers(const IntegerWeights::Digits& digits) {
    const Index n_outputs = up_to(digits.rows(), output_padding), n_inputs = up_to(digits.cols(), word_units);
    Aligned<std::int8_t> packed(at(n_outputs * n_inputs) * sizeof(std::int32_t));
    for (Index k = 0; k < digits.cols(); ++k)
        for (Index u = 0; u < digits.rows(); ++u) {
            const Index position = (u / 4 * (n_inputs / 4) + k / 4) * 16 + u % 4 * 4 + k % 4;
            std::memcpy(packed.data() + at(position) * sizeof(std::int32_t), &digits(u, k), sizeof(std::int32_t));
        }
    return packed;
}

/// In pieces of `rows` outputs and `columns` inputs, limb by limb.
Aligned<std::int8_t> pack_limbs(const IntegerWeights& weights, Index rows, Index columns, Index input_padding) {
    const auto& digits = weights.digits;
    const Index n_limbs = weights.n_limbs, piece = rows * columns;
    const Index n_outputs = up_to(digits.rows(), output_padding), n_inputs = up_to(digits.cols(), input_padding);
    Aligned<std::int8_t> packed(at(n_outputs * n_inputs * n_limbs));
    for (Index k = 0; k < digits.cols(); ++k)
        for (Index u = 0; u < digits.rows(); ++u) {
            const auto limbs = digits_of(digits(u, k), n_limbs);
            const Index first = (u / rows * (n_inputs / columns) + k / columns) * n_limbs * piece;
            for (Index limb = 0; limb < n_limbs; ++limb)
                packed[at(first + limb * piece + u % rows * columns + k % columns)] = limbs[at(n_limbs - 1 - limb)];
        }
    return packed;
}

} // namespace

IntegerWeights round_by_output(const Matrix& weights) {
    IntegerWeights result{IntegerWeights::Digits::Zero(weights.rows(), weights.cols()), Vector::Zero(weights.rows())};
    const double largest_sum = 0x1p31 - 1 - static_cast<double>(weights.cols()); // each rounding adds 1/2 at most
    for (Index u = 0; u < weights.rows(); ++u) {
        const auto magnitudes = weights.row(u).cwiseAbs();
        const double scale =
            rounded_up(std::max(magnitudes.maxCoeff() / largest_integer, magnitudes.sum() / largest_sum));
        if (scale == 0)
            continue;
        result.scale[u] = scale;
        for (Index k = 0; k < weights.cols(); ++k)
            result.digits(u, k) = static_cast<std::int32_t>(std::lrint(weights(u, k) / scale));
    }
    return result;
}

IntegerWeights round_alike(const Matrix& weights, Index n_limbs) {
    const double largest = n_limbs == 1 ? 127 : 32639; // 127 (1 + 256)
    const auto magnitudes = weights.cwiseAbs();
    const double largest_sum = std::max(magnitudes.rowwise().sum().maxCoeff(), magnitudes.colwise().sum().maxCoeff());
    const double scale = rounded_up(std::max(magnitudes.maxCoeff() / largest, largest_sum / 0x1p30));
    IntegerWeights result{IntegerWeights::Digits::Zero(weights.rows(), weights.cols()),
                          Vector::Constant(weights.rows(), scale), n_limbs};
    if (scale > 0)
        result.digits =
            weights.unaryExpr([scale](double w) { return static_cast<std::int32_t>(std::lrint(w / scale)); });
    return result;
}

IntegerWeights transposed(const IntegerWeights& weights) {
    return {weights.digits.transpose(), Vector::Constant(weights.digits.cols(), weights.scale[0]), weights.n_limbs};
}

Aligned<std::int8_t> pack(const IntegerWeights& weights, Format format) {
    switch (format) {
    case Format::integers:
        return pack_integers(weights.digits);
    case Format::limbs:
        return pack_limbs(weights, 4, 4, word_units);
    case Format::tiles:
        return pack_limbs(weights, 16, 64, 64);
    }
    return {};
}

} // namespace pearlite::models::rbm_kernels
