#include "algorithm/likelihood_constrained/level_record.hpp"

#include "core/log_space.hpp"

#include <cmath>

namespace pearlite::algorithm {

void LevelRecord::fields(Fields& f) {
    f("log_likelihood", log_likelihood);
    f("share", share);
    f("log_mass", log_mass);
    f("log_excluded", log_excluded);
    f("log_excluded_squares", log_excluded_squares);
    PEARLITE_EXPECTS(log_likelihood.size() == log_mass.size() && share.size() == log_mass.size() &&
                     log_excluded.size() == log_excluded_squares.size());
}

Matrix needed_levels(const LevelRecord& record, double log_start) {
    // A part of Var[Z]/Z^2 times N, to which each level adds about (1 - rho)/rho times the square of its share.
    constexpr double little = 0.1;
    const double log_z = log_sum_exp(record.log_excluded);
    std::size_t needed = static_cast<std::size_t>(record.size());
    double left = log_zero, squares = log_zero; // of the particles above level t
    for (std::size_t t = record.log_excluded.size(); t-- > 0;) {
        left = log_add(left, record.log_excluded[t]);
        squares = log_add(squares, record.log_excluded_squares[t]);
        const double log_mass = t == 0 ? log_start : record.log_mass[t - 1];
        if (std::exp(log_mass + squares - 2 * log_z) - std::exp(2 * (left - log_z)) <= little)
            needed = std::min(needed, t);
    }
    Matrix rows(static_cast<Index>(needed), 2);
    for (std::size_t t = 0; t < needed; ++t) {
        rows(static_cast<Index>(t), 0) = record.log_likelihood[t];
        rows(static_cast<Index>(t), 1) = record.share[t];
    }
    return rows;
}

Levels levels_of(const Matrix& rows) {
    Levels levels;
    for (Index t = 0; t < rows.rows(); ++t)
        levels.push_back({rows(t, 0), rows(t, 1)});
    return levels;
}

} // namespace pearlite::algorithm
