#include "algorithm/nonequilibrium/path_averages.hpp"

#include "parallel/reduction.hpp"

#include <cmath>

namespace pearlite::algorithm {

void PathAveraging::begin(double inverse_temperature) {
    temperatures_.push_back(inverse_temperature);
    sums_.resize(n_sums * temperatures_.size());
}

void PathAveraging::add_block(std::span<const double> signed_work, double sign, std::span<const double> derivatives) {
    // Plain loops in order: their bits depend on the block alone.
    double u = 0, u2 = 0, w = 0, w2 = 0;
    for (std::size_t i = 0; i < signed_work.size(); ++i) {
        u += derivatives[i];
        u2 += derivatives[i] * derivatives[i];
        w += signed_work[i];
        w2 += signed_work[i] * signed_work[i];
    }
    ExactSum* sums = sums_.data() + n_sums * (temperatures_.size() - 1);
    sums[0].add(u);
    sums[1].add(u2);
    sums[2].add(sign * w);
    sums[3].add(w2);
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
        const ExactSum* sums = sums_.data() + n_sums * k;
        averages.inverse_temperature.push_back(temperatures_[k]);
        averages.mean_u.push_back(sums[0].value() / count);
        averages.sd_u.push_back(sd(averages.mean_u.back(), sums[1].value() / count));
        averages.mean_work.push_back(sums[2].value() / count);
        averages.sd_work.push_back(sd(averages.mean_work.back(), sums[3].value() / count));
    }
    temperatures_.clear();
    sums_.clear();
}

} // namespace pearlite::algorithm
