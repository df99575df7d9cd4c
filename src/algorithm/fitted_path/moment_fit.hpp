#pragma once
/// The knots of a path of averaged moments (Grosse, Maddison & Salakhutdinov 2013, section 3):
///
///     s_0 = E[s] at the start, in closed form;  s_1 = E[s] at the end, by Markov chains
///     for knots j = 1..n:
///         s_j = (1 - j/(n+1)) s_0 + j/(n+1) s_1
///         eta_j maximises eta's_j - log Z(eta), from eta_{j-1} on:
///             x ~ T_eta(. | x);  eta += rate (s_j - mean s(x))/V,  V the variance that each statistic has at s_j
///             log rate += 0.1 cos(angle between this gradient and the last)
///         eta_j = the mean of eta over the last half of the updates
///
/// s are whole numbers, so that their sums over ranks are exact: the knots are the same on any number of ranks. The
/// fit's quality changes the variance of what is annealed along the path, never the expectation of its Z.

#include "algorithm/common/sampler.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/model/detail/moment_family.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

// The keys of [path] that fit the knots of a path of averaged moments.

struct MomentSettings {
    enum class Spacing { even, length };

    Index knots = 9;
    Spacing spacing = Spacing::length;
    Index chains = 1000;
    Index end_sweeps = 2000;
    Index updates = 500; ///< of a knot
    double rate = 0.005;
    std::optional<std::uint64_t> fit_seed = {};

    void keys(Keys& k);
    random::Seed seed(const random::Seed& of_run) const;
    /// A comment line of `check`.
    std::string cost() const;
};

/// The knots between the ends of a path, and diagnostics of their fit.
struct MomentPath {
    std::vector<std::vector<double>> knots; ///< natural parameters
    std::vector<double> at;                 ///< inverse temperatures of all knots, with both ends
    /// (eta_{k+1} - eta_k)'(s_{k+1} - s_k) of each segment: n Var[log w] of n even steps along it, for perfect mixing
    /// of joint states (x, h); of x alone at most that.
    std::vector<double> cost;
    std::vector<double> rate; ///< of the last update of each knot
    /// The root of the mean of squares of (s_j - mean s)/sqrt(V) over statistics, and the largest |s_j - mean s|, by
    /// the last half of the updates.
    std::vector<double> rms_residual, largest_residual;

    void fields(Fields& f);
};

class MomentFit final : public Sampler {
  public:
    /// The number of chains in a piece; ranks share pieces.
    static constexpr Index piece = 16;

    MomentFit(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
              const MomentSettings& settings, const random::Seed& seed);

    void begin() override;
    bool finished() const override { return knot_ > settings_.knots; }
    /// Collective. One sweep, or one update.
    void step() override;
    void flush() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    /// The population has no particles.
    Found found() override;

    /// Once finished().
    const MomentPath& path() const { return path_; }

  private:
    Index sweeps_of_stage() const { return knot_ == 0 ? settings_.end_sweeps : settings_.updates; }
    /// Whether the present sweep belongs to the part of the stage that the mean is taken over.
    bool counts() const;
    void begin_stage();
    void update();
    void end_stage();
    void set_parameters(const std::vector<double>& eta);
    double fraction() const { return static_cast<double>(knot_) / static_cast<double>(settings_.knots + 1); }
    void make_path();

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    const model::MomentFamily& family_;
    MomentSettings settings_;
    random::Seed seed_;
    std::unique_ptr<model::MomentChains> chains_;
    parallel::BlockLayout layout_;
    std::unique_ptr<Block> block_; ///< this rank's chains
    population::Population population_;
    Trace trace_;

    Index knot_ = 0; ///< 0: the moments of the end
    Index sweep_ = 0, all_sweeps_ = 0;
    std::vector<double> start_moments_, end_moments_;
    std::vector<double> wanted_, eta_, sum_of_eta_; ///< of the present knot
    std::vector<double> gradient_;                  ///< of the last update
    double gradient_squares_ = 0, rate_;
    std::vector<std::int32_t> counts_;
    std::vector<std::int64_t> own_counts_, sum_of_counts_; ///< of sweeps for the mean: of this rank since the last sum
    MomentPath path_;
};

} // namespace pearlite::algorithm
