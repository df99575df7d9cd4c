#pragma once
/// The grown variables in the form of a Target, for results: a path of one step from nothing to n variables;
/// and growth that ends at fewer variables.

#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/model/target.hpp"

#include <memory>

namespace pearlite::model {

class GrownTarget final : public Target {
  public:
    explicit GrownTarget(std::shared_ptr<const GrowingTarget> growing);

    const GrowingTarget& growing() const { return *growing_; }
    GrowingStage& stage() { return *stage_; }
    const GrowingStage& stage() const { return *stage_; }
    /// Goes to the stage of n variables, from the first one if it lies behind.
    void go_to(Index n);

    // At the present stage.
    std::unique_ptr<Block> make_block(Index size) const override { return stage_->make_block(size); }
    void draw_start(Block& block, const BlockStreams& streams) const override { stage_->draw_first(block, streams); }
    void prepare(Block& block) const override { stage_->prepare(block); }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const override;
    void path_derivative(const Block& block, double b, std::span<double> out) const override;
    /// Without variables.
    std::optional<double> log_normaliser_start() const override { return growing_->log_normaliser_empty(); }
    /// With all of them.
    std::optional<double> exact_log_ratio(double) const override;
    void fingerprint(Fingerprint& fingerprint) const override { growing_->fingerprint(fingerprint); }
    bool path_is_linear() const override { return false; }

  private:
    std::shared_ptr<const GrowingTarget> growing_;
    std::unique_ptr<GrowingStage> stage_;
};

// A density that stops growing early.

/// The first n variables of a density that grows to more; `all` itself if it has just n. Only the capability
/// ParticleImages is kept. ContractViolation unless n is at least 1, and at most the number of variables.
std::shared_ptr<const GrowingTarget> first_variables(std::shared_ptr<const GrowingTarget> all, Index n);

} // namespace pearlite::model
