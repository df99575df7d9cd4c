#include "algorithm/nonequilibrium/path_averages.hpp"

#include "parallel/reduction.hpp"

#include <cmath>

namespace pearlite::algorithm {

void PathAveraging::begin(double inverse_temperature) {
    temperatures_.push_back(inverse_temperature);
    sums_.resize(n_sums_ * temperatures_.size());
}

void PathAveraging::add_block(std::span<const double> signed_work, double sign, std::span<const double> derivatives,
                              const Matrix& quantities) {
    PEARLITE_EXPECTS(static_cast<std::size_t>(quantities.rows()) == n_quantities_);
    // Plain loops in order: their bits depend on the block alone.
    double u = 0, u2 = 0, w = 0, w2 = 0;
    for (std::size_t i = 0; i < signed_work.size(); ++i) {
        u += derivatives[i];
        u2 += derivatives[i] * derivatives[i];
        w += signed_work[i];
        w2 += signed_work[i] * signed_work[i];
    }
    ExactSum* sums = sums_.data() + n_sums_ * (temperatures_.size() - 1);
    sums[0].add(u);
    sums[1].add(u2);
    sums[2].add(sign * w);
    sums[3].add(w2);
    for (std::size_t q = 0; q < n_quantities_; ++q) {
        double x = 0, x2 = 0;
        for (Index i = 0; i < quantities.cols(); ++i) {
            const double value = quantities(static_cast<Index>(q), i);
            x += value;
            x2 += value * value;
        }
        sums[4 + 2 * q].add(x);
        sums[5 + 2 * q].add(x2);
    }
}

void PathAveraging::flush(const parallel::Communicator& ranks, Index n, PathAverages& averages) {
    if (temperatures_.empty())
        return;
    parallel::exact_sum(ranks, std::span(sums_));
    const auto count = static_cast<double>(n);
    const auto sd = [count](double mean, double mean_square) {
        const double variance = mean_square - mean * mean;
        return variance <= 0 || count < 2 ? 0 : std::sqrt(variance * count / (count - 1));
    };
    for (std::size_t k = 0; k < temperatures_.size(); ++k) {
        const ExactSum* sums = sums_.data() + n_sums_ * k;
        averages.inverse_temperature.push_back(temperatures_[k]);
        averages.mean_u.push_back(sums[0].value() / count);
        averages.sd_u.push_back(sd(averages.mean_u.back(), sums[1].value() / count));
        averages.mean_work.push_back(sums[2].value() / count);
        averages.sd_work.push_back(sd(averages.mean_work.back(), sums[3].value() / count));
        for (std::size_t q = 0; q < n_quantities_; ++q) {
            averages.mean_quantity.push_back(sums[4 + 2 * q].value() / count);
            averages.sd_quantity.push_back(sd(averages.mean_quantity.back(), sums[5 + 2 * q].value() / count));
        }
    }
    temperatures_.clear();
    sums_.clear();
}

} // namespace pearlite::algorithm
