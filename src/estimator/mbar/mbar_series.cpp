// Samples as series, and whether they are of their states (mbar.hpp).
#include "core/linear_algebra/linear_algebra.hpp"
#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/mbar/mbar.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pearlite::estimator {

namespace {

/// w_k(x_n) of all states at the free energies that were found, block by block: visit(first, K x n).
template <class Visit>
void at_each_weights(const ReducedPotentials& data, const Mbar& result, const Visit& visit) {
    const Vector f = result.free_energies.unaryExpr([](double x) { return std::isfinite(x) ? x : -infinity; });
    for (Index first = 0; first < data.here.cols(); first += data.layout.block()) {
        const Index n = std::min(data.layout.block(), data.here.cols() - first);
        Matrix logs = -data.here.middleCols(first, n);
        logs.colwise() += f;
        for (Index i = 0; i < n; ++i) {
            double top = -infinity, total = 0;
            for (Index k = 0; k < data.states(); ++k)
                if (data.counts[at(k)] > 0)
                    top = std::max(top, logs(k, i));
            for (Index k = 0; k < data.states(); ++k)
                if (data.counts[at(k)] > 0)
                    total += static_cast<double>(data.counts[at(k)]) * std::exp(logs(k, i) - top);
            logs.col(i).array() -= top + std::log(total);
        }
        visit(first, Matrix(logs.array().exp()));
    }
}

std::vector<Index> sampled_states(const ReducedPotentials& data) {
    std::vector<Index> states;
    for (Index k = 0; k < data.states(); ++k)
        if (data.counts[at(k)] > 0)
            states.push_back(k);
    return states;
}

/// The linearised equations: deviations of f are M times those of the sums of w over all samples.
Matrix linearised(const ReducedPotentials& data, const Mbar& result) {
    const auto states = sampled_states(data);
    const Index k = data.states(), n = std::ssize(states);
    Vector counts(n);
    Matrix gram(k, n); // sums of w_i w_j
    for (Index s = 0; s < n; ++s) {
        counts(s) = static_cast<double>(data.counts[at(states[at(s)])]);
        gram.col(s) = result.overlap.col(states[at(s)]) / counts(s);
    }
    Matrix hessian(n, n);
    for (Index s = 0; s < n; ++s)
        hessian.row(s) = -counts(s) * gram.row(states[at(s)]).cwiseProduct(counts.transpose());
    hessian.diagonal() += counts;
    Matrix m = Matrix::Zero(k, k);
    if (n > 1) {
        const Matrix inverted = inverse(hessian.bottomRightCorner(n - 1, n - 1)); // f of the first sampled state stays
        for (Index s = 1; s < n; ++s)
            for (Index t = 1; t < n; ++t)
                m(states[at(s)], states[at(t)]) = -inverted(s - 1, t - 1) * counts(t);
    }
    for (Index u = 0; u < k; ++u)
        if (data.counts[at(u)] == 0) {
            for (Index s = 0; s < n; ++s)
                m.row(u) += gram(u, s) * counts(s) * m.row(states[at(s)]);
            m(u, u) = -1;
        }
    return m;
}

/// Collective. The variance of each state's part of some numbers, of each sample here, in the order of the samples.
std::vector<SeriesVariance> series_of_states(const ReducedPotentials& data, const std::vector<double>& numbers,
                                             SeriesVariance (*variance)(std::span<const double>) = series_variance) {
    const auto all = data.ranks.gather(std::span<const double>(numbers));
    const auto own = data.own_states();
    const auto states = data.ranks.gather(std::span<const Index>(own));
    std::vector<SeriesVariance> found(at(data.states()));
    parallel::on_root(data.ranks, [&] {
        std::vector<std::vector<double>> parts(at(data.states()));
        for (std::size_t i = 0; i < all.size(); ++i)
            parts[at(states[i])].push_back(all[i]);
        std::ranges::transform(parts, found.begin(), [&](const auto& part) { return variance(part); });
    });
    data.ranks.broadcast(std::span(found));
    return found;
}

/// The variance of numbers without infinities and clashes, which would hide how the others follow one another; a series
/// of no length for other numbers.
SeriesVariance variance_of_tame(std::span<const double> numbers) {
    constexpr double far = 10; // standard deviations
    const auto found = series_variance(numbers);
    const double mean = std::accumulate(numbers.begin(), numbers.end(), 0.0) / std::max(1.0, found.length);
    const double limit = far * std::sqrt(found.of_a_number);
    const bool is_tame = std::ranges::all_of(numbers, [&](double x) { return std::abs(x - mean) <= limit; });
    return is_tame ? found : SeriesVariance{};
}

/// The sampled state that overlaps state k most, but for `other`; -1 if there is none.
Index neighbour_of(const ReducedPotentials& data, const Mbar& result, Index k, Index other) {
    Index best = -1;
    for (const Index j : sampled_states(data))
        if (j != k && j != other && (best < 0 || result.overlap(k, j) > result.overlap(k, best)))
            best = j;
    return best;
}

} // namespace

void use_order(const ReducedPotentials& data, Mbar& result) {
    const Index k = data.states(), n = data.here.cols();
    std::vector<Index> nearest(at(k)), next(at(k));
    for (Index i = 0; i < k; ++i) {
        nearest[at(i)] = neighbour_of(data, result, i, -1);
        next[at(i)] = neighbour_of(data, result, i, nearest[at(i)]);
    }
    const auto own = data.own_states();
    const auto& f = result.free_energies;
    result.series.assign(at(k), {});
    for (Index i = 0; i < k; ++i)
        result.series[at(i)].length = static_cast<double>(data.counts[at(i)]);
    for (const auto* neighbours : {&nearest, &next}) {
        std::vector<double> differences(at(n), 0.0), probabilities(at(n), 0.0);
        for (Index i = 0; i < n; ++i) {
            const Index mine = own[at(i)], other = (*neighbours)[at(mine)];
            if (other < 0)
                continue;
            differences[at(i)] = data.here(other, i) - data.here(mine, i);
            probabilities[at(i)] = logistic(differences[at(i)] - f(other) + f(mine));
        }
        const auto of_differences = series_of_states(data, differences, variance_of_tame),
                   of_probabilities = series_of_states(data, probabilities);
        for (Index i = 0; i < k; ++i) {
            const auto& series = of_differences[at(i)].length > 0 ? of_differences[at(i)] : of_probabilities[at(i)];
            if (series.inefficiency() > result.series[at(i)].inefficiency())
                result.series[at(i)] = series;
        }
    }
    MbarSums sums(k * k, k);
    at_each_weights(data, result, [&](Index first, const Matrix& weights) {
        Matrix of_states = Matrix::Zero(k, k), scaled = weights;
        for (Index i = 0; i < weights.cols(); ++i) {
            const Index mine = own[at(first + i)];
            of_states.col(mine) += weights.col(i);
            scaled.col(i) *= std::sqrt(result.series[at(mine)].inefficiency());
        }
        sums.add(Eigen::Map<const Vector>(of_states.data(), k * k), row_products(scaled));
    });
    sums.finish(data.ranks);
    const Vector totals = sums.vector();
    Matrix b = sums.matrix();
    for (const Index s : sampled_states(data)) {
        const Vector total = totals.segment(s * k, k);
        b -= result.series[at(s)].inefficiency() / static_cast<double>(data.counts[at(s)]) * total * total.transpose();
    }
    const Matrix m = linearised(data, result);
    result.covariance = m * b * m.transpose();
}

double degrees_of(const ReducedPotentials& data, const Mbar& result, Index i, Index j) {
    if (result.series.empty())
        return infinity;
    const Matrix m = linearised(data, result);
    const Vector contrast = (m.row(j) - m.row(i)).transpose();
    const auto own = data.own_states();
    const Index k = data.states();
    MbarSums sums(2 * k, 0);
    at_each_weights(data, result, [&](Index first, const Matrix& weights) {
        Vector vector = Vector::Zero(2 * k);
        for (Index n = 0; n < weights.cols(); ++n) {
            const double part = contrast.dot(weights.col(n));
            vector(own[at(first + n)]) += part;
            vector(k + own[at(first + n)]) += part * part;
        }
        sums.add(vector, {});
    });
    sums.finish(data.ranks);
    const Vector found = sums.vector();
    PooledDegrees degrees;
    for (const Index s : sampled_states(data)) {
        const auto& series = result.series[at(s)];
        const double square = found(k + s) - found(s) * found(s) / series.length;
        degrees.add(series.inefficiency() * std::max(0.0, square), series.degrees);
    }
    return degrees.value();
}

namespace {

/// The third central moment of a sum of numbers of all states, from the sums of each state's first three powers.
double third_moment(const ReducedPotentials& data, const Vector& powers) {
    const Index k = data.states();
    double moment = 0;
    for (const Index s : sampled_states(data)) {
        const auto n = static_cast<double>(data.counts[at(s)]);
        const double mean = powers(s) / n;
        moment += powers(2 * k + s) - 3 * mean * powers(k + s) + 2 * n * mean * mean * mean;
    }
    return moment;
}

/// A studentised sum of numbers whose sum has that skewness, closer to a normal number (Hall 1992, J. R. Stat. Soc. B
/// 54).
double less_skewed(double z, double skewness) {
    return z + skewness * (z * z / 3 + 1.0 / 6) + skewness * skewness * z * z * z / 27;
}

} // namespace

bool OwnershipTest::passes() const {
    return !z || std::abs(*z) <= limit;
}

OwnershipTest ownership_test(const ReducedPotentials& data, const Mbar& result) {
    const Index k = data.states(), n = data.here.cols();
    const auto own = data.own_states();
    const auto& f = result.free_energies;
    // e = u - f, of which only differences within a state count.
    std::vector<double> scores(at(n)), own_potentials(at(n));
    MbarSums sums(k + 1, 0);
    const auto energy = [&](Index s, Index i) { return data.here(s, i) - f(s); };
    const auto mean_energy = [&](const Matrix& weights, Index first, Index i) {
        double mean = 0;
        for (Index s = 0; s < k; ++s)
            if (data.counts[at(s)] > 0 && weights(s, i) > 0)
                mean += static_cast<double>(data.counts[at(s)]) * weights(s, i) * energy(s, first + i);
        return mean;
    };
    at_each_weights(data, result, [&](Index first, const Matrix& weights) {
        Vector vector = Vector::Zero(k + 1); // S, and minus its derivatives by f
        for (Index i = 0; i < weights.cols(); ++i) {
            const double mean = mean_energy(weights, first, i);
            own_potentials[at(first + i)] = energy(own[at(first + i)], first + i);
            scores[at(first + i)] = own_potentials[at(first + i)] - mean;
            vector(k) += scores[at(first + i)];
            for (Index s = 0; s < k; ++s)
                if (data.counts[at(s)] > 0 && weights(s, i) > 0)
                    vector(s) +=
                        static_cast<double>(data.counts[at(s)]) * weights(s, i) * (energy(s, first + i) - mean);
        }
        sums.add(vector, {});
    });
    sums.finish(data.ranks);
    const Vector found = sums.vector();
    // Deviations of f, which are M times those of the sums of w, change S by minus the derivatives.
    Vector changes = -(linearised(data, result).transpose() * found.head(k));
    for (Index s = 0; s < k; ++s)
        if (data.counts[at(s)] == 0)
            changes(s) = 0;
    MbarSums powers(3 * k, 0);
    at_each_weights(data, result, [&](Index first, const Matrix& weights) {
        Vector vector = Vector::Zero(3 * k);
        for (Index i = 0; i < weights.cols(); ++i) {
            double& score = scores[at(first + i)];
            score += changes.dot(weights.col(i));
            const Index mine = own[at(first + i)];
            for (Index power = 0; power < 3; ++power)
                vector(power * k + mine) += std::pow(score, static_cast<double>(power + 1));
        }
        powers.add(vector, {});
    });
    powers.finish(data.ranks);
    const auto series = series_of_states(data, scores, variance_between_steps),
               spread = series_of_states(data, own_potentials);
    double variance = 0, of_potentials = 0;
    PooledDegrees degrees;
    for (Index s = 0; s < k; ++s) {
        const auto& of = series[at(s)];
        of_potentials += of.length * spread[at(s)].of_a_number;
        const double long_run = result.series.empty() ? of.of_a_number : of.long_run;
        variance += of.length * long_run;
        degrees.add(of.length * long_run, result.series.empty() ? infinity : of.degrees);
    }
    constexpr double rounding = 1e-9;
    OwnershipTest test;
    if (!(variance > rounding * of_potentials) || !std::isfinite(variance))
        return test;
    test.z = less_skewed(found(k) / std::sqrt(variance), third_moment(data, powers.vector()) / std::pow(variance, 1.5));
    if (std::isfinite(degrees.value())) {
        constexpr double one_sided = 3.167124183311992e-5; // of a normal number beyond 4
        test.limit = student_quantile(degrees.value(), 1 - one_sided);
    }
    return test;
}

} // namespace pearlite::estimator
