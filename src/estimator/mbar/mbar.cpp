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

/// Means of the reduced potentials over all samples that are possible: offsets of hundreds of kT are gone.
Vector first_guess(const ReducedPotentials& data, const Problem& problem) {
    MbarSums sums(2 * problem.size(), 0);
    at_each_block(data, [&](Index first, Index n) {
        Vector vector = Vector::Zero(2 * problem.size());
        for (Index i = first; i < first + n; ++i)
            for (Index s = 0; s < problem.size(); ++s)
                if (const double u = data.here(problem.state(s), i); u < 1e6) {
                    vector(s) += u;
                    vector(problem.size() + s) += 1;
                }
        sums.add(vector, {});
    });
    sums.finish(data.ranks);
    const Vector found = sums.vector();
    Vector f(problem.size());
    for (Index s = 0; s < problem.size(); ++s)
        f(s) = found(problem.size() + s) > 0 ? found(s) / found(problem.size() + s) : 0;
    return (f.array() - f(0)).matrix();
}

void check(const ReducedPotentials& data) {
    parallel::together(data.ranks, [&] {
        for (Index i = 0; i < data.here.cols(); ++i) {
            bool is_possible = false;
            for (Index k = 0; k < data.states(); ++k) {
                if (!(data.here(k, i) > -infinity))
                    throw InputError(fmt::format("sample {}: reduced potential {} in state {}, expected a number",
                                                 data.layout.first_local_item() + i + 1, data.here(k, i), k + 1));
                is_possible = is_possible || (data.counts[at(k)] > 0 && data.here(k, i) < infinity);
            }
            if (!is_possible)
                throw InputError(fmt::format("sample {}: impossible in every state that has samples",
                                             data.layout.first_local_item() + i + 1));
        }
    });
    if (std::ranges::all_of(data.counts, [](Index count) { return count == 0; }))
        throw_agreed(ErrorKind::input, "no state has samples, expected at least one");
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
    MbarSums sums(0, k);
    at_each_block(data, [&](Index first, Index n) {
        Matrix weights = -data.here.middleCols(first, n);
        weights.colwise() += result.free_energies;
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
    result.effective_samples = gram.diagonal().cwiseInverse();
    result.free_energies.array() -= result.free_energies(0);
    return result;
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
    MbarMinimum found{std::move(f), {}, 0, 0};
    auto& objective = found.objective;
    objective = evaluate(found.f);
    for (; found.iterations < limits.most_iterations; ++found.iterations) {
        const Vector gradient = objective.probabilities - counts;
        found.gradient = (gradient.array() / counts.array()).abs().maxCoeff();
        if (found.gradient < limits.tolerance || counts.size() == 1)
            break;
        const Vector step = newton_step(objective, gradient);
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
            if (!(gain < gradient.cwiseAbs().maxCoeff()) && found.gradient < 1e-6)
                break; // as near as rounding lets it come
        }
        found.f = trial;
        objective = *std::move(next);
    }
    return found;
}

} // namespace pearlite::estimator
