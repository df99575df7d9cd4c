// Bennett's acceptance ratio (Bennett 1976; Habeck 2017, eq. 14).
//
//   L = log Z;  a_j = log(n_f/n_r) + L + W_j;  q_j = 1/(1 + e^{a_j});  sum_j q_j = n_r over forward and reverse works
#include "core/log_space.hpp"
#include "estimator/evidence/bootstrap.hpp"
#include "estimator/work/sharded_works.hpp"

#include <numeric>

namespace pearlite::estimator::detail {

double solve(const BennettEquation& equation) {
    const double target = equation.target, rest = equation.rest;
    if (rest <= 0)
        return target <= 0 ? 0 : -infinity; // no forward work is finite
    if (target <= 0)
        return infinity;
    // At the ends all q are above, or below, their mean.
    const double balance = std::log(rest / target) - equation.log_odds;
    double low = balance - equation.largest, high = balance - equation.smallest;
    double root = 0.5 * (low + high), stride = 1;
    constexpr double underflow = 1e-200, wide = 1e6;
    if (high - low > wide) { // a few huge works make the bracket, and say nothing about the root
        low = -infinity;
        high = infinity;
        root = 0;
    }
    for (int iteration = 0; iteration < 200; ++iteration) {
        // Newton on h(L) = log(sum q / target) - log(sum (1 - q) / rest), which is nearly a straight line: exactly so
        // far from all works.
        const auto sums = equation.sums(root);
        double h = 0, slope = 0;
        if (sums.q > underflow && sums.not_q > underflow) {
            h = std::log(sums.q / target) - std::log(sums.not_q / rest);
            slope = -sums.q_not_q * (1 / sums.q + 1 / sums.not_q);
        } else {
            const auto logs = equation.log_sums(root);
            h = (logs.log_q - std::log(target)) - (logs.log_not_q - std::log(rest));
            slope = -1;
        }
        (h > 0 ? low : high) = root;
        double next = root - h / slope;
        if (std::abs(next - root) <= 1e-13 * (1 + std::abs(root)))
            return next; // also where rounding puts it on an end of the bracket
        if (!(next > low && next < high)) {
            next = std::isfinite(high - low) ? 0.5 * (low + high) : root + (h > 0 ? stride : -stride);
            stride *= 2;
        }
        if (std::abs(next - root) <= 1e-13 * (1 + std::abs(root)) || high - low <= 1e-14 * (1 + std::abs(root)))
            return next;
        root = next;
    }
    return root;
}

} // namespace pearlite::estimator::detail

namespace pearlite::estimator {

namespace {

using detail::ShardedWorks;
using population::Shards;

constexpr std::uint32_t of_works = 3; ///< the draws of a work's address that say how often it occurs in the replicates

Estimate bar_value(const ShardedWorks& works, const char* error_method) {
    Estimate estimate{"bar", detail::solve_bar(works), {}, {}, error_method, ""};
    if (!std::isfinite(estimate.value))
        estimate.note = estimate.value < 0 ? "every forward work is infinite" : "every reverse work is infinite";
    return estimate;
}

/// Bennett's equations of R replicates: sum_j c_jr q_j(x + d_r) = target_r over the finite works, c_jr copies of work
/// j, at q(y) = 1/(1 + e^{W + y}), y = L + log(n_f/n_r), x that of all works themselves. Solved together, because a sum
/// for each replicate costs one reduction.
class ReplicateEquations {
  public:
    ReplicateEquations(const ShardedWorks& works, double x, const random::Seed& seed, std::size_t R,
                       const WorkBlocks& blocks)
        : works_(works), x_(x), seed_(seed), blocks_(blocks), copies_(R), equations_(R), present_(R) {
        std::iota(present_.begin(), present_.end(), std::size_t{0});
        count_copies();
    }

    /// Collective. log Z of every replicate; infinite if a replicate has no finite works of a direction. Replicates
    /// without any works of a direction are left out.
    std::vector<double> solve() {
        constexpr int most_iterations = 200;
        for (int iteration = 0; iteration < most_iterations && !present_.empty(); ++iteration)
            iterate();
        std::vector<double> values;
        for (const auto& equation : equations_)
            if (equation.n_forward > 0 && equation.n_reverse > 0)
                values.push_back(equation.value(x_));
        return values;
    }

  private:
    struct Equation {
        double n_forward = 0, n_reverse = 0, target = 0, rest = 0;
        double low = -infinity, high = infinity, d = 0; ///< the root's bracket, and its present value
        double stride = 1;                              ///< outwards, as long as an end of the bracket is unknown
        double infinite = 0;

        double value(double x) const { return infinite != 0 ? infinite : x + d - std::log(n_forward / n_reverse); }
    };

    /// The copies of a work, which are those of its block.
    void draw(std::uint64_t id) {
        const auto first_reverse = random::slot_id(1, 0);
        const bool is_reverse = id >= first_reverse;
        const auto start = is_reverse ? first_reverse : random::slot_id(0, 0);
        const auto block =
            start + (id - start) / static_cast<std::uint64_t>(is_reverse ? blocks_.reverse : blocks_.forward);
        if (drawn_ != block)
            draw_copies({seed_, random::Purpose::bootstrap, block, of_works}, copies_);
        drawn_ = block;
    }

    void count_copies() {
        const std::size_t R = equations_.size();
        std::vector<std::int64_t> counts(4 * R); // works, and finite ones, of both directions
        const auto first_reverse = random::slot_id(1, 0);
        works_.for_each([&](double w, std::uint64_t id) {
            draw(id);
            auto* const n = counts.data() + (id >= first_reverse ? 2 * R : 0);
            for (std::size_t r = 0; r < R; ++r)
                n[r] += copies_[r];
            if (std::isfinite(w))
                for (std::size_t r = 0; r < R; ++r)
                    n[R + r] += copies_[r];
        });
        works_.forward.ranks.sum(counts);
        for (std::size_t r = 0; r < R; ++r) {
            const auto count = [&](std::size_t k) { return static_cast<double>(counts[k * R + r]); };
            begin(equations_[r], count(0), count(1), count(2), count(3));
        }
        std::erase_if(present_, [&](std::size_t r) { return equations_[r].infinite != 0; });
    }

    /// Every finite forward work has q > 0: with none left, the reverse ones ask for sum q = their number.
    void begin(Equation& equation, double n_forward, double finite_forward, double n_reverse,
               double finite_reverse) const {
        equation.n_forward = n_forward;
        equation.n_reverse = n_reverse;
        equation.target = finite_reverse;
        equation.rest = finite_forward;
        if (equation.rest <= 0 || equation.target <= 0) {
            equation.infinite = equation.rest <= 0 ? -infinity : infinity;
            return;
        }
    }

    /// One step of all equations that are not yet solved.
    void iterate() {
        constexpr double largest = 700; // exp stays finite
        const std::size_t n = present_.size();
        std::vector<double> factors(n);
        for (std::size_t k = 0; k < n; ++k)
            factors[k] = std::exp(std::clamp(equations_[present_[k]].d, -largest, largest));
        detail::IntegerSums q_sums(n, works_.n_finite(), most_copies), product_sums(n, works_.n_finite(), most_copies);
        std::vector<double> copies(n), q_terms(n);
        works_.for_each([&](double w, std::uint64_t id) {
            if (!std::isfinite(w))
                return;
            draw(id);
            if (n == copies_.size())
                std::copy(copies_.begin(), copies_.end(), copies.begin());
            else
                for (std::size_t k = 0; k < n; ++k)
                    copies[k] = copies_[present_[k]];
            const double e = std::exp(std::clamp(w + x_, -largest, largest));
            for (std::size_t k = 0; k < n; ++k)
                q_terms[k] = 1 / (1 + e * factors[k]);
            q_sums.add([&](std::size_t k) { return copies[k] * q_terms[k]; });
            product_sums.add([&](std::size_t k) { return copies[k] * (q_terms[k] * (1 - q_terms[k])); });
        });
        const auto q = q_sums.total(works_.forward.ranks), product = product_sums.total(works_.forward.ranks);
        std::vector<std::size_t> left;
        for (std::size_t k = 0; k < n; ++k)
            if (!step(equations_[present_[k]], q[k], product[k]))
                left.push_back(present_[k]);
        present_ = left;
    }

    /// Newton's step, as in solve(), or a bisection where sums are too small to be precise. True when solved.
    static bool step(Equation& equation, double q, double product) {
        constexpr double imprecise = 1e-6, tolerance = 1e-9;
        const double not_q = equation.target + equation.rest - q;
        const bool is_below = q * equation.rest > not_q * equation.target;
        (is_below ? equation.low : equation.high) = equation.d;
        const auto is_near = [&](double next) {
            return std::abs(next - equation.d) <= tolerance * (1 + std::abs(next));
        };
        double next = equation.d;
        bool is_found = false;
        if (q > imprecise && not_q > imprecise && product > imprecise) {
            const double h = std::log(q / equation.target) - std::log(not_q / equation.rest);
            next += h / (product * (1 / q + 1 / not_q));
            // Rounding may put the root on an end of the bracket.
            is_found = is_near(next) || (next > equation.low && next < equation.high);
        }
        if (!is_found) {
            const double width = equation.high - equation.low;
            next = std::isfinite(width) ? equation.low + 0.5 * width
                                        : equation.d + (is_below ? equation.stride : -equation.stride);
            equation.stride *= 2;
        }
        const bool is_solved = is_near(next);
        equation.d = next;
        return is_solved;
    }

    const ShardedWorks& works_;
    double x_;
    random::Seed seed_;
    WorkBlocks blocks_;
    std::vector<std::uint16_t> copies_;  ///< of the block of works that was drawn last
    std::optional<std::uint64_t> drawn_; ///< this block
    std::vector<Equation> equations_;
    std::vector<std::size_t> present_; ///< the equations that are not yet solved
};

} // namespace

Estimate bar(const Shards& forward, const Shards& reverse) {
    const auto works = detail::sharded_works(forward, reverse);
    Estimate estimate = bar_value(works, "analytic");
    if (!std::isfinite(estimate.value))
        return estimate;
    const double effective = detail::posterior_sums(works, estimate.value).q_not_q;
    if (!(effective > 0)) {
        estimate.note = "no error bar: the works do not meet";
        return estimate;
    }
    estimate.standard_error = std::sqrt(std::max(0.0, 1 / effective - 1 / works.n_forward - 1 / works.n_reverse));
    estimate.interval95 = normal_interval(estimate.value, *estimate.standard_error);
    return estimate;
}

Estimate bar_bootstrap(const Shards& forward, const Shards& reverse, const random::Seed& seed, int replicates,
                       const WorkBlocks& blocks) {
    const auto works = detail::sharded_works(forward, reverse);
    Estimate estimate = bar_value(works, "bootstrap");
    const std::string refusal = "no error bar: some bootstrap samples hold only infinite works";
    if (!std::isfinite(estimate.value)) {
        estimate.note = refusal;
        return estimate;
    }
    ReplicateEquations equations(works, estimate.value + works.log_odds(), seed, static_cast<std::size_t>(replicates),
                                 blocks);
    add_bootstrap_errors(estimate, equations.solve(), refusal);
    return estimate;
}

Estimate bar_by_ancestors(const Shards& forward, const Shards& reverse, const population::Families& ancestors) {
    const auto works = detail::sharded_works(forward, reverse);
    Estimate estimate = bar_value(works, "ancestors");
    if (!std::isfinite(estimate.value))
        return estimate;
    const double information = detail::posterior_sums(works, estimate.value).q_not_q;
    if (!(information > 0)) {
        estimate.note = "no error bar: the works do not meet";
        return estimate;
    }
    const auto& ranks = forward.ranks;
    const auto posterior = [&](double w) { return 1 / (1 + std::exp(works.log_odds() + estimate.value + w)); };
    population::BlockSums means(2), squares(2);
    for (const auto* set : {&forward, &reverse})
        for (const double w : set->here)
            means.add(set == &forward ? 0 : 1, posterior(w));
    const auto sums = means.total(ranks);
    const double of_forward = sums[0] / works.n_forward, of_reverse = sums[1] / works.n_reverse;
    for (const double w : forward.here)
        squares.add(0, std::pow(posterior(w) - of_forward, 2));
    Matrix deviations(1, static_cast<Index>(reverse.here.size()));
    for (Index j = 0; j < deviations.cols(); ++j)
        deviations(0, j) = posterior(reverse.here[static_cast<std::size_t>(j)]) - of_reverse;
    const Matrix families = ancestors.sums(deviations);
    for (Index e = 0; e < families.cols(); ++e)
        squares.add(1, families(0, e) * families(0, e));
    const auto total = squares.total(ranks);
    estimate.standard_error = std::sqrt(total[0] + total[1]) / information;
    estimate.interval95 = normal_interval(estimate.value, *estimate.standard_error);
    return estimate;
}

WorkOverlap work_overlap(const Shards& forward, const Shards& reverse) {
    const auto works = detail::sharded_works(forward, reverse);
    const double log_ratio = detail::solve_bar(works);
    const auto ends = detail::ends_of(works);
    std::array<std::int64_t, 2> crossing{
        std::ranges::count_if(forward.here, [&](double w) { return w < ends.largest_reverse; }),
        std::ranges::count_if(reverse.here, [&](double w) { return w > ends.smallest_forward; })};
    forward.ranks.sum(crossing);
    WorkOverlap overlap;
    overlap.crossing_forward = crossing[0];
    overlap.crossing_reverse = crossing[1];
    if (!std::isfinite(log_ratio))
        return overlap;
    overlap.effective = detail::posterior_sums(works, log_ratio).q_not_q;
    // Both densities on all works by the histogram weights: p_f ~ 1/(n_f + n_r e^{-W}/Z), p_r = p_f e^{-W}/Z.
    const auto [shared, forward_mass] = works.sums<2>([&](double w) {
        const double a = works.log_odds() + log_ratio + w;
        const double p_forward = logistic(a) / works.n_forward, p_reverse = logistic(-a) / works.n_reverse;
        return std::array{std::min(p_forward, p_reverse), p_forward};
    });
    overlap.coefficient = forward_mass > 0 ? std::min(1.0, shared) : 0;
    return overlap;
}

} // namespace pearlite::estimator
