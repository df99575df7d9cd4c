#pragma once
/// Interface of the target of annealing, for samplers and kernels: a path of unnormalised densities f_b, b from 0 to
/// b_end, over blocks of particles. One virtual call serves a whole block; inside, everything is static
/// (target_of.hpp).

#include "pearlite/core/detail/block.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/capabilities.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// Spans of doubles over a block are indexed by slot and have size() elements; b is the inverse temperature. The
/// members mean what they mean in the concept AnnealedModel.
class Target : public Capabilities {
  public:
    virtual ~Target() = default;

    virtual std::unique_ptr<Block> make_block(Index size) const = 0;
    /// x ~ p_0 for every particle, ready for use.
    virtual void draw_start(Block& block, const BlockStreams& streams) const = 0;
    /// Recomputes quantities derived from the states, after unpack.
    virtual void prepare(Block& block) const = 0;
    /// out[i] += log f_to(x_i) - log f_from(x_i).
    virtual void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const = 0;
    /// out[i] = d log f_b(x_i)/db.
    virtual void path_derivative(const Block& block, double b, std::span<double> out) const = 0;

    /// log Z_0 where it is known in closed form.
    virtual std::optional<double> log_normaliser_start() const = 0;
    /// log Z_{b_end} - log Z_0 where it can be computed; may be costly.
    virtual std::optional<double> exact_log_ratio(double b_end) const = 0;
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
    /// log f_b is linear in b in the packed state (a geometric path), so that d E[u]/db = Var[u].
    virtual bool path_is_linear() const = 0;
    /// Also recomputes packed data that could be derived from the state, to recognise a model that has changed.
    virtual void recompute(Block& block) const { prepare(block); }

    /// Bytes of a packed particle.
    std::size_t particle_bytes() const { return make_block(1)->packed_bytes(); }
};

// Capabilities of targets, by name.

/// A transition of the model's own that leaves p_b invariant.
class Transition {
  public:
    virtual ~Transition() = default;
    /// One sweep.
    virtual void move(Block& block, double b, const BlockStreams& streams) const = 0;
    /// increments[i] += log f_to(x_i) - log f_from(x_i), then one sweep at `to`, then derivative[i] = d log f_b/db.
    virtual void anneal(Block& block, double from, double to, const BlockStreams& streams, std::span<double> increments,
                        std::span<double> derivative) const = 0;
};

/// The time reversal of that transition: p_b(x) T(y|x) = p_b(y) T_reversed(x|y).
class ReversedTransition {
  public:
    virtual ~ReversedTransition() = default;
    virtual void move_reversed(Block& block, double b, const BlockStreams& streams) const = 0;
    /// As Transition::anneal.
    virtual void anneal_reversed(Block& block, double from, double to, const BlockStreams& streams,
                                 std::span<double> increments, std::span<double> derivative) const = 0;
};

/// Exact independent draws from p_{b_end}, ready for use.
class EndSampler {
  public:
    virtual ~EndSampler() = default;
    virtual void draw_end(Block& block, double b_end, const BlockStreams& streams) const = 0;
};

/// A mode of p_{b_end}, drawn at random if there are several of equal height.
class ModeStart {
  public:
    virtual ~ModeStart() = default;
    virtual void set_mode(Block& block, double b_end, const BlockStreams& streams) const = 0;
};

/// States made from observed data.
class DataStart {
  public:
    virtual ~DataStart() = default;
    virtual void draw_data(Block& block, double b_end, const BlockStreams& streams) const = 0;
};

/// Exchanges the particles in slots i of two blocks of equal size wherever which[i] != 0, and the quantities derived
/// from them.
class StateSwap {
  public:
    virtual ~StateSwap() = default;
    virtual void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const = 0;
};

/// The expected cost of moving the block's particles, relative to other blocks; finite, 0 or more.
class BlockCost {
  public:
    virtual ~BlockCost() = default;
    virtual double cost(const Block& block) const = 0;
};

/// The particles are, or determine, quantities with names, so that there is a posterior to summarise. They may be more
/// or fewer than the coordinates that samplers move.
class ReportedParameters {
  public:
    virtual ~ReportedParameters() = default;
    virtual const std::vector<std::string>& parameter_names() const = 0;
    /// Names x block size, on the reported scale.
    virtual Matrix parameters(const Block& block) const = 0;
};

/// The data by name.
class DescribedData {
  public:
    virtual ~DescribedData() = default;
    virtual DataDescription describe_data() const = 0;
};

/// Predictions from points; x has the length of the coordinates that samplers move.
class Predictive {
  public:
    virtual ~Predictive() = default;
    virtual Prediction predict(std::span<const double> x, Index samples, const random::Address& address) const = 0;
};

/// The model along the path on which the points of its data are added one by one, with its own arithmetic.
class OwnDataPath {
  public:
    virtual ~OwnDataPath() = default;
    virtual std::shared_ptr<const Target> data_path() const = 0;
};

/// Data that were held out, by which a model of data is judged: log p(y) = log f_1(y) - log Z_1 each.
struct TestData {
    std::vector<double> log_densities;      ///< log f_1(y), one for each datum
    std::string form;                       ///< what was made of them, in a word: "stochastic"
    std::optional<std::uint64_t> seed = {}; ///< of what was drawn
};
class TestedModel {
  public:
    virtual ~TestedModel() = default;
    virtual TestData test_data() const = 0;
};

/// Particles as pictures: pixels x block size, in [0, 1].
class ParticleImages {
  public:
    virtual ~ParticleImages() = default;
    virtual Matrix images(const Block& block, double b) const = 0;
    virtual Index image_rows() const = 0;
    virtual Index image_columns() const = 0;
};

} // namespace pearlite::model
