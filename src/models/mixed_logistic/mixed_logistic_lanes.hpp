#pragma once
/// One subject per vector lane: the integrand f(v) = exp(-|v|^2 / 2) prod_j logistic(o_j + c_j' v), without the normal
/// density's constant, and its maximum.

#include "simd/elementary.hpp"

#include <limits>

namespace pearlite::models::detail {

using simd::absolute;
using simd::any;
using simd::broadcast;
using simd::Doubles;
using simd::exp_or_least;
using simd::fused;
using simd::lanes;
using simd::larger;
using simd::load;
using simd::log;
using simd::Mask;
using simd::minus_absolute;
using simd::smaller;
using simd::square_root;
using simd::store;

/// Subjects that stand side by side in memory: vector code takes them a register at a time.
inline constexpr Index subjects_abreast = 8;

/// q numbers, and q x q of them. (Not std::array: a template argument loses the attributes of a vector type.)
template <int q>
struct Effects {
    Doubles each[q];
    Doubles& operator[](std::size_t k) { return each[k]; }
    const Doubles& operator[](std::size_t k) const { return each[k]; }
};
template <int q>
struct Square {
    Effects<q> row[q];
    Effects<q>& operator[](std::size_t k) { return row[k]; }
    const Effects<q>& operator[](std::size_t k) const { return row[k]; }
};

/// The rows of some subjects at a point: signed predictors o and slopes c of the first lane, 8 doubles from one row
/// (and effect) to the next.
template <int q>
struct SubjectRows {
    Index n;
    const double* offsets;
    const double* slopes;

    Doubles offset(Index row) const { return load<Doubles>(offsets + row * subjects_abreast); }
    Doubles slope(Index row, int k) const { return load<Doubles>(slopes + (row * q + k) * subjects_abreast); }
};

/// log f as min(t, 0) summed, less the logarithm of factors 1 + exp(-|t|), less |v|^2 / 2: few logarithms are taken,
/// one after each run of rows whose product cannot overflow.
struct LogisticProduct {
    Doubles sum{}, product = broadcast<Doubles>(1);

    [[gnu::always_inline]] void multiply(Doubles t, Doubles exp_of_minus_absolute) {
        sum += smaller(t, Doubles{});
        product = fused(product, exp_of_minus_absolute, product);
    }
    /// After each row.
    [[gnu::always_inline]] void fold(Index row) {
        if ((row & 511) == 511)
            fold();
    }
    void fold() {
        sum -= log(product);
        product = broadcast<Doubles>(1);
    }
};

template <int q>
[[gnu::always_inline]] inline Doubles predictor(const SubjectRows<q>& rows, Index row, const Effects<q>& v) {
    Doubles t = rows.offset(row);
    for (int k = 0; k < q; ++k)
        t = fused(rows.slope(row, k), v[static_cast<std::size_t>(k)], t);
    return t;
}

template <int q>
[[gnu::always_inline]] inline Doubles inner_product(const Effects<q>& a, const Effects<q>& b) {
    Doubles sum{};
    for (std::size_t k = 0; k < q; ++k)
        sum = fused(a[k], b[k], sum);
    return sum;
}

/// log f with its gradient and minus its second derivatives (lower triangle).
template <int q>
struct Expansion {
    Doubles log_height;
    Effects<q> gradient;
    Square<q> curvature;
};

template <int q>
Expansion<q> expand(const SubjectRows<q>& rows, const Effects<q>& v) {
    Expansion<q> at{};
    for (std::size_t k = 0; k < q; ++k) {
        at.gradient[k] = -v[k];
        at.curvature[k][k] = broadcast<Doubles>(1);
    }
    LogisticProduct likelihood;
    for (Index row = 0; row < rows.n; ++row) {
        const Doubles t = predictor(rows, row, v);
        const Doubles e = exp_or_least(minus_absolute(t));
        likelihood.multiply(t, e);
        likelihood.fold(row);
        const Doubles share = 1.0 / (1.0 + e);
        const Doubles wrong = t > 0.0 ? e * share : share; // 1 - logistic(t)
        const Doubles weight = e * share * share;
        for (int k = 0; k < q; ++k) {
            const Doubles c = rows.slope(row, k), weighted = weight * c;
            const auto to = static_cast<std::size_t>(k);
            at.gradient[to] = fused(c, wrong, at.gradient[to]);
            for (int l = 0; l <= k; ++l) {
                auto& entry = at.curvature[to][static_cast<std::size_t>(l)];
                entry = fused(weighted, rows.slope(row, l), entry);
            }
        }
    }
    likelihood.fold();
    at.log_height = likelihood.sum - 0.5 * inner_product<q>(v, v);
    return at;
}

/// Lower triangular L, H = L L'; H is at least the identity.
template <int q>
Square<q> triangular_root(const Square<q>& h) {
    Square<q> root{};
    for (std::size_t k = 0; k < q; ++k)
        for (std::size_t l = 0; l <= k; ++l) {
            Doubles rest = h[k][l];
            for (std::size_t m = 0; m < l; ++m)
                rest -= root[k][m] * root[l][m];
            // Rounding may bring an ill-conditioned matrix below the identity, mathematics cannot.
            root[k][l] = k == l ? square_root(larger(rest, broadcast<Doubles>(1))) : rest / root[l][l];
        }
    return root;
}

/// x of L' x = y.
template <int q>
[[gnu::always_inline]] inline Effects<q> solve_upper(const Square<q>& root, Effects<q> y) {
    for (std::size_t k = q; k-- > 0;) {
        for (std::size_t l = k + 1; l < q; ++l)
            y[k] -= root[l][k] * y[l];
        y[k] = y[k] / root[k][k];
    }
    return y;
}

/// H^-1 g.
template <int q>
Effects<q> newton_step(const Square<q>& root, const Effects<q>& gradient) {
    Effects<q> y = gradient;
    for (std::size_t k = 0; k < q; ++k) {
        for (std::size_t l = 0; l < k; ++l)
            y[k] -= root[k][l] * y[l];
        y[k] = y[k] / root[k][k];
    }
    return solve_upper<q>(root, y);
}

/// The approximate maximiser of f, log f there, and the root L of its curvature.
template <int q>
struct Peak {
    Effects<q> mode;
    Doubles log_height;
    Square<q> root;
};

/// The largest number of steps of a search: any centre serves, a poor one only costs precision.
inline constexpr int most_newton_steps = 100;

/// Newton's method for one effect, safeguarded: log f is concave with curvature >= 1, so the mode lies between 0 and
/// the gradient there; a step that leaves the bracket, or follows one that did not halve the gradient, is replaced by
/// bisection. Ends if the next step is below `tolerance` standard deviations, and takes it; the gradient must be small
/// as well, since the curvature may be large only in passing.
inline Peak<1> find_peak(const SubjectRows<1>& rows, double tolerance, std::integral_constant<int, 1>) {
    Effects<1> v{};
    Expansion<1> at = expand<1>(rows, v);
    // A little wider, for a gradient that ends where it points.
    Doubles low = 1.001 * smaller(at.gradient[0], Doubles{}), high = 1.001 * larger(at.gradient[0], Doubles{});
    Doubles previous = broadcast<Doubles>(std::numeric_limits<double>::max());
    for (int step = 0; step < most_newton_steps; ++step) {
        const Doubles gradient = at.gradient[0], curvature = at.curvature[0][0];
        const Mask<Doubles> active =
            gradient * gradient > tolerance * tolerance * smaller(curvature, broadcast<Doubles>(4));
        if (!any(active))
            break;
        low = gradient > 0.0 ? v[0] : low;
        high = gradient > 0.0 ? high : v[0];
        const Doubles newton = v[0] + gradient / curvature;
        const Mask<Doubles> bisect = (newton <= low) | (newton >= high) | (absolute(gradient) > 0.5 * previous);
        const Doubles next = bisect ? 0.5 * (low + high) : newton;
        previous = bisect ? broadcast<Doubles>(std::numeric_limits<double>::max()) : absolute(gradient);
        v[0] = active ? next : v[0]; // a lane at its goal is left as it is, whatever its neighbours do
        at = expand<1>(rows, v);
    }
    const Doubles root = square_root(at.curvature[0][0]);
    const Doubles last = at.gradient[0] / at.curvature[0][0];
    const Mask<Doubles> close = absolute(last) * root <= broadcast<Doubles>(1);
    Peak<1> peak{v, at.log_height, {}};
    peak.mode[0] = close ? v[0] + last : v[0];
    peak.root[0][0] = root;
    return peak;
}

/// For more effects: Newton's method; where a full step goes too far (log f falls at its end, at more than a tenth of
/// the slope with which it rose) the step is shortened to where a straight slope vanishes.
template <int q>
Peak<q> find_peak(const SubjectRows<q>& rows, double tolerance, std::integral_constant<int, q>) {
    Effects<q> v{}, direction{};
    Doubles fraction_of_step = broadcast<Doubles>(1), rise{};
    Expansion<q> at{};
    Square<q> root{};
    Mask<Doubles> active = Doubles{} == Doubles{}, close = active;
    for (int step = 0; step < most_newton_steps && any(active); ++step) {
        Effects<q> trial;
        for (std::size_t k = 0; k < q; ++k)
            trial[k] = fused(fraction_of_step, direction[k], v[k]);
        const Expansion<q> there = expand<q>(rows, trial);
        const Doubles slope = inner_product<q>(there.gradient, direction);
        const Mask<Doubles> accepted = active & (slope >= -0.1 * rise);
        const auto replace = [&](Doubles& old, Doubles fresh) { old = accepted ? fresh : old; };
        const Square<q> fresh_root = triangular_root<q>(there.curvature);
        const Effects<q> fresh_direction = newton_step<q>(fresh_root, there.gradient);
        const Doubles fresh_rise = inner_product<q>(there.gradient, fresh_direction);
        const Doubles shortened =
            fraction_of_step * larger(broadcast<Doubles>(0.1), rise / larger(rise - slope, broadcast<Doubles>(1e-300)));
        fraction_of_step = accepted ? broadcast<Doubles>(1) : shortened;
        replace(at.log_height, there.log_height);
        replace(rise, fresh_rise);
        for (std::size_t k = 0; k < q; ++k) {
            replace(v[k], trial[k]);
            replace(direction[k], fresh_direction[k]);
            for (std::size_t l = 0; l <= k; ++l)
                replace(root[k][l], fresh_root[k][l]);
        }
        close = rise <= broadcast<Doubles>(1);
        const Mask<Doubles> reached =
            (rise <= broadcast<Doubles>(tolerance * tolerance)) &
            (inner_product<q>(there.gradient, there.gradient) <= broadcast<Doubles>(4 * tolerance * tolerance));
        active = active & ~(accepted & reached);
    }
    for (std::size_t k = 0; k < q; ++k)
        v[k] = close ? v[k] + direction[k] : v[k];
    return {v, at.log_height, root};
}

template <int q>
Peak<q> find_peak(const SubjectRows<q>& rows, double tolerance) {
    return find_peak(rows, tolerance, std::integral_constant<int, q>{});
}

/// The largest exponent, relative to the peak's height and before the product of up to 2^512 is divided out, that
/// arithmetic takes; a larger one means that the search has missed the peak by far.
inline constexpr double largest_excess = 400;

template <int q>
[[gnu::always_inline]] inline LogisticProduct likelihood_at(const SubjectRows<q>& rows, const Effects<q>& v) {
    LogisticProduct likelihood;
    for (Index row = 0; row < rows.n; ++row) {
        const Doubles t = predictor(rows, row, v);
        likelihood.multiply(t, exp_or_least(minus_absolute(t)));
        likelihood.fold(row);
    }
    return likelihood;
}

/// log f(v).
template <int q>
Doubles log_integrand(const SubjectRows<q>& rows, const Effects<q>& v) {
    LogisticProduct likelihood = likelihood_at<q>(rows, v);
    likelihood.fold();
    return likelihood.sum - 0.5 * inner_product<q>(v, v);
}

/// f(v) / exp(log_unit), constant below exp(-700) and cut off above exp(largest_excess).
template <int q>
[[gnu::always_inline]] inline Doubles integrand_of(const LogisticProduct& likelihood, const Effects<q>& v,
                                                   Doubles log_unit) {
    const Doubles log_height = likelihood.sum - 0.5 * inner_product<q>(v, v) - log_unit;
    return exp_or_least(smaller(log_height, broadcast<Doubles>(largest_excess))) / likelihood.product;
}
template <int q>
[[gnu::always_inline]] inline Doubles integrand(const SubjectRows<q>& rows, const Effects<q>& v, Doubles log_unit) {
    return integrand_of<q>(likelihood_at<q>(rows, v), v, log_unit);
}

} // namespace pearlite::models::detail
