#include "estimator/mbar/ladder_mbar.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/mbar/mbar.hpp"
#include "parallel/reduction.hpp"

#include <fmt/format.h>

namespace pearlite::estimator {

namespace {

constexpr double not_solved = 1e-6; ///< of the gradient
constexpr double least_overlap = 1e-4;
constexpr Index piece = 1024; ///< records whose probabilities are in memory at once

class LadderProblem {
  public:
    LadderProblem(const Ladder& ladder, const LadderRecords& records)
        : ladder_(ladder),
          records_(records),
          b_(Eigen::Map<const Vector>(ladder.facts().inverse_temperature.data(),
                                      std::ssize(ladder.facts().inverse_temperature))) {
        PEARLITE_EXPECTS(records.scans > 0 &&
                         std::ssize(records.u) == std::ssize(ladder.rungs()) * systems() * records.scans);
    }

    Index temperatures() const { return b_.size(); }
    Index systems() const { return static_cast<Index>(ladder_.systems()); }
    /// Number of records at each temperature.
    double records() const { return static_cast<double>(systems() * records_.scans); }

    /// Collective.
    MbarObjective evaluate(const Vector& f) const {
        MbarSums sums(temperatures() + 1, temperatures());
        const Index of_rung = systems() * records_.scans;
        for (Index first = 0; first < std::ssize(records_.u); first += of_rung) {
            Vector vector = Vector::Zero(temperatures() + 1);
            Matrix products = Matrix::Zero(temperatures(), temperatures());
            at_pieces(f, first, of_rung, [&](const Matrix& p, double log_sum) {
                vector.head(temperatures()) += p.rowwise().sum();
                vector(temperatures()) += log_sum;
                products.selfadjointView<Eigen::Lower>().rankUpdate(p);
            });
            sums.add(vector, products);
        }
        sums.finish(ladder_.ranks());
        const Vector vector = sums.vector();
        MbarObjective objective{vector(temperatures()) - records() * f.sum(), vector.head(temperatures()),
                                -sums.matrix()};
        objective.hessian.diagonal() += objective.probabilities;
        return objective;
    }

    /// Collective. s_i of each system, a column each: T x R.
    Matrix scores(const Vector& f) const {
        constexpr Index at_once = 64; // an exact sum takes some 600 bytes
        Matrix scores(temperatures(), systems());
        for (Index begin = 0; begin < systems(); begin += at_once) {
            const Index n = std::min(at_once, systems() - begin);
            std::vector<ExactSum> sums(static_cast<std::size_t>(n * temperatures()));
            for (Index rung = 0; rung < std::ssize(ladder_.rungs()); ++rung)
                for (Index i = 0; i < n; ++i) {
                    Vector total = Vector::Zero(temperatures());
                    at_pieces(f, (rung * systems() + begin + i) * records_.scans, records_.scans,
                              [&](const Matrix& p, double) { total += p.rowwise().sum(); });
                    for (Index t = 0; t < temperatures(); ++t)
                        sums[at(i * temperatures() + t)].add(total(t));
                }
            parallel::exact_sum(ladder_.ranks(), std::span(sums));
            for (Index i = 0; i < n; ++i)
                for (Index t = 0; t < temperatures(); ++t)
                    scores(t, begin + i) =
                        sums[at(i * temperatures() + t)].value() - static_cast<double>(records_.scans);
        }
        return scores;
    }

  private:
    /// visit(p_t of some records, T x n; the sum of log sum_t N_t exp(f_t + b_t u) over them) for n records from first
    /// on, piece by piece.
    template <class Visit>
    void at_pieces(const Vector& f, Index first, Index n, const Visit& visit) const {
        const Vector shifts = f.array() + std::log(records());
        Matrix p;
        for (Index begin = first; begin < first + n; begin += piece) {
            const Eigen::Map<const Vector> u(records_.u.data() + begin, std::min(piece, first + n - begin));
            p.resize(temperatures(), u.size());
            for (Index i = 0; i < u.size(); ++i)
                p.col(i) = shifts + b_ * u(i);
            const Vector tops = p.colwise().maxCoeff().transpose();
            p.rowwise() -= tops.transpose();
            p = p.array().exp();
            const Vector totals = p.colwise().sum().transpose();
            p.array().rowwise() /= totals.transpose().array();
            visit(p, (tops.array() + totals.array().log()).sum());
        }
    }

    const Ladder& ladder_;
    const LadderRecords& records_;
    Vector b_;
};

/// Collective. f_t = -log Z_t/Z_0 by stepping stones.
Vector first_free_energies(const Ladder& ladder) {
    std::vector<double> here;
    for (const Rung& rung : ladder.rungs())
        here.push_back(rung.log_mean_ratio(ladder.systems()));
    const auto steps = ladder.ranks().all_gather(std::span<const double>(here));
    Vector f = Vector::Zero(std::ssize(steps));
    for (Index t = 1; t < f.size(); ++t)
        f(t) = f(t - 1) - steps[at(t - 1)];
    return f;
}

double least_overlap_of_neighbours(const Matrix& hessian, double records) {
    double least = 1;
    for (Index t = 0; t + 1 < hessian.rows(); ++t)
        least = std::min(least, -hessian(t, t + 1) / records);
    return least;
}

/// The standard errors of f_t - f_0; nothing if the Hessian is singular.
std::optional<Vector> errors_of(const Matrix& hessian, const Matrix& scores) {
    const Index n = hessian.rows() - 1;
    const auto factor = cholesky_factor(hessian.bottomRightCorner(n, n));
    if (!factor)
        return {};
    Vector squares = Vector::Zero(n + 1);
    for (const auto& score : scores.colwise())
        squares.tail(n) += cholesky_solution(*factor, score.tail(n)).cwiseAbs2();
    const auto systems = static_cast<double>(scores.cols());
    return (squares * systems / (systems - 1)).cwiseSqrt();
}

void give_error(LadderMbar& result, const LadderProblem& problem, const MbarMinimum& minimum) {
    auto& estimate = result.estimate;
    if (problem.systems() < least_systems) {
        estimate.note =
            fmt::format("no error bar: {} independent systems, fewer than {}", problem.systems(), least_systems);
        return;
    }
    const auto errors = errors_of(minimum.objective.hessian, problem.scores(minimum.f));
    if (!errors) {
        estimate.note = "no error bar: neighbouring temperatures hardly overlap";
        return;
    }
    result.standard_error.assign(errors->begin(), errors->end());
    const double error = result.standard_error.back();
    const double t = student_quantile(static_cast<double>(problem.systems() - 1), 0.975);
    estimate.standard_error = error;
    estimate.interval95 = Interval{estimate.value - t * error, estimate.value + t * error};
}

} // namespace

LadderMbar mbar_of_ladder(const Ladder& ladder, const LadderRecords& records) {
    const LadderProblem problem(ladder, records);
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> nothing(static_cast<std::size_t>(problem.temperatures()), none);
    LadderMbar result;
    result.estimate = {"mbar", none, {}, {}, "infinitesimal-jackknife", ""};
    result.log_ratio = result.standard_error = nothing;
    const Vector first = first_free_energies(ladder);
    if (!first.allFinite()) {
        result.estimate.refuse("neighbouring temperatures do not overlap");
        return result;
    }
    auto begun = std::optional(problem.evaluate(first));
    if (!(least_overlap_of_neighbours(begun->hessian, problem.records()) >= least_overlap)) {
        result.estimate.refuse("neighbouring temperatures do not overlap");
        return result;
    }
    // Stepping stones are so near that Newton's method takes two or three steps.
    const auto minimum =
        minimise(Vector::Constant(problem.temperatures(), problem.records()), first,
                 [&](const Vector& f) { return begun ? *std::exchange(begun, {}) : problem.evaluate(f); },
                 {.tolerance = 1e-8, .most_iterations = 10});
    if (!(minimum.gradient < not_solved)) {
        result.estimate.refuse(fmt::format("its equations are solved to {:.1e} only", minimum.gradient));
        return result;
    }
    for (Index t = 0; t < problem.temperatures(); ++t)
        result.log_ratio[at(t)] = minimum.f(0) - minimum.f(t);
    result.estimate.value = result.log_ratio.back();
    give_error(result, problem, minimum);
    return result;
}

} // namespace pearlite::estimator
