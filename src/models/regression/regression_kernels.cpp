// The log probabilities of binary responses and their slopes.
#include "models/regression/generalised_regression_kernels.hpp"
#include "models/regression/logistic_regression.hpp"
#include "models/regression/poisson_regression.hpp"
#include "simd/logistic.hpp"

namespace pearlite::models {

using simd::Doubles;
using simd::Floats;

/// The factors 1 + exp(-|eta|) share one logarithm.
template <class, bool with_slopes>
void LogisticRegression::add_log_probabilities(Predictors& eta, Index, Index rows, Lanes& sum) const {
    static_assert(regression_lanes::piece <= 1000, "2^piece is no overflow");
    for (Index lane = 0; lane < regression_lanes::lanes; lane += simd::lanes<Doubles>) {
        auto total = simd::load<Doubles>(&sum(lane)), product = simd::broadcast<Doubles>(1);
        for (Index r = 0; r < rows; ++r) {
            double* const place = &eta(lane, r);
            const auto x = simd::load<Doubles>(place);
            const auto e = simd::exp(simd::minus_absolute(x));
            total -= simd::positive_part(x);
            product *= 1.0 + e;
            if constexpr (with_slopes)
                simd::store(place, -simd::logistic(x, simd::smaller_tail(e)));
        }
        simd::store(&sum(lane), total - simd::log(product));
    }
}

template <class>
void LogisticRegression::take_slopes(SinglePredictors& eta, Index, Index rows) const {
    for (Index place = 0; place < rows * regression_lanes::lanes; place += simd::lanes<Floats>) {
        float* const at = eta.data() + place;
        const auto x = simd::load<Floats>(at);
        simd::store(at, -simd::logistic(x, simd::smaller_tail(simd::exp(simd::minus_absolute(x)))));
    }
}

PEARLITE_REGRESSION_KERNELS(LogisticRegression, LogisticRegressionData)

namespace {

using simd::Doubles;
using simd::Floats;

/// exp(eta), cut where it is far beyond any mean that matters: sums of it are numbers.
template <class Packet>
Packet mean_of(Packet eta) {
    return simd::exp(simd::smaller(eta, simd::broadcast<Packet>(sizeof(eta[0]) == 4 ? 60 : 700)));
}

} // namespace

template <class, bool with_slopes>
void PoissonRegression::add_log_probabilities(Predictors& eta, Index first_row, Index rows, Lanes& sum) const {
    const double* const y = data_.response.data() + first_row;
    const double* const exposure = data_.exposure.data() + first_row;
    const double* const log_factorial = log_factorials_.data() + first_row;
    for (Index lane = 0; lane < regression_lanes::lanes; lane += simd::lanes<Doubles>) {
        auto total = simd::load<Doubles>(&sum(lane));
        for (Index r = 0; r < rows; ++r) {
            double* const place = &eta(lane, r);
            const auto x = simd::load<Doubles>(place);
            const auto mean = exposure[r] * mean_of(x);
            total += (y[r] * x - mean) - log_factorial[r];
            if constexpr (with_slopes)
                simd::store(place, y[r] - mean);
        }
        simd::store(&sum(lane), total);
    }
}

template <class>
void PoissonRegression::take_slopes(SinglePredictors& eta, Index first_row, Index rows) const {
    for (Index r = 0; r < rows; ++r) {
        const auto y = static_cast<float>(data_.response(first_row + r));
        const auto exposure = static_cast<float>(data_.exposure(first_row + r));
        for (Index lane = 0; lane < regression_lanes::lanes; lane += simd::lanes<Floats>) {
            float* const place = &eta(lane, r);
            simd::store(place, y - exposure * mean_of(simd::load<Floats>(place)));
        }
    }
}

PEARLITE_REGRESSION_KERNELS(PoissonRegression, PoissonRegressionData)

} // namespace pearlite::models
