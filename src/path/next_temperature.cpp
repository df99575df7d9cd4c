#include "path/next_temperature.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::path {

namespace {

/// The inverse temperature at which log_weight_sd is reached, or the end; also the end if the variance of u is not
/// finite because a likelihood is zero.
double farthest(const AdaptiveSchedule& wanted, double from, double variance_u) {
    const double end = wanted.inverse_temperature_end;
    if (!std::isfinite(wanted.log_weight_sd) || !std::isfinite(variance_u) || variance_u == 0)
        return end;
    return std::min(end, from + wanted.log_weight_sd / std::sqrt(variance_u));
}

/// The farthest step that is known to be short enough, and the shortest that is known to be too long.
struct Bracket {
    double low, high;
    double middle() const { return 0.5 * (low + high); }
};

/// The middles of all brackets that bisections of `whole` may come to, level by level: those that follow number k are
/// numbers 2 k + 1, if it is too far, and 2 k + 2.
std::vector<double> middles(const Bracket& whole, int levels) {
    std::vector<Bracket> brackets{whole};
    std::vector<double> all;
    for (std::size_t k = 0; k < (std::size_t{1} << levels) - 1; ++k) {
        const Bracket at = brackets[k];
        all.push_back(at.middle());
        brackets.push_back({at.low, all.back()});
        brackets.push_back({all.back(), at.high});
    }
    return all;
}

} // namespace

double next_of(const AdaptiveSchedule& wanted, double from, double variance_u, const ConditionalEss& conditional_ess,
               int levels) {
    PEARLITE_EXPECTS(levels >= 1);
    Bracket bracket{from, farthest(wanted, from, variance_u)};
    const auto is_short = [&](double ess) { return ess >= wanted.conditional_ess; };
    auto points = middles(bracket, levels);
    points.push_back(bracket.high);
    auto ess = conditional_ess(points);
    if (is_short(ess.back()))
        return bracket.high;
    constexpr int most = 60;
    int made = 0;
    const auto goes_on = [&] { return made < most && bracket.high - bracket.low > 1e-6 * (bracket.high - from); };
    while (goes_on()) {
        std::size_t k = 0;
        for (int level = 0; level < levels && goes_on(); ++level, ++made) {
            const bool moves_low = is_short(ess[k]);
            (moves_low ? bracket.low : bracket.high) = points[k];
            k = 2 * k + (moves_low ? 2 : 1);
        }
        if (goes_on()) {
            points = middles(bracket, levels);
            ess = conditional_ess(points);
        }
    }
    // The likelihood of a draw from a wide prior may be below any number: steps of all sizes are tried.
    constexpr int halvings = 1000; // of numbers that are not denormal
    for (int i = 0; bracket.low == from && i < halvings; ++i) {
        const double middle = bracket.middle();
        if (!(middle > from))
            break;
        (is_short(conditional_ess({&middle, 1}).front()) ? bracket.low : bracket.high) = middle;
    }
    if (!(bracket.low > from))
        throw NumericalError("the adaptive schedule found no step at inverse temperature " + std::to_string(from) +
                             ": the conditional ESS falls below its threshold at once");
    return bracket.low;
}

double next_of(const AdaptiveSchedule& wanted, double from, double variance_u,
               const std::function<double(double to)>& conditional_ess) {
    constexpr int levels = 1;
    const auto of_many = [&](std::span<const double> to) {
        std::vector<double> ess;
        for (const double b : to)
            ess.push_back(conditional_ess(b));
        return ess;
    };
    return next_of(wanted, from, variance_u, of_many, levels);
}

} // namespace pearlite::path
