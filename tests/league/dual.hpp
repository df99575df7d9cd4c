#pragma once
/// Forward-mode derivatives of densities that are templates on their scalar.

#include "pearlite/core/types.hpp"

#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace pearlite::league {

/// A value with its derivative by one coordinate.
struct Dual {
    double value = 0, slope = 0;

    Dual() = default;
    Dual(double v, double s = 0) : value(v), slope(s) {} // NOLINT(google-explicit-constructor): numbers are constants
    Dual& operator+=(const Dual& b) {
        value += b.value;
        slope += b.slope;
        return *this;
    }
    friend Dual operator+(Dual a, const Dual& b) { return a += b; }
    friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
    friend Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
    friend Dual operator*(const Dual& a, const Dual& b) {
        return {a.value * b.value, a.slope * b.value + a.value * b.slope};
    }
    friend Dual operator/(const Dual& a, const Dual& b) {
        return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
    }
};

inline Dual exp(const Dual& a) {
    return {std::exp(a.value), std::exp(a.value) * a.slope};
}
inline Dual log(const Dual& a) {
    return {std::log(a.value), a.slope / a.value};
}
inline Dual log1p(const Dual& a) {
    return {std::log1p(a.value), a.slope / (1 + a.value)};
}
inline Dual sqrt(const Dual& a) {
    return {std::sqrt(a.value), 0.5 * a.slope / std::sqrt(a.value)};
}
inline Dual cos(const Dual& a) {
    return {std::cos(a.value), -std::sin(a.value) * a.slope};
}
inline Dual abs(const Dual& a) {
    return a.value < 0 ? -a : a;
}
inline double value_of(const Dual& a) {
    return a.value;
}
inline double value_of(double a) {
    return a;
}

/// log(e^a + e^b)
template <class T>
T log_add(const T& a, const T& b) {
    using std::exp, std::log1p;
    return value_of(a) < value_of(b) ? b + log1p(exp(a - b)) : a + log1p(exp(b - a));
}

/// D, whose log densities are templates on the scalar of the point, with their gradient: in one pass for each
/// coordinate, or by the D::gradient_of(x, b, out) that it has.
template <class D>
class WithGradient : public D {
  public:
    using D::D;
    void gradient(std::span<const double> x, double b, std::span<double> out) const {
        if constexpr (requires { D::gradient_of(x, b, out); })
            return D::gradient_of(x, b, out);
        std::vector<Dual> point(x.begin(), x.end());
        for (std::size_t k = 0; k < x.size(); ++k) {
            point[k].slope = 1;
            const std::span<const Dual> at(point);
            out[k] = D::template prior<Dual>(at).slope + (b > 0 ? b * D::template likelihood<Dual>(at).slope : 0);
            point[k].slope = 0;
        }
    }
};

/// The members of a density by its templates prior<T>(x) and likelihood<T>(x) of log densities.
template <class D>
class Templated {
  public:
    double log_prior(std::span<const double> x) const { return self().template prior<double>(x); }
    double log_likelihood(std::span<const double> x) const { return self().template likelihood<double>(x); }

  private:
    const D& self() const { return static_cast<const D&>(*this); }
};

} // namespace pearlite::league
