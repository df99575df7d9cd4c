#include "core/lbfgs.hpp"

#include "pearlite/core/error.hpp"

#include <lbfgs.h>

#include <algorithm>
#include <memory>
#include <new>

namespace pearlite {

namespace {

/// Answers the library's calls. The library's variables beyond d are padding.
struct Calls {
    const LbfgsFunction& function;
    const LbfgsIterate& iterate;
    std::size_t d;
    std::exception_ptr failure = {}; ///< may not pass through the library

    double value(const double* x, double* gradient, int n) {
        std::fill_n(gradient, n, 0.0);
        if (failure)
            return infinity;
        try {
            return function({x, d}, {gradient, d});
        } catch (...) {
            failure = std::current_exception();
            return infinity;
        }
    }
    /// Not 0: stop.
    int report(const double* x, const double* gradient) {
        try {
            if (!failure && iterate)
                iterate({x, d}, {gradient, d});
        } catch (...) {
            failure = std::current_exception();
        }
        return failure ? 1 : 0;
    }
};

} // namespace

void minimise_by_lbfgs(const LbfgsFunction& function, std::span<const double> start, const LbfgsLimits& limits,
                       const LbfgsIterate& iterate) {
    // Builds of the library for vector units take multiples of 16 variables.
    const auto n = static_cast<int>(padded(static_cast<Index>(start.size())));
    const std::unique_ptr<double, decltype(&lbfgs_free)> x(lbfgs_malloc(n), &lbfgs_free);
    if (!x)
        throw std::bad_alloc();
    std::fill_n(x.get(), n, 0.0);
    std::copy(start.begin(), start.end(), x.get());
    lbfgs_parameter_t settings;
    lbfgs_parameter_init(&settings);
    settings.m = 10;
    settings.epsilon = limits.tolerance;
    settings.max_iterations = static_cast<int>(limits.iterations);
    // The kind of line search that steps back where a value is refused.
    settings.linesearch = LBFGS_LINESEARCH_BACKTRACKING_WOLFE;
    const auto ask = [](void* calls, const double* at, double* gradient, int size, double) {
        return static_cast<Calls*>(calls)->value(at, gradient, size);
    };
    const auto report = [](void* calls, const double* at, const double* gradient, double, double, double, double, int,
                           int, int) { return static_cast<Calls*>(calls)->report(at, gradient); };
    Calls calls{function, iterate, start.size()};
    double value = 0;
    const int status = lbfgs(n, x.get(), &value, ask, report, &calls, &settings);
    if (calls.failure)
        std::rethrow_exception(calls.failure);
    if (status < LBFGSERR_OUTOFINTERVAL)
        throw NumericalError("the descent cannot run: libLBFGS says " + std::to_string(status));
}

} // namespace pearlite
