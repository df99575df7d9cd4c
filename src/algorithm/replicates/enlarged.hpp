#pragma once
/// Populations, each larger than the one before, until the error bar is as small as wanted.

#include "algorithm/replicates/rounds.hpp"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The particles of the next population, by the estimates of one of `particles`, for the variance that is wanted less a
/// sixth, because an error bar has an error: of the headline, whose variance falls with their number, and of bridge
/// sampling, which needs fewer where it may become the headline. At least twice as many, at most 64 times.
Index enlarged_particles(Index particles, std::span<const estimator::Estimate> estimates, double wanted_error);

/// The first population is a pilot for the size of the second, and so on; the last one alone is the result. Its size
/// depends on the others and its estimate does not, so that an unbiased Z stays unbiased but for the stop itself, which
/// looks at the error bar. Earlier estimates are compared with the last.
class Enlarged final : public StagedSampler {
  public:
    /// Collective. Makes a population of that many particles, with a seed of its own for each stage.
    using Make = std::function<std::unique_ptr<Sampler>(Index particles, Index stage)>;
    /// The sizes are multiples of `multiple`, as `particles` is.
    Enlarged(const parallel::Communicator& ranks, const TargetError& target, Index particles, Index multiple,
             Make make);

    void begin() override { population_->begin(); }
    bool finished() const override { return is_done_; }
    /// Collective. A step of the population at work, or the beginning of the next.
    void step() override;
    void fields(Fields& f) override;

    /// Likelihoods are those of all populations; the rest is of the one at work, and earlier ones are stages.
    Progress progress() const override;
    Outcome outcome() const override;

    const std::vector<Index>& sizes() const { return sizes_; }

  private:
    Sampler& current() const override { return *population_; }
    void make_population() { population_ = make_(sizes_.back(), std::ssize(sizes_) - 1); }

    parallel::Communicator ranks_;
    TargetError target_;
    Index multiple_;
    Make make_;
    std::vector<Index> sizes_;                    ///< of all populations so far
    std::vector<double> log_ratios_, errors_;     ///< of those that have ended; an error that is not given is infinite
    std::optional<Index> likelihoods_before_ = 0; ///< of those before the one at work
    std::unique_ptr<Sampler> population_;
    bool is_done_ = false;
};

} // namespace pearlite::algorithm
