#pragma once
/// Replicates until the error bar is as small as wanted.

#include "algorithm/replicates/replicates.hpp"

#include <functional>

namespace pearlite::algorithm {

/// algorithm.target_error, algorithm.most_replicates and algorithm.most_particles.
struct TargetError {
    std::optional<double> error; ///< wanted standard error of the headline, in nats; absent: one round
    Index most_replicates = 1000;
    Index most_particles = Index{1} << 18; ///< of a population that is enlarged (enlarged.hpp)
};

/// Rounds of equally many replicates, one round after another: after each the spread of all replicates so far is
/// compared with the wanted error. The number of rounds depends on the estimates, so that an error bar that happens to
/// be small ends the run: with rounds of 8 normal replicates 95 % intervals cover 0.93 to 0.95 (simulated, for spreads
/// of 1.5 to 12 wanted errors). A round whose error bar is withheld is followed by another.
class Rounds final : public StagedSampler {
  public:
    /// Collective. Makes the replicates from `first` on of a run; `before` is the round before them, null for the
    /// first.
    using MakeRound = std::function<std::unique_ptr<Replicates>(Index first, Replicates* before)>;
    Rounds(const parallel::Communicator& ranks, const TargetError& target, MakeRound make);

    void begin() override { rounds_.back()->begin(); }
    bool finished() const override { return is_done_; }
    /// Collective. A step of the round at work, or the beginning of the next.
    void step() override;
    void fields(Fields& f) override;

    /// Likelihoods and work are those of all rounds; the rest is of the round at work, and earlier ones are stages.
    Progress progress() const override;
    Outcome outcome() const override;
    /// That of the round at work, with the replicates of all rounds.
    Found found() override;

    Index n_replicates() const { return static_cast<Index>(rounds_.size()) * of_a_round(); }
    std::vector<double> log_ratios() const;

  private:
    Sampler& current() const override { return *rounds_.back(); }
    Index of_a_round() const { return rounds_.front()->n_replicates(); }
    /// Collective; the last round has finished. Whether the error of all rounds is small enough.
    bool is_precise() const;

    parallel::Communicator ranks_;
    TargetError target_;
    MakeRound make_;
    std::vector<std::unique_ptr<Replicates>> rounds_; ///< as many replicates in each
    bool is_done_ = false;
};

} // namespace pearlite::algorithm
