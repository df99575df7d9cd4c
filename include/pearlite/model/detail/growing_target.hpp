#pragma once
/// Interface of a density that grows variable by variable, for samplers of growing populations:
///
///     p_n(x_1..x_n) = f_n(x_1..x_n)/Z_n,  n = 1..N,    W_n(x) = integral of f_{n+1}/f_n over x_{n+1}
///
/// so that Z_{n+1}/Z_n = E_n[W_n] (Fraccaro, Paquet & Winther 2016, equation 2). One virtual call serves a block.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/capabilities.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// The density of the first n variables, with the data that all its particles share; n grows. Spans of doubles over a
/// block are indexed by slot and have size() elements.
class GrowingStage {
  public:
    virtual ~GrowingStage() = default;

    virtual Index n() const = 0;
    /// From n to n + 1 variables; n < N. The same numbers whichever way n was reached.
    virtual void grow() = 0;

    /// An empty block of particles of n variables.
    virtual std::unique_ptr<Block> make_block(Index size) const = 0;
    /// x_1 ~ p_1, exactly; n = 1.
    virtual void draw_first(Block& block, const BlockStreams& streams) const = 0;
    /// Recomputes quantities derived from the states, after unpack and after the stage has grown.
    virtual void prepare(Block& /*block*/) const {}
    /// A sweep of a kernel that leaves p_n invariant.
    virtual void sweep(Block& block, const BlockStreams& streams) const = 0;
    /// out[i] = log W_n(x_i), n < N. Where W_n has no closed form, x_{n+1} is proposed and kept in the block, and
    /// out[i] is the log of its weight, whose mean over proposals is W_n.
    virtual void smooth(Block& block, const BlockStreams& streams, std::span<double> out) const = 0;
    /// x_{n+1} ~ p_{n+1}(. | x), or the x_{n+1} that was proposed: afterwards the block belongs to n + 1 variables. n <
    /// N.
    virtual void augment(Block& block, const BlockStreams& streams) const = 0;
    /// out[i] = log f_n(x_i), up to a constant of the model.
    virtual void log_density(const Block& block, std::span<double> out) const = 0;
    /// States from which chains may start that find p_n's peaks by themselves. Only if the target can reseed.
    virtual void draw_seeds(Block& block, const BlockStreams& streams) const;
};

/// It may offer ReportedParameters and ParticleImages (model/target.hpp), HeldOutClasses and Approximated
/// (class_predictions.hpp), of blocks of N variables.
class GrowingTarget : public Capabilities {
  public:
    virtual ~GrowingTarget() = default;

    /// N >= 1.
    virtual Index n_variables() const = 0;
    /// The density of one variable.
    virtual std::unique_ptr<GrowingStage> first_stage() const = 0;
    /// log of the normaliser without variables: 0 for a probability that grows observation by observation.
    virtual double log_normaliser_empty() const { return 0; }
    /// log Z_1.
    virtual double log_normaliser_first() const = 0;
    /// log Z_N where it can be computed; may be costly.
    virtual std::optional<double> exact_log_normaliser() const { return {}; }
    /// The number of sweeps of a move, unless the configuration sets another.
    virtual Index default_sweeps() const { return 1; }
    /// Whether stages have draw_seeds().
    virtual bool can_reseed() const { return false; }
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
};

/// How a model grows.
class Growth {
  public:
    virtual ~Growth() = default;
    /// Orders in which variables are added, by name, the default first; never empty.
    virtual std::vector<std::string> orders() const = 0;
    /// The target that grows in this order; `seed` serves an order that is drawn at random.
    virtual std::shared_ptr<const GrowingTarget> growing(const std::string& order, std::uint64_t seed) const = 0;
    /// A phrase for the variables that are added, such as "the states, at these parameters"; may be empty.
    virtual std::string description() const { return {}; }
};

} // namespace pearlite::model
