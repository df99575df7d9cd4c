#pragma once
/// Chains in a box as an operation moves them.

#include "pearlite/kernel/detail/box_operations.hpp"
#include "random/lanes.hpp"

#include <span>
#include <vector>

namespace pearlite::kernel {

/// The states of chains, and memory for an operation's draws and proposals. Arrays by lane have one lane for each chain
/// that takes part, lanes() with padding; a mutation moves all chains, so its lanes are the slots. The object refers to
/// the chains: pass it by value.
class BoxDraft {
  public:
    using Noise = decltype(BoxChains::noise_);
    using Cuts = decltype(BoxChains::cuts_);

    explicit BoxDraft(BoxChains& chains) : chains_(chains) {}

    Index dimension() const { return chains_.dimension(); }
    Index size() const { return chains_.size(); }
    Index padded_size() const { return chains_.padded_size(); }
    Index lanes() const { return chains_.lanes_; }
    /// The chains that take part, and their slots.
    Index n_proposed() const { return chains_.n_proposed(); }
    Index slot(Index lane) const { return chains_.slot(lane); }

    /// The states of all chains, by slots.
    const model::LaneMatrix& points() const { return chains_.points_; }
    /// The states of the chains that take part, and those of their partners, by lanes.
    const model::LaneMatrix& own() const { return chains_.columns(chains_.points_, chains_.work().own); }
    const model::LaneMatrix& first(const BoxChains& of) const {
        return chains_.columns(of.points_, chains_.work().first);
    }
    const model::LaneMatrix& second(const BoxChains& of) const {
        return chains_.columns(of.points_, chains_.work().second);
    }

    /// n rows of normal numbers, at most d + 1, by slots, at the purpose `move`.
    const Noise& draw_normals(Index n, const model::BlockStreams& streams) const {
        random::fill_normal_lanes(streams.at(random::Purpose::move, 0), padded_size(),
                                  std::span(chains_.noise_.data(), at(n * padded_size())));
        return chains_.noise_;
    }
    /// n rows of uniform numbers, at most max(d, 4), by slots.
    const model::LaneMatrix& draw_uniforms(Index n, random::Purpose purpose, const model::BlockStreams& streams) const {
        random::fill_uniform_lanes(streams.at(purpose, 0), padded_size(),
                                   std::span(chains_.uniforms_.data(), at(n * padded_size())));
        return chains_.uniforms_;
    }
    /// A normal number for each chain that takes part, in step().
    void draw_steps(const model::BlockStreams& streams) const {
        draw_normals(1, streams);
        chains_.take_noise(chains_.step_);
    }

    // By lanes:
    model::LaneMatrix& proposed() const { return chains_.work().proposed; }
    const Vector& scales() const { return chains_.scales_; }
    /// Steps, or factors of a direction.
    Vector& step() const { return chains_.step_; }
    /// The log of the proposal's Jacobian, 0 at first.
    Vector& log_jacobian() const { return chains_.log_jacobian_; }

    /// The length squared of the step that n normal numbers times the scale have made, and n: where the scale depends
    /// on the region, the ratio of the densities of a step and its return follows from them. n is 0 at first.
    Vector& square_step() const { return chains_.square_step_; }
    void set_normal_draws(Index n) const { chains_.normal_draws_ = n; }

    /// The one coordinate that a chain's mutation has changed (BoxOperationEntry::changes_one_coordinate).
    void set_coordinate(Index slot, Index k) const { chains_.chosen_[at(slot)] = k; }

    /// Room for the coordinates of one chain, and for d x lanes() marks.
    std::vector<Index>& coordinates() const { return chains_.coordinates_; }
    Cuts& cuts() const { return chains_.cuts_; }

  private:
    BoxChains& chains_;
};

} // namespace pearlite::kernel
