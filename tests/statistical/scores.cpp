#include "statistical/scores.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>

namespace pearlite::calibration {

Moments moments(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double x : values)
        mean += x / n;
    for (const double x : values)
        squares += (x - mean) * (x - mean);
    return {static_cast<Index>(values.size()), mean, std::sqrt(squares / (n - 1))};
}

Limits limits(Index n) {
    const double scale = std::max(1.0, std::sqrt(static_cast<double>(full_study) / static_cast<double>(n)));
    return {0.2 * scale, 1 - 0.15 * scale, 1 + 0.15 * scale};
}

bool accepted(const Moments& scores, Claim claim) {
    const auto limit = limits(scores.n);
    return std::abs(scores.mean) <= limit.mean && scores.sd <= limit.sd_high &&
           (claim == Claim::conservative || scores.sd >= limit.sd_low);
}

std::vector<double> normal_scores_of_t(std::span<const double> scores, double degrees_of_freedom) {
    const boost::math::students_t t(degrees_of_freedom);
    const boost::math::normal normal;
    std::vector<double> result;
    for (const double score : scores) { // by the tail, where probabilities near one would lose their digits
        const double magnitude = boost::math::quantile(
            boost::math::complement(normal, boost::math::cdf(boost::math::complement(t, std::abs(score)))));
        result.push_back(std::copysign(magnitude, score));
    }
    return result;
}

double bias_in_standard_errors(const Moments& ratios) {
    return std::abs(ratios.mean - 1) / (ratios.sd / std::sqrt(static_cast<double>(ratios.n)));
}

std::string Table::text() const {
    const auto line = [](const std::vector<std::string>& cells) {
        std::string text = "|";
        for (const auto& cell : cells)
            text += " " + cell + " |";
        return text + "\n";
    };
    std::string text = line(head_) + line(std::vector<std::string>(head_.size(), "---"));
    for (const auto& row : rows_)
        text += line(row);
    return text;
}

} // namespace pearlite::calibration
