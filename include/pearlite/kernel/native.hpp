#pragma once
/// The transition that a model brings itself: lattice sweeps, block Gibbs.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/parallel/communicator.hpp"
#include "pearlite/population/generation.hpp"

#include <algorithm>

namespace pearlite::kernel {

/// `sweeps` applications of the model's move per temperature. Nothing to adapt.
template <model::HasMove M>
class Native {
  public:
    using Model = M;
    using Block = typename M::Block;

    explicit Native(Index sweeps = 1) : sweeps_(sweeps) { PEARLITE_EXPECTS(sweeps >= 1); }

    Index moves() const { return sweeps_; }
    static constexpr bool adapts() { return false; }
    static constexpr bool accepts() { return false; }

    void adapt(const parallel::Communicator&, const population::Generation<Block>&, Index) {}

    /// Leaves p_b invariant; then derivative[i] = d log f_b/db at the new states. Returns the number of accepted
    /// proposals.
    Index move(const M& model, Block& block, double b, const model::BlockStreams& streams,
               std::span<double> derivative) const {
        for (Index sweep = 0; sweep < sweeps_; ++sweep)
            model.move(block, b, of_sweep(streams, sweep));
        model.path_derivative(block, b, derivative);
        return 0;
    }

    /// increments[i] += log f_to(x_i) - log f_from(x_i), then move() at `to`.
    Index anneal(const M& model, Block& block, double from, double to, const model::BlockStreams& streams,
                 std::span<double> increments, std::span<double> derivative) const {
        if constexpr (model::HasFusedAnneal<M>)
            if (sweeps_ == 1) {
                model.anneal(block, from, to, of_sweep(streams, 0), increments, derivative);
                return 0;
            }
        model.add_log_ratio(block, from, to, increments);
        return move(model, block, to, streams, derivative);
    }

    /// The time reversals of move() and anneal().
    Index move_reversed(const M& model, Block& block, double b, const model::BlockStreams& streams,
                        std::span<double> derivative) const requires model::TimeReversible<M> {
        for (Index sweep = 0; sweep < sweeps_; ++sweep)
            if constexpr (model::HasReversedMove<M>)
                model.move_reversed(block, b, of_sweep(streams, sweep));
            else
                model.move(block, b, of_sweep(streams, sweep));
        model.path_derivative(block, b, derivative);
        return 0;
    }
    Index anneal_reversed(const M& model, Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments,
                          std::span<double> derivative) const requires model::TimeReversible<M> {
        if constexpr (model::HasReversibleMove<M>)
            return anneal(model, block, from, to, streams, increments, derivative);
        if constexpr (model::HasFusedReversedAnneal<M>)
            if (sweeps_ == 1) {
                model.anneal_reversed(block, from, to, of_sweep(streams, 0), increments, derivative);
                return 0;
            }
        model.add_log_ratio(block, from, to, increments);
        return move_reversed(model, block, to, streams, derivative);
    }

    template <class Fields>
    void fields(Fields&) {}

  private:
    /// Each sweep of a step has its own address.
    model::BlockStreams of_sweep(model::BlockStreams streams, Index sweep) const {
        streams.step = streams.step * static_cast<std::uint32_t>(sweeps_) + static_cast<std::uint32_t>(sweep);
        return streams;
    }

    Index sweeps_;
};

} // namespace pearlite::kernel
