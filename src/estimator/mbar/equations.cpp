#include "estimator/mbar/equations.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "parallel/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace pearlite::estimator {

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
