#pragma once
/// Interface of a model that learns its parameters from examples, for training: an exponential family p(v, h) of
/// observed units v and hidden units h, whose gradient is a difference of counts.
///
///     d/dtheta mean log p(v) = <s(v, h)>_data - <s(v, h)>_model,  s the statistics, whole numbers
///
/// A learner holds the parameters and their momentum. Blocks are examples or chains: the states (v, h) of many. One
/// virtual call serves a block.

#include "core/exact_sum.hpp"
#include "core/fields.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace pearlite::model {

/// theta += velocity, where velocity = momentum velocity + rate (gradient - decay theta); biases do not decay.
struct Ascent {
    double rate = 0, momentum = 0, decay = 0;
};

/// Counts of a gradient: 16 bits each, where that is enough for the largest.
using Counts = std::variant<std::span<std::int16_t>, std::span<std::int32_t>>;
using ConstCounts = std::variant<std::span<const std::int16_t>, std::span<const std::int32_t>>;

/// Sums over examples.
struct Fit {
    ExactSum free_energy;         ///< -log sum_h exp(theta's(v, h))
    std::int64_t wrong_units = 0; ///< observed units that differ from those of a state drawn given h, itself given v
};

class Learner {
  public:
    enum class Examples { training, held_out };

    virtual ~Learner() = default;

    virtual Index n_examples(Examples which) const = 0;
    /// Observed units of an example.
    virtual Index n_units() const = 0;
    /// Counts that a gradient consists of, padding included, which is 0.
    virtual Index n_counts() const = 0;
    /// Parameters and momentum.
    virtual void fields(Fields& f) = 0;
    /// The parameters in the order in which write() has them.
    virtual std::vector<double> parameters() const = 0;

    virtual std::unique_ptr<Block> make_block(Index size) const = 0;
    /// v is on as often as in the training examples, independent units.
    virtual void draw_start(Block& block, const BlockStreams& streams) const = 0;
    /// v is that of the training examples with these numbers, as they are drawn in an epoch.
    virtual void observe(Block& block, std::span<const Index> examples, std::uint32_t epoch) const = 0;
    /// h | v
    virtual void draw_hidden(Block& block, const BlockStreams& streams) const = 0;
    virtual void copy(const Block& from, Block& to) const = 0;
    /// v | h, then h | v
    virtual void sweep(Block& block, const BlockStreams& streams) const = 0;

    /// counts = data_factor sum of s over `data` - model_factor sum of s over `chains`; n_counts() of them.
    virtual void count(const Block& data, std::int32_t data_factor, const Block& chains, std::int32_t model_factor,
                       Counts counts) = 0;
    /// One step; the gradient is per_count times the counts. False if a parameter is no longer finite.
    virtual bool ascend(ConstCounts counts, double per_count, const Ascent& ascent) = 0;

    /// Chooses the examples that fit() looks at: `count` ones of each kind from number `first` on, whose binary units
    /// are drawn once and for all.
    virtual void watch(Examples which, Index first, Index count) = 0;
    /// Over the examples chosen. Random numbers of the generations 2 and 3.
    virtual Fit fit(Examples which, std::uint32_t step) const = 0;

    /// Pictures, a row of pixels in [0, 1] each: of the parameters of each hidden unit, and of the states of a block.
    virtual Images filters() const = 0;
    virtual Images samples(const Block& block) const = 0;
    /// Writes the parameters as a file of this name, which the model that is annealed reads. FileError.
    virtual void write(const std::filesystem::path& directory) const = 0;
    virtual std::string file_name() const = 0;
};

} // namespace pearlite::model
