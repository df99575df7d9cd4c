#pragma once
/// The keys of [algorithm] on replicates and on the error that is wanted.

#include "algorithm/plans/algorithm.hpp"
#include "algorithm/replicates/rounds.hpp"

#include <functional>
#include <memory>
#include <string>

namespace pearlite::algorithm {

/// algorithm.replicates, algorithm.target_error and their limits. For the wanted error, replicates follow in rounds; or
/// populations are enlarged, where the algorithm can do that and no number of replicates is given.
struct ReplicateSettings {
    Index number = 1; ///< in a round
    TargetError target;
    bool enlarges = false;

    void keys(Keys& k);
    /// The same for an algorithm whose population can be enlarged. Sets `enlarges`, on which the first population's
    /// default size may depend.
    void enlarging_keys(Keys& k);
    /// algorithm.most_particles, once the first population's size is known.
    void largest_key(Keys& k, Index particles, const std::string& particles_name);
    /// Collective. Makes the next round's replicates from what a finished round has learnt.
    using Learn = std::function<Replicates::Make(Replicates& before)>;
    /// Collective. Replicates of `make`, or rounds of them until the error is small enough; `learn`, if given, makes
    /// the rounds after the first.
    std::unique_ptr<Sampler> sampler(const parallel::Communicator& ranks, const random::Seed& seed,
                                     const Replicates::Make& make, const Learn& learn = {}) const;
    /// A line of `check` on rounds or larger populations; empty without them.
    std::string cost() const;

  private:
    void list(Keys& k, bool may_enlarge);
};

/// A message on ranks without a block, empty if there are none: "3 of 7 ranks have no work: 64 particles in blocks of
/// 16 make 4 block(s)". `particles`: the particles of one replicate.
std::string describe_idle_ranks(int ranks, Index particles, Index block, const std::string& what, Index replicates);

} // namespace pearlite::algorithm
