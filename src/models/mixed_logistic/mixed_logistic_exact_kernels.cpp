// The integrals of a mixed logistic regression by quadrature.
#include "models/mixed_logistic/mixed_logistic_kernels.hpp"
#include "models/mixed_logistic/mixed_logistic_lanes.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <cmath>
#include <numbers>

namespace pearlite::models::detail {

namespace {

/// The integrand alone.
template <int q>
struct Values {
    static Doubles at(const SubjectRows<q>& rows, const Effects<q>& v, Doubles log_unit, Mask<Doubles>) {
        return integrand<q>(rows, v, log_unit);
    }
};

/// The integrand; its values, and their products with what GroupSlopes has the means of, are added up on the way, where
/// they are wanted.
template <int q>
struct Moments {
    double *by_offsets, *by_slopes; ///< of the first lane, as the rows' own numbers
    double* wrong;                  ///< of the rows at one v
    Doubles total{};

    Doubles at(const SubjectRows<q>& rows, const Effects<q>& v, Doubles log_unit, Mask<Doubles> wanted) {
        LogisticProduct likelihood;
        for (Index row = 0; row < rows.n; ++row) {
            const Doubles t = predictor<q>(rows, row, v), e = exp_or_least(minus_absolute(t)), share = 1.0 / (1.0 + e);
            likelihood.multiply(t, e);
            likelihood.fold(row);
            store<Doubles>(wrong + row * lanes<Doubles>, t > 0.0 ? e * share : share);
        }
        const Doubles value = integrand_of<q>(likelihood, v, log_unit);
        const Mask<Doubles> counts = wanted & (value > negligible);
        if (any(counts))
            add(rows.n, v, counts ? value : Doubles{});
        return value;
    }
    /// Sums become means.
    void normalise(Index rows) {
        const auto divide = [&](double* sum) { store<Doubles>(sum, load<Doubles>(sum) / total); };
        for (Index row = 0; row < rows; ++row)
            divide(by_offsets + row * subjects_abreast);
        for (Index row = 0; row < rows * q; ++row)
            divide(by_slopes + row * subjects_abreast);
    }

  private:
    static constexpr double negligible = 1e-25; ///< beside the height of the peak

    void add(Index rows, const Effects<q>& v, Doubles value) {
        total += value;
        for (Index row = 0; row < rows; ++row) {
            const Doubles product = value * load<Doubles>(wrong + row * lanes<Doubles>);
            double* sum = by_offsets + row * subjects_abreast;
            store<Doubles>(sum, load<Doubles>(sum) + product);
            for (Index k = 0; k < q; ++k) {
                sum = by_slopes + (row * q + k) * subjects_abreast;
                store<Doubles>(sum, fused(product, v[static_cast<std::size_t>(k)], load<Doubles>(sum)));
            }
        }
    }
};

/// Grids of a step of each subject's own in coordinates x about the peak, v = mode + L'^-1 x.
template <int q>
struct Grid {
    SubjectRows<q> rows;
    Peak<q> peak;
    Doubles step;

    template <class At>
    Doubles value(const Effects<q>& x, Mask<Doubles> wanted, At& integrand) const {
        Effects<q> v = solve_upper<q>(peak.root, x);
        for (std::size_t k = 0; k < q; ++k)
            v[k] += peak.mode[k];
        return integrand.at(rows, v, peak.log_height, wanted);
    }

    /// Sum of the integrand, in units of its height at the peak, over coordinates axis .. q - 1, those before as they
    /// are in x. The grid has a point at 0, or where bit `axis` of `between` is set half a step from it. f and its
    /// marginals are log-concave: from 0 outwards terms may rise at first, but once a term has fallen and is negligible
    /// beside `already` and the sum so far, all terms beyond it are negligible. Lanes that are not wanted get any
    /// number, so that a subject's does not depend on its neighbours.
    template <int axis, class At>
    Doubles sum(unsigned between, Effects<q>& x, Doubles already, Mask<Doubles> wanted, At& integrand) const {
        if constexpr (axis == q) {
            return value(x, wanted, integrand);
        } else {
            const bool shifted = (between >> axis & 1) != 0;
            Doubles total{};
            if (!shifted) {
                x[axis] = Doubles{};
                total = sum<axis + 1>(between, x, already, wanted, integrand);
            }
            const Doubles centre = total;
            for (const double side : {1.0, -1.0}) {
                Doubles previous = centre;
                Mask<Doubles> active = wanted;
                for (int k = 0; k < most_steps && any(active); ++k) {
                    x[axis] = side * (k + (shifted ? 0.5 : 1.0)) * step;
                    const Doubles term = sum<axis + 1>(between, x, already + total, active, integrand);
                    total = active ? total + term : total;
                    active = active & ((term > previous) | (term > 1e-18 * (already + total)));
                    previous = term;
                }
            }
            return total;
        }
    }

  private:
    /// Steps to each side: they bound the cost if deviations are so large that the integrand is almost a step function.
    static constexpr int most_steps = q == 1 ? 1 << 14 : q == 2 ? 512 : q == 3 ? 64 : 32;
};

/// The trapezoidal rule, its step halved until two results agree. As its error falls exponentially in 1/step, two
/// results that agree to 1e-8 leave the finer with about the square of that. The grid's steps are then the finest.
template <int q>
Doubles integral(Grid<q>& grid) {
    constexpr int most_halvings = q == 1 ? 14 : q == 2 ? 5 : 3;
    grid.step = broadcast<Doubles>(1);
    Effects<q> x{};
    Values<q> values;
    Mask<Doubles> active = Doubles{} == Doubles{};
    Doubles sum = grid.template sum<0>(0, x, Doubles{}, active, values), cell = broadcast<Doubles>(1), result = sum;
    for (int halving = 0; halving < most_halvings && any(active); ++halving) {
        for (unsigned between = 1; between < 1u << q; ++between)
            sum += grid.template sum<0>(between, x, sum, active, values);
        grid.step = active ? 0.5 * grid.step : grid.step;
        cell *= std::pow(0.5, q);
        const Doubles change = absolute(cell * sum - result);
        result = active ? cell * sum : result;
        active = active & (change > 1e-8 * result);
    }
    return result;
}

/// With the grid of the finest steps.
template <int q>
void differentiate_lanes(const Grid<q>& grid, Index lane, GroupSlopes& slopes) {
    const Index rows = grid.rows.n;
    slopes.by_offsets.middleRows(lane, lanes<Doubles>).leftCols(rows).setZero();
    slopes.by_slopes.middleRows(lane, lanes<Doubles>).leftCols(rows * q).setZero();
    Moments<q> moments{slopes.by_offsets.data() + lane, slopes.by_slopes.data() + lane, slopes.wrong.data()};
    Effects<q> x{};
    grid.template sum<0>(0, x, Doubles{}, Doubles{} == Doubles{}, moments);
    moments.normalise(rows);
}

/// slopes: may be null.
template <int q>
void integrate_lanes(const GroupAtPoint& at, double* out, GroupSlopes* slopes) {
    for (Index lane = 0; lane < SubjectGroups::width; lane += lanes<Doubles>) {
        Grid<q> grid;
        grid.rows = {at.rows, at.offsets.data() + lane, at.slopes.data() + lane};
        grid.peak = find_peak<q>(grid.rows, 1e-4);
        Doubles determinant = broadcast<Doubles>(1);
        for (std::size_t k = 0; k < q; ++k)
            determinant *= grid.peak.root[k][k];
        const Doubles value = larger(integral<q>(grid), broadcast<Doubles>(1e-300));
        const Doubles log_value =
            grid.peak.log_height + (log(value) - log(determinant) - 0.5 * q * std::log(2 * std::numbers::pi));
        for (Index i = 0; i < lanes<Doubles>; ++i)
            out[lane + i] = log_value[i];
        if (slopes != nullptr)
            differentiate_lanes<q>(grid, lane, *slopes);
    }
}

void integrate_lanes(const GroupAtPoint& at, Index n_effects, double* out, GroupSlopes* slopes) {
    constexpr std::array kernels{integrate_lanes<1>, integrate_lanes<2>, integrate_lanes<3>, integrate_lanes<4>};
    PEARLITE_EXPECTS(n_effects >= 1 && n_effects <= static_cast<Index>(kernels.size()));
    kernels[static_cast<std::size_t>(n_effects - 1)](at, out, slopes);
}

} // namespace

template <class>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out) {
    integrate_lanes(at, n_effects, out.data(), nullptr);
}

template <class>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out,
                     GroupSlopes& slopes) {
    integrate_lanes(at, n_effects, out.data(), &slopes);
}

template void integrate_group<simd::Compiled>(const GroupAtPoint& at, Index n_effects,
                                              std::span<double, SubjectGroups::width> out);
template void integrate_group<simd::Compiled>(const GroupAtPoint& at, Index n_effects,
                                              std::span<double, SubjectGroups::width> out, GroupSlopes& slopes);

} // namespace pearlite::models::detail
