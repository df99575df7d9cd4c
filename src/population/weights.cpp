#include "population/conditional_ess.hpp"

#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::population {

namespace {

/// Calls work(first, count) for each local block's range of local particles.
template <class Work>
void for_each_block(const parallel::BlockLayout& layout, Work&& work) {
    for (Index first = 0; first < layout.local_items(); first += layout.block())
        work(first, std::min(layout.block(), layout.local_items() - first));
}

void require_log_weight(double value, const parallel::BlockLayout& layout, std::size_t local) {
    if (!(value < -log_zero))
        throw NumericalError("the log weight of particle " +
                             std::to_string(layout.first_local_item() + static_cast<Index>(local)) + " is " +
                             (std::isnan(value) ? "NaN" : "infinite"));
}

/// Whole packets only, from the block's first particle, so that a sum's bits depend neither on where the arrays lie nor
/// on the compiler's choice of a tail.
constexpr Index n_lanes = 8;
using Lanes = Eigen::Array<double, n_lanes, 1>;

/// Calls work(packet of a, packet of b) for a block's particles; of one that is lost, either being log_zero, and beyond
/// the end they are log_zero and 0.
template <class Work>
void for_each_packet(std::span<const double> a, std::span<const double> b, Index first, Index count, Work&& work) {
    for (Index begin = first; begin < first + count; begin += n_lanes) {
        Lanes x = Lanes::Constant(log_zero), y = Lanes::Zero();
        for (Index lane = 0; lane < std::min(n_lanes, first + count - begin); ++lane) {
            const auto i = static_cast<std::size_t>(begin + lane);
            const bool is_lost = a[i] == log_zero || b[i] == log_zero;
            x[lane] = is_lost ? log_zero : a[i];
            y[lane] = is_lost ? 0 : b[i];
        }
        work(x, y);
    }
}

/// exp(x), x <= 0; 0 below the least positive normal number, where Eigen's exp is not.
Lanes exponential_or_zero(const Lanes& x) {
    constexpr double log_negligible = -700;
    const Lanes value = x.exp();
    Lanes chosen;
    for (Index lane = 0; lane < n_lanes; ++lane)
        chosen[lane] = x[lane] > log_negligible ? value[lane] : 0;
    return chosen;
}

} // namespace

double largest_log_weight(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                          std::span<const double> log_weights, const std::exception_ptr& failure,
                          std::span<double> further) {
    std::vector<double> largest{log_zero};
    const auto look = [&] {
        for (std::size_t i = 0; i < log_weights.size(); ++i) {
            require_log_weight(log_weights[i], layout, i);
            largest.front() = std::max(largest.front(), log_weights[i]);
        }
    };
    const auto error = failure ? failure : parallel::failure_of(look);
    largest.insert(largest.end(), further.begin(), further.end());
    parallel::agree(ranks, error, std::span(largest));
    std::copy(largest.begin() + 1, largest.end(), further.begin());
    return largest.front();
}

std::vector<double> BlockSums::total(const parallel::Communicator& ranks) {
    parallel::exact_sum(ranks, std::span(sums_));
    std::vector<double> values;
    values.reserve(sums_.size());
    for (const auto& sum : sums_)
        values.push_back(sum.value());
    return values;
}

WeightSummary summarise(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                        std::span<const double> log_weights, const std::exception_ptr& failure,
                        std::span<double> further) {
    PEARLITE_EXPECTS(static_cast<Index>(log_weights.size()) == layout.local_items());
    WeightSummary summary;
    summary.log_max = largest_log_weight(ranks, layout, log_weights, failure, further);
    if (summary.log_max == log_zero) {
        summary.log_sum = summary.log_mean = log_zero;
        return summary;
    }
    BlockSums sums(2);
    for_each_block(layout, [&](Index first, Index count) {
        double sum = 0, squares = 0;
        for (Index i = first; i < first + count; ++i) {
            const double w = std::exp(log_weights[static_cast<std::size_t>(i)] - summary.log_max);
            sum += w;
            squares += w * w;
        }
        sums.add(0, weight_term(sum));
        sums.add(1, weight_term(squares));
    });
    const auto total = sums.total(ranks);
    summary.log_sum = summary.log_max + std::log(total[0]);
    summary.log_mean = summary.log_sum - std::log(static_cast<double>(layout.size()));
    summary.ess = total[0] * total[0] / total[1];
    return summary;
}

std::vector<double> conditional_ess_of_steps(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                             std::span<const double> log_weights,
                                             const std::vector<std::vector<double>>& log_increments,
                                             const std::exception_ptr& failure) {
    // Sums of W e^{power inc}, power 0, 1, 2, each relative to its own largest term: a particle that is nothing in one
    // of them may be everything in another.
    constexpr std::size_t n_powers = 3;
    const std::size_t n_steps = log_increments.size();
    std::vector<double> log_max(n_powers * n_steps, log_zero);
    const auto look = [&] {
        for (std::size_t step = 0; step < n_steps; ++step) {
            const auto& increments = log_increments[step];
            PEARLITE_EXPECTS(log_weights.size() == increments.size());
            for (std::size_t i = 0; i < log_weights.size(); ++i) {
                if (log_weights[i] == log_zero || increments[i] == log_zero)
                    continue;
                require_log_weight(log_weights[i] + increments[i], layout, i);
                for (std::size_t power = 0; power < n_powers; ++power) {
                    double& largest = log_max[n_powers * step + power];
                    largest = std::max(largest, log_weights[i] + static_cast<double>(power) * increments[i]);
                }
            }
        }
    };
    parallel::agree(ranks, failure ? failure : parallel::failure_of(look), std::span(log_max));
    BlockSums sums(log_max.size());
    for (std::size_t step = 0; step < n_steps; ++step)
        for_each_block(layout, [&](Index first, Index count) {
            std::array<Lanes, n_powers> block_sums;
            block_sums.fill(Lanes::Zero());
            for_each_packet(
                log_weights, log_increments[step], first, count, [&](const Lanes& log_weight, const Lanes& increment) {
                    Lanes log_term = log_weight;
                    for (std::size_t power = 0; power < n_powers; ++power, log_term += increment)
                        block_sums[power] += exponential_or_zero(log_term - log_max[n_powers * step + power]);
                });
            for (std::size_t power = 0; power < n_powers; ++power)
                sums.add(n_powers * step + power, weight_term(block_sums[power].sum()));
        });
    const auto all = sums.total(ranks);
    std::vector<double> ess;
    for (std::size_t step = 0; step < n_steps; ++step) {
        const double *const largest = log_max.data() + n_powers * step, *const sum = all.data() + n_powers * step;
        ess.push_back(largest[0] == log_zero
                          ? 0
                          : std::exp(2 * largest[1] - largest[0] - largest[2]) * (sum[1] * sum[1] / (sum[0] * sum[2])));
    }
    return ess;
}

double conditional_ess(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                       std::span<const double> log_weights, std::span<const double> log_increments,
                       const std::exception_ptr& failure) {
    return conditional_ess_of_steps(ranks, layout, log_weights, {{log_increments.begin(), log_increments.end()}},
                                    failure)
        .front();
}

namespace {

/// Weights relative to the largest, and the weighted mean of the points.
struct Centre {
    Vector weights, mean;
    double total = 0;
};

Centre centre_of(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                 std::span<const double> log_weights, double log_max, const Eigen::Ref<const Matrix>& points) {
    PEARLITE_EXPECTS(points.cols() == layout.local_items());
    const Index d = points.rows();
    Centre centre{Vector(points.cols()), Vector(d)};
    auto& weights = centre.weights;
    for (Index i = 0; i < points.cols(); ++i)
        weights(i) = std::exp(log_weights[static_cast<std::size_t>(i)] - log_max);

    BlockSums first_moments(static_cast<std::size_t>(d) + 1);
    Vector sum(d);
    for_each_block(layout, [&](Index first, Index count) {
        double total = 0;
        sum.setZero();
        for (Index i = first; i < first + count; ++i) {
            total += weights(i);
            sum += weights(i) * points.col(i);
        }
        first_moments.add(0, total);
        for (Index k = 0; k < d; ++k)
            first_moments.add(static_cast<std::size_t>(k) + 1, sum(k));
    });
    const auto firsts = first_moments.total(ranks);
    centre.total = firsts[0];
    for (Index k = 0; k < d; ++k)
        centre.mean(k) = firsts[static_cast<std::size_t>(k) + 1] / firsts[0];
    return centre;
}

} // namespace

Moments weighted_moments(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                         std::span<const double> log_weights, double log_max, const Eigen::Ref<const Matrix>& points) {
    const Index d = points.rows();
    const auto centre = centre_of(ranks, layout, log_weights, log_max, points);
    const auto &weights = centre.weights, &mean = centre.mean;
    const double total = centre.total;
    Moments moments{mean, Matrix(d, d)};

    // The second pass is centred, so that a far-off mean does not swallow the variance.
    BlockSums second_moments(static_cast<std::size_t>(d * (d + 1) / 2));
    Vector centred(d), weighted(d);
    Matrix products(d, d);
    for_each_block(layout, [&](Index first, Index count) {
        products.setZero();
        for (Index i = first; i < first + count; ++i) {
            centred = points.col(i) - moments.mean;
            weighted = weights(i) * centred;
            for (Index column = 0; column < d; ++column)
                products.col(column).tail(d - column) += weighted.tail(d - column) * centred(column);
        }
        std::size_t k = 0;
        for (Index column = 0; column < d; ++column)
            for (Index row = column; row < d; ++row)
                second_moments.add(k++, products(row, column));
    });
    const auto seconds = second_moments.total(ranks);
    std::size_t k = 0;
    for (Index column = 0; column < d; ++column)
        for (Index row = column; row < d; ++row)
            moments.covariance(row, column) = moments.covariance(column, row) = seconds[k++] / total;
    return moments;
}

Variances weighted_variances(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                             std::span<const double> log_weights, double log_max,
                             const Eigen::Ref<const Matrix>& points) {
    const Index d = points.rows();
    const auto centre = centre_of(ranks, layout, log_weights, log_max, points);
    const auto &weights = centre.weights, &mean = centre.mean;
    const double total = centre.total;
    BlockSums squares(static_cast<std::size_t>(d));
    Vector sum(d);
    for_each_block(layout, [&](Index first, Index count) {
        sum.setZero();
        for (Index i = first; i < first + count; ++i)
            sum += weights(i) * (points.col(i) - mean).cwiseAbs2();
        for (Index k = 0; k < d; ++k)
            squares.add(static_cast<std::size_t>(k), sum(k));
    });
    const auto sums = squares.total(ranks);
    return {mean, Eigen::Map<const Vector>(sums.data(), d) / total};
}

} // namespace pearlite::population
