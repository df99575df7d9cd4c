// The log probabilities of binary responses and their slopes.
#include "models/regression/generalised_regression_kernels.hpp"
#include "models/regression/logistic_regression.hpp"
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

} // namespace pearlite::models
