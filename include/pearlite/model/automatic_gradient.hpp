#pragma once
/// Gradients by automatic differentiation, for densities that are templates on their scalar. This header alone needs
/// the Stan math library (Carpenter et al. 2015): Debian's r-cran-stanheaders, of which CMake's target
/// Pearlite::automatic_gradient has the include directories.

#include "pearlite/model/density.hpp"

#if !__has_include(<stan/math/rev/core.hpp>)
#error "this header needs the Stan math library: install r-cran-stanheaders, and link Pearlite::automatic_gradient"
#endif
// Each thread then has its own tape.
#if !defined(STAN_THREADS)
#define STAN_THREADS
#endif
#include <stan/math/rev/core.hpp>
#include <stan/math/rev/scal.hpp>

#include <cmath>
#include <concepts>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pearlite::model {

/// The scalar of derivatives.
using Differentiable = stan::math::var;

/// Both log densities at points of differentiable coordinates.
template <class D>
concept HasTemplatedDensity = requires(const D& density, std::span<const Differentiable> x) {
    { density.log_prior(x) } -> std::convertible_to<Differentiable>;
    { density.log_likelihood(x) } -> std::convertible_to<Differentiable>;
};

namespace detail {

/// Clears the tape of everything recorded in its lifetime, and of nothing recorded before.
class Tape {
  public:
    Tape() {
        thread_local const stan::math::ChainableStack of_this_thread; // the library makes one for its own threads alone
        stan::math::start_nested();
    }
    ~Tape() { stan::math::recover_memory_nested(); }
    Tape(const Tape&) = delete;
    Tape& operator=(const Tape&) = delete;
};

} // namespace detail

/// D with evaluate_with_gradient (HasBlockGradient) by reverse-mode differentiation of its members
///
///     template <class T> T log_prior(std::span<const T> x) const;
///     template <class T> T log_likelihood(std::span<const T> x) const;
///
/// which call functions of numbers without a namespace, after `using std::log;` and the like: the library's own are
/// then found for T = Differentiable. Such a function must not turn a T into a double on the way. All other members of
/// D, and its constructors, are those of this class. The log densities are those of T = double to rounding.
template <class D>
class AutomaticGradient : public D {
  public:
    using D::D;
    AutomaticGradient() requires std::default_initializable<D>
    = default;
    explicit AutomaticGradient(D density) : D(std::move(density)) {}

    /// As HasBlockGradient; a likelihood of 0 counts as flat. Memory grows with the operations of one point.
    void evaluate_with_gradient(const Matrix& points, double b, std::span<double> log_prior,
                                std::span<double> log_likelihood, Eigen::Ref<Matrix> gradient) const {
        static_assert(HasTemplatedDensity<D>,
                      "this model lacks: template <class T> T log_prior(std::span<const T> x) const, or the same of "
                      "log_likelihood  (for automatic differentiation)");
        std::vector<Differentiable> x(static_cast<std::size_t>(points.rows()));
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const auto column = static_cast<Index>(i);
            const detail::Tape tape;
            for (std::size_t k = 0; k < x.size(); ++k)
                x[k] = points(static_cast<Index>(k), column);
            const std::span<const Differentiable> point(x);
            Differentiable sum = D::log_prior(point);
            log_prior[i] = sum.val();
            log_likelihood[i] = -infinity;
            if (!(log_prior[i] > -infinity))
                continue;
            const Differentiable likelihood = D::log_likelihood(point);
            log_likelihood[i] = likelihood.val();
            if (b != 0 && std::isfinite(log_likelihood[i]))
                sum += b * likelihood;
            stan::math::grad(sum.vi_);
            for (std::size_t k = 0; k < x.size(); ++k)
                gradient(static_cast<Index>(k), column) = x[k].adj();
        }
    }
};

/// The density with its gradient.
template <class D>
AutomaticGradient<D> with_automatic_gradient(D density) {
    return AutomaticGradient<D>(std::move(density));
}

} // namespace pearlite::model
