// The integrals of a mixed logistic regression by quadrature.
#include "models/mixed_logistic/mixed_logistic_kernels.hpp"
#include "models/mixed_logistic/mixed_logistic_lanes.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "simd/instructions.hpp"

#include <cmath>

namespace pearlite::models::detail {

namespace {

/// Coordinates x about the peak, v = mode + L'^-1 x.
template <int q>
class Chart {
  public:
    Chart(const SubjectRows<q>&, const Peak<q>& peak) : mode_(peak.mode), root_(peak.root) {}

    /// dv/dx, where it is the same for all x.
    Doubles volume() const {
        Doubles determinant = broadcast<Doubles>(1);
        for (std::size_t k = 0; k < q; ++k)
            determinant *= root_[k][k];
        return 1.0 / determinant;
    }
    /// v, and dv/dx in units of the volume.
    struct Place {
        Effects<q> v;
        Doubles density;
    };
    [[gnu::always_inline]] Place at(const Effects<q>& x) const {
        Place place{solve_upper<q>(root_, x), broadcast<Doubles>(1)};
        for (std::size_t k = 0; k < q; ++k)
            place.v[k] += mode_[k];
        return place;
    }

  private:
    Effects<q> mode_;
    Square<q> root_;
};

/// One effect: v = centre + unit sinh(y), y = y_peak + scale x. A large deviation makes the integrand a normal density
/// with sharp steps, all near the centre where predictors vanish; there points lie as close as the steps are wide, and
/// beyond ever farther apart, so that their number grows with the logarithm of the deviation. With a small one v is
/// practically linear in x.
template <>
class Chart<1> {
  public:
    Chart(const SubjectRows<1>& rows, const Peak<1>& peak) {
        Doubles products{}, steepest = broadcast<Doubles>(std::numbers::pi / widest);
        for (Index row = 0; row < rows.n; ++row) {
            const Doubles slope =
                smaller(absolute(rows.slope(row, 0)), broadcast<Doubles>(std::numbers::pi / narrowest));
            steepest = larger(steepest, slope);
        }
        // In units of the steepest: squares of large slopes would overflow.
        const Doubles inverse = 1.0 / steepest;
        Doubles squares = inverse * inverse;
        for (Index row = 0; row < rows.n; ++row) {
            const Doubles slope = rows.slope(row, 0) * inverse;
            squares = fused(slope, slope, squares);
            products = fused(slope, rows.offset(row) * inverse, products);
        }
        centre_ = -(products / squares);
        unit_ = std::numbers::pi * inverse;
        const Doubles z = (peak.mode[0] - centre_) / unit_, cosine = square_root(fused(z, z, broadcast<Doubles>(1)));
        const Doubles y = log(absolute(z) + cosine);
        at_peak_ = z < 0.0 ? -y : y;
        scale_ = smaller(1.0 / (peak.root[0][0] * unit_ * cosine), broadcast<Doubles>(largest_scale));
    }

    Doubles volume() const { return unit_ * scale_; }

    struct Place {
        Effects<1> v;
        Doubles density;
    };
    [[gnu::always_inline]] Place at(const Effects<1>& x) const {
        const Doubles e = exp_or_least(fused(scale_, x[0], at_peak_)), inverse = 1.0 / e;
        return {{fused(0.5 * unit_, e - inverse, centre_)}, 0.5 * (e + inverse)};
    }

  private:
    /// Limits of the unit, which is pi over the steepest slope: v is linear at the widest unit, and the steps of the
    /// integrand are jumps at the narrowest.
    static constexpr double widest = 64, narrowest = 1e-10;
    static constexpr double largest_scale = 0.4;

    Doubles centre_, unit_, at_peak_, scale_;
};

/// The integrand alone.
template <int q>
struct Values {
    using Place = typename Chart<q>::Place;
    static Doubles at(const SubjectRows<q>& rows, const Place& place, Doubles log_unit, Mask<Doubles>) {
        return place.density * integrand<q>(rows, place.v, log_unit);
    }
};

/// The integrand. On request it sums the values, and their products with the quantities that GroupSlopes averages.
template <int q>
class Moments {
  public:
    /// Moments of the subjects from `lane` on.
    Moments(Index lane, Index rows, GroupSlopes& slopes)
        : rows_(rows),
          by_offsets_(slopes.by_offsets.data() + lane),
          by_slopes_(slopes.by_slopes.data() + lane),
          wrong_(slopes.wrong.data()) {
        slopes.by_offsets.middleRows(lane, lanes<Doubles>).leftCols(rows).setZero();
        slopes.by_slopes.middleRows(lane, lanes<Doubles>).leftCols(rows * q).setZero();
    }

    using Place = typename Chart<q>::Place;
    Doubles at(const SubjectRows<q>& rows, const Place& place, Doubles log_unit, Mask<Doubles> wanted) {
        LogisticProduct likelihood;
        for (Index row = 0; row < rows_; ++row) {
            const Doubles t = predictor<q>(rows, row, place.v), e = exp_or_least(minus_absolute(t));
            const Doubles share = 1.0 / (1.0 + e);
            likelihood.multiply(t, e);
            likelihood.fold(row);
            store<Doubles>(wrong_ + row * lanes<Doubles>, t > 0.0 ? e * share : share);
        }
        const Doubles value = place.density * integrand_of<q>(likelihood, place.v, log_unit);
        const Mask<Doubles> counts = wanted & (value > negligible);
        if (any(counts))
            add(place.v, counts ? value : Doubles{});
        return value;
    }
    /// Sums become means.
    void normalise() {
        const auto divide = [&](double* sum) { store<Doubles>(sum, load<Doubles>(sum) / total_); };
        for (Index row = 0; row < rows_; ++row)
            divide(by_offsets_ + row * subjects_abreast);
        for (Index row = 0; row < rows_ * q; ++row)
            divide(by_slopes_ + row * subjects_abreast);
    }

  private:
    static constexpr double negligible = 1e-25; ///< beside the height of the peak

    Index rows_;
    double *by_offsets_, *by_slopes_; ///< of the first lane, as the rows' own numbers
    double* wrong_;                   ///< of the rows at one v
    Doubles total_{};

    void add(const Effects<q>& v, Doubles value) {
        total_ += value;
        for (Index row = 0; row < rows_; ++row) {
            const Doubles product = value * load<Doubles>(wrong_ + row * lanes<Doubles>);
            double* sum = by_offsets_ + row * subjects_abreast;
            store<Doubles>(sum, load<Doubles>(sum) + product);
            for (Index k = 0; k < q; ++k) {
                sum = by_slopes_ + (row * q + k) * subjects_abreast;
                store<Doubles>(sum, fused(product, v[static_cast<std::size_t>(k)], load<Doubles>(sum)));
            }
        }
    }
};

/// Grids of a step of each subject's own in the chart's coordinates.
template <int q>
struct Grid {
    SubjectRows<q> rows;
    Doubles log_height; ///< of the peak
    Chart<q> chart;
    Quadrature quadrature;
    double negligible; ///< a term beside the sum
    Doubles step = broadcast<Doubles>(1);

    Grid(const SubjectRows<q>& of, const Peak<q>& peak, Quadrature how)
        : rows(of),
          log_height(peak.log_height),
          chart(of, peak),
          quadrature(how),
          negligible(how == Quadrature::fine ? 1e-18 : 1e-8) {}

    /// Sum of the integrand, in units of its height at the peak, over coordinates axis .. q - 1, those before as they
    /// are in x. The grid has a point at 0, or where bit `axis` of `between` is set half a step from it. f and its
    /// marginals are log-concave: from 0 outwards terms may rise at first, but once a term has fallen and is negligible
    /// beside `already` and the sum so far, all terms beyond it are negligible. (dv/dx cannot change that: it grows no
    /// faster than exp |x|.) Lanes that are not wanted get any number, so that a subject's does not depend on its
    /// neighbours.
    template <int axis, class At>
    Doubles sum(unsigned between, Effects<q>& x, Doubles already, Mask<Doubles> wanted, At& integrand) const {
        if constexpr (axis == q) {
            return integrand.at(rows, chart.at(x), log_height, wanted);
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
                    active = active & ((term > previous) | (term > negligible * (already + total)));
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

/// The trapezoidal rule, its step halved until two results agree: the integrand is at all points of the finest grid
/// once. As the rule's error falls exponentially in 1/step, two results that agree to 1e-8 leave the finer with about
/// the square of that.
template <int q, class At>
Doubles integral(Grid<q> grid, At& integrand) {
    const int most_halvings = grid.quadrature == Quadrature::rough ? 0 : q == 1 ? 14 : q == 2 ? 5 : 3;
    Effects<q> x{};
    Mask<Doubles> active = Doubles{} == Doubles{};
    Doubles sum = grid.template sum<0>(0, x, Doubles{}, active, integrand), cell = broadcast<Doubles>(1), result = sum;
    for (int halving = 0; halving < most_halvings && any(active); ++halving) {
        for (unsigned between = 1; between < 1u << q; ++between) {
            const Doubles more = grid.template sum<0>(between, x, sum, active, integrand);
            sum = active ? sum + more : sum;
        }
        grid.step = active ? 0.5 * grid.step : grid.step;
        cell *= std::pow(0.5, q);
        const Doubles change = absolute(cell * sum - result);
        result = active ? cell * sum : result;
        active = active & (change > 1e-8 * result);
    }
    return result;
}

/// slopes: may be null.
template <int q>
void integrate_lanes(const GroupAtPoint& at, double* out, GroupSlopes* slopes, Quadrature quadrature) {
    for (Index lane = 0; lane < SubjectGroups::width; lane += lanes<Doubles>) {
        const SubjectRows<q> rows{at.rows, at.offsets.data() + lane, at.slopes.data() + lane};
        const Grid<q> grid(rows, find_peak<q>(rows, quadrature == Quadrature::fine ? 1e-4 : 1e-2), quadrature);
        const auto keep = [&](Doubles integral) {
            const Doubles value = larger(integral, broadcast<Doubles>(1e-300));
            const Doubles log_value =
                grid.log_height + (log(value) + log(grid.chart.volume()) - 0.5 * q * std::log(2 * std::numbers::pi));
            store<Doubles>(out + lane, log_value);
        };
        if (slopes == nullptr) {
            Values<q> values;
            keep(integral<q>(grid, values));
        } else {
            Moments<q> moments(lane, at.rows, *slopes);
            keep(integral<q>(grid, moments));
            moments.normalise();
        }
    }
}

void integrate_lanes(const GroupAtPoint& at, Index n_effects, double* out, GroupSlopes* slopes,
                     Quadrature quadrature = Quadrature::fine) {
    constexpr std::array kernels{integrate_lanes<1>, integrate_lanes<2>, integrate_lanes<3>, integrate_lanes<4>};
    PEARLITE_EXPECTS(n_effects >= 1 && n_effects <= static_cast<Index>(kernels.size()));
    kernels[static_cast<std::size_t>(n_effects - 1)](at, out, slopes, quadrature);
}

} // namespace

template <class>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out) {
    integrate_lanes(at, n_effects, out.data(), nullptr);
}

template <class>
void integrate_group(const GroupAtPoint& at, Index n_effects, std::span<double, SubjectGroups::width> out,
                     GroupSlopes& slopes, Quadrature quadrature) {
    integrate_lanes(at, n_effects, out.data(), &slopes, quadrature);
}

template void integrate_group<simd::Compiled>(const GroupAtPoint& at, Index n_effects,
                                              std::span<double, SubjectGroups::width> out);
template void integrate_group<simd::Compiled>(const GroupAtPoint& at, Index n_effects,
                                              std::span<double, SubjectGroups::width> out, GroupSlopes& slopes,
                                              Quadrature quadrature);

} // namespace pearlite::models::detail
