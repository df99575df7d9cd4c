#include "estimator/mbar/mbar.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pearlite::estimator {

namespace {

/// Calls visit(columns) for each of this rank's blocks, as a range of columns of data.here.
template <class Visit>
void at_each_block(const ReducedPotentials& data, const Visit& visit) {
    for (Index first = 0; first < data.here.cols(); first += data.layout.block())
        visit(first, std::min(data.layout.block(), data.here.cols() - first));
}

/// The lower triangle of m m'.
Matrix lower_products(const Matrix& m) {
    Matrix products = Matrix::Zero(m.rows(), m.rows());
    products.selfadjointView<Eigen::Lower>().rankUpdate(m);
    return products;
}

/// The equations of the sampled states; states without samples follow from their solution.
class Problem {
  public:
    explicit Problem(const ReducedPotentials& data) : data_(data) {
        for (Index k = 0; k < data.states(); ++k)
            if (data.counts[at(k)] > 0)
                states_.push_back(k);
        counts_.resize(size());
        for (Index s = 0; s < size(); ++s)
            counts_(s) = static_cast<double>(data.counts[at(states_[at(s)])]);
    }
    Index size() const { return std::ssize(states_); }
    const Vector& counts() const { return counts_; }
    Index state(Index s) const { return states_[at(s)]; }

    /// log N_k + f_k - u_k(x_n) of a block, minus the largest of each sample, which goes to `tops`.
    void terms(const Vector& f, Index first, Index n, Matrix& terms, Vector& tops) const {
        const Vector shifts = counts_.array().log() + f.array();
        terms.resize(size(), n);
        if (size() == data_.states())
            terms = shifts.replicate(1, n) - data_.here.middleCols(first, n);
        else
            for (Index i = 0; i < n; ++i)
                for (Index s = 0; s < size(); ++s)
                    terms(s, i) = shifts(s) - data_.here(state(s), first + i);
        tops = terms.colwise().maxCoeff().transpose();
        for (Index i = 0; i < n; ++i)
            if (std::isfinite(tops(i)))
                terms.col(i).array() -= tops(i);
    }

    /// Collective.
    MbarObjective evaluate(const Vector& f) const {
        MbarSums sums(size() + 1, size());
        Matrix p;
        Vector tops, totals;
        at_each_block(data_, [&](Index first, Index n) {
            terms(f, first, n, p, tops);
            p = p.array().exp();
            totals = p.colwise().sum().transpose();
            p.array().rowwise() /= totals.transpose().array();
            Vector vector(size() + 1);
            vector.head(size()) = p.rowwise().sum();
            vector(size()) = (tops.array() + totals.array().log()).sum();
            sums.add(vector, lower_products(p));
        });
        sums.finish(data_.ranks);
        const Vector vector = sums.vector();
        MbarObjective objective{vector(size()) - counts_.dot(f), vector.head(size()), -sums.matrix()};
        objective.hessian.diagonal() += objective.probabilities;
        return objective;
    }

  private:
    const ReducedPotentials& data_;
    std::vector<Index> states_;
    Vector counts_;
};

/// Two guesses at the free energies, from sums over the samples of each state s: means of u_s, which differ from f by
/// entropies; and means of differences to the next state, of samples of both: exact for normal differences whose
/// variances are equal.
std::vector<Vector> guesses(const ReducedPotentials& data, const Problem& problem) {
    constexpr double largest = 1e9; // a clash says nothing about typical differences
    const Index n = problem.size();
    const auto own = data.own_states();
    std::vector<Index> place(at(data.states()), -1);
    for (Index s = 0; s < n; ++s)
        place[at(problem.state(s))] = s;
    MbarSums sums(6 * n, 0); // u, to the next, from the one before; and the numbers of these
    at_each_block(data, [&](Index first, Index size) {
        Vector vector = Vector::Zero(6 * n);
        const auto add = [&](Index kind, Index s, double value) {
            if (std::abs(value) < largest) {
                vector(kind * n + s) += value;
                vector((kind + 3) * n + s) += 1;
            }
        };
        for (Index i = first; i < first + size; ++i) {
            const Index s = place[at(own[at(i)])];
            const double u = data.here(problem.state(s), i);
            add(0, s, u);
            if (s + 1 < n)
                add(1, s, data.here(problem.state(s + 1), i) - u);
            if (s > 0)
                add(2, s, u - data.here(problem.state(s - 1), i));
        }
        sums.add(vector, {});
    });
    sums.finish(data.ranks);
    const Vector found = sums.vector();
    const auto mean = [&](Index kind, Index s) {
        const double count = found((kind + 3) * n + s);
        return count > 0 ? found(kind * n + s) / count : 0;
    };
    Vector of_means(n), of_differences = Vector::Zero(n);
    for (Index s = 0; s < n; ++s)
        of_means(s) = mean(0, s);
    for (Index s = 0; s + 1 < n; ++s)
        of_differences(s + 1) = of_differences(s) + 0.5 * (mean(1, s) + mean(2, s + 1));
    return {(of_means.array() - of_means(0)).matrix(), of_differences};
}

/// Collective. The guess at which the function is smaller.
Vector first_guess(const ReducedPotentials& data, const Problem& problem) {
    const auto all = guesses(data, problem);
    return problem.evaluate(all[0]).value <= problem.evaluate(all[1]).value ? all[0] : all[1];
}

void check(const ReducedPotentials& data) {
    if (std::ranges::all_of(data.counts, [](Index count) { return count == 0; }))
        throw_agreed(ErrorKind::input, "no state has samples, expected at least one");
    const auto own = data.own_states();
    parallel::together(data.ranks, [&] {
        for (Index i = 0; i < data.here.cols(); ++i) {
            const Index sample = data.layout.first_local_item() + i + 1;
            for (Index k = 0; k < data.states(); ++k)
                if (!(data.here(k, i) > -infinity))
                    throw InputError(fmt::format("sample {}: reduced potential {} in state {}, expected a number",
                                                 sample, data.here(k, i), k + 1));
            if (!(data.here(own[at(i)], i) < infinity))
                throw InputError(fmt::format("sample {}: impossible in state {}, which it was drawn from, expected a "
                                             "finite reduced potential",
                                             sample, own[at(i)] + 1));
        }
    });
}

/// Theta = (W' W)^{1/2} (I - (W' W)^{1/2} N (W' W)^{1/2})^+ (W' W)^{1/2} (Shirts & Chodera 2008, equation D7).
Matrix covariance_of(const Matrix& gram, const std::vector<Index>& counts) {
    const Index k = gram.rows();
    const Vector values = symmetric_eigenvalues(gram).cwiseMax(0);
    const Matrix vectors = symmetric_eigenvectors(gram);
    const Matrix root = vectors * values.cwiseSqrt().asDiagonal() * vectors.transpose();
    Vector n(k);
    for (Index i = 0; i < k; ++i)
        n(i) = static_cast<double>(counts[at(i)]);
    const Matrix inner = Matrix::Identity(k, k) - root * n.asDiagonal() * root;
    const Matrix symmetric = 0.5 * (inner + inner.transpose());
    const Vector eigenvalues = symmetric_eigenvalues(symmetric);
    const Matrix eigenvectors = symmetric_eigenvectors(symmetric);
    Vector inverse = Vector::Zero(k);
    constexpr double zero = 1e-10; // one is zero: all f may rise alike
    for (Index i = 0; i < k; ++i)
        if (eigenvalues(i) > zero)
            inverse(i) = 1 / eigenvalues(i);
    const Matrix half = root * eigenvectors;
    return half * inverse.asDiagonal() * half.transpose();
}

} // namespace

Mbar mbar(const ReducedPotentials& data, const MbarLimits& limits) {
    check(data);
    const Problem problem(data);
    const auto minimum = minimise(
        problem.counts(), first_guess(data, problem), [&](const Vector& f) { return problem.evaluate(f); }, limits);
    const Vector& f = minimum.f;
    Mbar result;
    result.iterations = minimum.iterations;
    result.gradient = minimum.gradient;

    // log sum_k N_k exp(f_k - u_k(x_n)) of each sample, then f of states without samples, then all weights.
    const Index k = data.states();
    Vector log_mixture(data.here.cols());
    Matrix terms;
    Vector tops;
    at_each_block(data, [&](Index first, Index n) {
        problem.terms(f, first, n, terms, tops);
        log_mixture.segment(first, n) = tops.array() + terms.array().exp().colwise().sum().transpose().log();
    });
    result.free_energies = Vector::Zero(k);
    for (Index s = 0; s < problem.size(); ++s)
        result.free_energies(problem.state(s)) = f(s);
    for (Index i = 0; i < k; ++i)
        if (data.counts[at(i)] == 0) {
            const Vector logs = -data.here.row(i).transpose() - log_mixture;
            result.free_energies(i) =
                -parallel::log_sum_exp(data.ranks, {logs.data(), static_cast<std::size_t>(logs.size())});
        }
    // No sample has a weight in a state in which none is possible.
    const Vector finite = result.free_energies.unaryExpr([](double x) { return std::isfinite(x) ? x : -infinity; });
    MbarSums sums(0, k);
    at_each_block(data, [&](Index first, Index n) {
        Matrix weights = -data.here.middleCols(first, n);
        weights.colwise() += finite;
        weights.rowwise() -= log_mixture.segment(first, n).transpose();
        weights = weights.array().exp();
        sums.add(Vector(), lower_products(weights));
    });
    sums.finish(data.ranks);
    const Matrix gram = sums.matrix();
    result.covariance = covariance_of(gram, data.counts);
    result.overlap = gram;
    for (Index j = 0; j < k; ++j)
        result.overlap.col(j) *= static_cast<double>(data.counts[at(j)]);
    result.effective_samples = gram.diagonal().unaryExpr([](double w) { return w > 0 ? 1 / w : 0; });
    while (!std::isfinite(result.free_energies(result.reference)))
        ++result.reference;
    const double zero = result.free_energies(result.reference);
    result.free_energies.array() -= zero;
    return result;
}

std::vector<Index> ReducedPotentials::own_states() const {
    if (!own.empty() || here.cols() == 0)
        return own;
    std::vector<Index> states;
    Index state = 0, end = counts.at(0);
    for (Index i = 0; i < here.cols(); ++i) {
        while (layout.first_local_item() + i >= end)
            end += counts.at(at(++state));
        states.push_back(state);
    }
    return states;
}

double Mbar::standard_error(Index i, Index j) const {
    return std::sqrt(std::max(0.0, covariance(i, i) + covariance(j, j) - 2 * covariance(i, j)));
}

double Mbar::weakest_link(const std::vector<Index>& counts) const {
    // The widest tree that spans the sampled states (Prim).
    std::vector<Index> outside;
    for (Index k = 0; k < std::ssize(counts); ++k)
        if (counts[at(k)] > 0)
            outside.push_back(k);
    std::vector<Index> inside{outside.back()};
    outside.pop_back();
    double weakest = 1;
    while (!outside.empty()) {
        auto next = outside.begin();
        double widest = -1;
        for (auto candidate = outside.begin(); candidate != outside.end(); ++candidate)
            for (const Index i : inside)
                if (const double link = std::min(overlap(i, *candidate), overlap(*candidate, i)); link > widest) {
                    widest = link;
                    next = candidate;
                }
        weakest = std::min(weakest, widest);
        inside.push_back(*next);
        outside.erase(next);
    }
    return weakest;
}

namespace {

/// Newton's step in all f but the first, which stays; with a ridge where states hardly overlap.
Vector newton_step(const MbarObjective& objective, const Vector& gradient) {
    const Index n = gradient.size() - 1;
    Vector step = Vector::Zero(n + 1);
    if (n == 0)
        return step;
    Matrix hessian = objective.hessian.bottomRightCorner(n, n);
    const double scale = std::max(hessian.diagonal().maxCoeff(), 1e-300);
    for (double ridge = 0; ridge < 1e10; ridge = ridge == 0 ? 1e-12 : 100 * ridge) {
        hessian.diagonal() = objective.hessian.diagonal().tail(n).array() + ridge * scale;
        if (const auto factor = cholesky_factor(hessian)) {
            step.tail(n) = -cholesky_solution(*factor, gradient.tail(n));
            if (step.allFinite())
                break;
        }
    }
    return step;
}

} // namespace

void MbarSums::add(const Vector& vector, const Matrix& matrix) {
    std::size_t place = 0;
    for (const double value : vector)
        sums_[place++].add(value);
    for (Index j = 0; j < matrix_; ++j)
        for (Index i = j; i < matrix_; ++i)
            sums_[place++].add(matrix(i, j));
}

void MbarSums::finish(const parallel::Communicator& ranks) {
    parallel::exact_sum(ranks, sums_);
}

Vector MbarSums::vector() const {
    return Vector::NullaryExpr(vector_, [&](Index i) { return sums_[static_cast<std::size_t>(i)].value(); });
}

Matrix MbarSums::matrix() const {
    Matrix whole(matrix_, matrix_);
    auto place = static_cast<std::size_t>(vector_);
    for (Index j = 0; j < matrix_; ++j)
        for (Index i = j; i < matrix_; ++i)
            whole(i, j) = whole(j, i) = sums_[place++].value();
    return whole;
}

MbarMinimum minimise(const Vector& counts, Vector f, const std::function<MbarObjective(const Vector& f)>& evaluate,
                     const MbarLimits& limits) {
    // The second derivatives change little over such steps; without samples in common they say nothing about longer
    // ones.
    constexpr double longest = 4;
    MbarMinimum found{std::move(f), {}, 0, 0};
    auto& objective = found.objective;
    objective = evaluate(found.f);
    for (; found.iterations < limits.most_iterations; ++found.iterations) {
        const Vector gradient = objective.probabilities - counts;
        found.gradient = (gradient.array() / counts.array()).abs().maxCoeff();
        if (found.gradient < limits.tolerance || counts.size() == 1)
            break;
        Vector step = newton_step(objective, gradient);
        if (const double length = step.cwiseAbs().maxCoeff(); length > longest)
            step *= longest / length;
        // A whole step first; then shorter ones; where no step of Newton's helps, the equations' own iteration.
        std::optional<MbarObjective> next;
        Vector trial;
        const double slope = gradient.dot(step);
        for (double length = 1; length > 1e-3 && !next && slope < 0; length /= 2) {
            trial = found.f + length * step;
            auto there = evaluate(trial);
            // Near the minimum the function itself is rounded more than its gradient.
            const bool is_lower = there.value <= objective.value + 1e-4 * length * slope ||
                                  (there.probabilities - counts).squaredNorm() < gradient.squaredNorm() / 4;
            if (std::isfinite(there.value) && is_lower)
                next = std::move(there);
        }
        if (!next) {
            trial = found.f.array() - (objective.probabilities.array().max(1e-300) / counts.array()).log();
            trial.array() -= trial(0);
            next = evaluate(trial);
            const double gain = (next->probabilities - counts).cwiseAbs().maxCoeff();
            const bool is_nearer = gain < gradient.cwiseAbs().maxCoeff();
            if (!is_nearer && (found.gradient < 1e-6 || !(next->value < objective.value)))
                break; // as near as rounding lets it come
        }
        found.f = trial;
        objective = *std::move(next);
    }
    return found;
}

} // namespace pearlite::estimator
