#pragma once
/// Exponential families whose members a path of averaged moments joins (Grosse, Maddison & Salakhutdinov 2013):
///
///     p(x, h) = exp(eta's(x, h))/Z(eta),  s whole numbers, h hidden
///
/// The path of a geometric mean averages eta; that of moments averages E[s], so that it passes members whose moments
/// lie between those of its ends.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace pearlite::model {

class Target;

/// Markov chains of a member that changes.
class MomentChains {
  public:
    virtual ~MomentChains() = default;
    /// The member that chains move at from now on; false if a parameter is not finite.
    virtual bool set_parameters(std::span<const double> eta) = 0;
    virtual std::unique_ptr<Block> make_block(Index size) const = 0;
    /// x ~ the start of the path, then h | x at the present member.
    virtual void draw_start(Block& block, const BlockStreams& streams) const = 0;
    /// x | h, then h | x
    virtual void sweep(Block& block, const BlockStreams& streams) const = 0;
    /// counts = sum of s over the block.
    virtual void count(const Block& block, std::span<std::int32_t> counts) const = 0;
};

/// A target whose end, and start, are members. eta and s are lists of n_statistics() numbers, those of padding 0.
class MomentFamily {
  public:
    virtual ~MomentFamily() = default;
    virtual Index n_statistics() const = 0;
    virtual std::vector<double> start_parameters() const = 0;
    virtual std::vector<double> end_parameters() const = 0;
    /// E[s] at the start, exactly.
    virtual std::vector<double> start_moments() const = 0;
    virtual std::unique_ptr<MomentChains> make_chains() const = 0;
    /// The target along the path from the start through `knots` to the end, geometric between neighbours: the k-th knot
    /// is at inverse temperature at[k], from at.front() = 0, the start, to at.back() = 1, the end.
    virtual std::shared_ptr<const Target> through(std::span<const std::vector<double>> knots,
                                                  std::span<const double> at) const = 0;
};

} // namespace pearlite::model
