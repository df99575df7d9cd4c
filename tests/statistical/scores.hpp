#pragma once
/// Are stated errors true? Over many replicates with known answer, errors in units of the stated standard error
/// ("scores") have mean 0 and standard deviation 1, and exp(estimate - truth) of an unbiased estimate of Z has mean 1.

#include "pearlite/core/types.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::calibration {

struct Moments {
    Index n = 0;
    double mean = 0;
    double sd = 0; ///< of one value (n - 1)
};
Moments moments(std::span<const double> values);

/// The size of a full study. A sample sd of 200 scores has itself a standard error of 0.05.
inline constexpr Index full_study = 200;

/// What n scores must meet: |mean| <= 0.2 and 0.85 <= sd <= 1.15 from 200 scores on, and as many of their own standard
/// errors (1/sqrt(n) and 1/sqrt(2n)) for fewer: 2.8 and 3.0. At n <= 200 a true standard error with normal scores
/// misses the first in 0.5 % of all studies and the second in 0.3 %.
struct Limits {
    double mean;
    double sd_low, sd_high;
};
Limits limits(Index n);

/// How a stated error is to be read: as the standard error, or as an upper bound of it (no lower limit on the sd).
enum class Claim { exact, conservative };
bool accepted(const Moments& scores, Claim claim);

/// Scores of Student's t with the given degrees of freedom on the normal scale: the normal quantile of their t
/// probability.
std::vector<double> normal_scores_of_t(std::span<const double> scores, double degrees_of_freedom);

/// |mean - 1| in units of its standard error; 3 is exceeded by an unbiased estimate in 0.3 % of all studies.
double bias_in_standard_errors(const Moments& ratios);
inline constexpr double largest_bias_in_standard_errors = 3;

/// Lines of a table under its head; prints as Markdown.
class Table {
  public:
    explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const;

  private:
    std::vector<std::string> head_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace pearlite::calibration
