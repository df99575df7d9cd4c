#include "estimator/evidence/bridge_sampling.hpp"

#include <cmath>

namespace pearlite::estimator {

namespace {

using population::BlockSums;

/// Weights that sum to 1.
std::vector<double> normalised(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                               std::span<const double> log_weights, double& effective) {
    const auto summary = population::summarise(ranks, layout, log_weights);
    effective = summary.ess;
    std::vector<double> weights(log_weights.size(), 0.0);
    if (effective > 0)
        for (std::size_t i = 0; i < weights.size(); ++i)
            weights[i] = std::exp(log_weights[i] - summary.log_sum);
    return weights;
}

double logistic(double x) {
    return 1 / (1 + std::exp(-x));
}

class Equation {
  public:
    Equation(const parallel::Communicator& ranks, const parallel::BlockLayout& layout, const BridgedSample& particles,
             const population::Families& families, const BridgedSample& draws)
        : ranks_(ranks), layout_(layout), families_(families), of_p_(particles.log_ratios), of_q_(draws.log_ratios) {
        double ess = 0;
        p_ = normalised(ranks, layout, particles.log_weights, ess);
        q_ = normalised(ranks, layout, draws.log_weights, n_q_);
        if (ess > 0)
            n_p_ = 1 / squares_of_families([](std::size_t) { return 1.0; }, 0);
    }

    bool has_both_sides() const { return n_p_ > 0 && n_q_ > 0; }

    /// Collective. The root, by Newton's method on log mean_q h - log mean_p (1 - h) - log s, whose slope is between -2
    /// and 0.
    std::optional<double> root(double r) {
        constexpr int most_steps = 200;
        for (int step = 0; step < most_steps; ++step) {
            const auto [h, h_slope, rest, rest_slope] = sums(r);
            if (!(h > 0 && rest > 0))
                return {};
            const double value = std::log(h / rest) - log_odds();
            const double move = value / std::max(h_slope / h + rest_slope / rest, 0.5);
            r += move;
            if (std::abs(move) < 1e-12 * (1 + std::abs(r)))
                return r;
        }
        return {};
    }

    /// Collective.
    BridgeEstimate estimate(double r) {
        const auto [h, h_slope, rest, rest_slope] = sums(r);
        BlockSums squares(1);
        population::add_blocks<1>(squares, layout_, [&](std::size_t i) {
            const double value = q_[i] > 0 ? share_of_draw(i, r) : 0;
            return std::array<double, 1>{q_[i] * value * value};
        });
        const double square = squares.total(ranks_).front();
        const double mean = rest;
        const auto share = [&](std::size_t i) { return share_of_particle(i, r) / mean; };
        BridgeEstimate result;
        result.log_integral = r;
        result.variance_of_draws = std::max(square / (h * h) - 1, 0.0) / n_q_;
        result.variance_of_families = squares_of_families(share, 1);
        result.n_draws = n_q_;
        result.n_families = n_p_;
        result.effective_draws = n_q_ * h * h / square;
        result.effective_families = 1 / squares_of_families(share, 0);
        return result;
    }

  private:
    double log_odds() const { return std::log(n_p_ / n_q_); }
    double share_of_draw(std::size_t i, double r) const { return logistic(of_q_[i] - r + log_odds()); }
    /// 1 - h.
    double share_of_particle(std::size_t i, double r) const { return logistic(r - of_p_[i] - log_odds()); }

    /// The means of h and h (1 - h) over q, of 1 - h and h (1 - h) over p.
    std::array<double, 4> sums(double r) const {
        BlockSums sums(4);
        population::add_blocks<4>(sums, layout_, [&](std::size_t i) {
            std::array<double, 4> terms{};
            if (q_[i] > 0) {
                const double h = share_of_draw(i, r);
                terms[0] = q_[i] * h;
                terms[1] = terms[0] * (1 - h);
            }
            if (p_[i] > 0) {
                const double rest = share_of_particle(i, r);
                terms[2] = p_[i] * rest;
                terms[3] = terms[2] * (1 - rest);
            }
            return terms;
        });
        const auto total = sums.total(ranks_);
        return {total[0], total[1], total[2], total[3]};
    }

    /// sum_e (sum_{i in e} W_i (share(i) - centre))^2.
    template <class Share>
    double squares_of_families(const Share& share, double centre) const {
        Matrix terms(1, static_cast<Index>(p_.size()));
        for (std::size_t i = 0; i < p_.size(); ++i)
            terms(0, static_cast<Index>(i)) = p_[i] > 0 ? p_[i] * (share(i) - centre) : 0;
        const Matrix of_families = families_.sums(terms);
        BlockSums squares(1);
        for (Index e = 0; e < of_families.cols(); ++e)
            squares.add(0, of_families(0, e) * of_families(0, e));
        return squares.total(ranks_).front();
    }

    const parallel::Communicator& ranks_;
    const parallel::BlockLayout& layout_;
    const population::Families& families_;
    std::span<const double> of_p_, of_q_; ///< l
    std::vector<double> p_, q_;           ///< normalised weights
    double n_p_ = 0, n_q_ = 0;
};

} // namespace

std::optional<BridgeEstimate> bridge_sampling(const parallel::Communicator& ranks, const parallel::BlockLayout& layout,
                                              const BridgedSample& particles, const population::Families& families,
                                              const BridgedSample& draws, double start) {
    Equation equation(ranks, layout, particles, families, draws);
    if (!equation.has_both_sides())
        return {};
    const auto root = equation.root(start);
    if (!root)
        return {};
    return equation.estimate(*root);
}

} // namespace pearlite::estimator
