#pragma once
/// The concepts a model fulfils to be annealed along a path of unnormalised densities f_b, b from 0 to b_end: x ~ p_0
/// is easy, p_{b_end} is wanted.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

namespace pearlite::model {

/// Spans of doubles over a block are indexed by slot and have size() elements. b is the inverse temperature on the
/// path.
///   make_block(n)                        an empty block of n particles
///   draw_start(block, streams)           x ~ p_0 for every particle, ready for use
///   prepare(block)                       recompute what is derived from the states, after unpack
///   add_log_ratio(block, from, to, out)  out[i] += log f_to(x_i) - log f_from(x_i)
///   path_derivative(block, b, out)       out[i] = d log f_b(x_i)/db; for a geometric path u = log f_1 - log f_0
///   log_normaliser_start()               log Z_0 where known in closed form
///   exact_log_ratio(b_end)               log Z_{b_end} - log Z_0 where it can be computed, else nothing (may be
///   costly)
template <class M>
concept AnnealedModel = ParticleBlock<typename M::Block> &&
    requires(const M& model, typename M::Block& block, const typename M::Block& const_block,
             const BlockStreams& streams, double b, std::span<double> out, Index size, Fingerprint& fingerprint) {
    { model.make_block(size) } -> std::same_as<typename M::Block>;
    model.draw_start(block, streams);
    model.prepare(block);
    model.add_log_ratio(const_block, b, b, out);
    model.path_derivative(const_block, b, out);
    { model.log_normaliser_start() } -> std::same_as<std::optional<double>>;
    { model.exact_log_ratio(b) } -> std::same_as<std::optional<double>>;
    model.fingerprint(fingerprint);
};

/// The model has a transition that leaves p_b invariant: move(block, b, streams), one sweep.
template <class M>
concept HasMove = AnnealedModel<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b) {
    model.move(block, b, streams);
};

/// The model fuses a whole annealing step because the parts share work:
///   anneal(block, from, to, streams, increments, derivative)
/// increments[i] += log f_to(x_i) - log f_from(x_i) at the present state, then x_i ~ T_to(. | x_i), then
/// derivative[i] = d log f_b(x_i)/db at b = to and the new state. Same bits as add_log_ratio, move, path_derivative.
template <class M>
concept HasFusedAnneal = HasMove<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b, std::span<double> out) {
    model.anneal(block, b, b, streams, out, out);
};

/// The whole of move() satisfies detailed balance for p_b: M::move_is_reversible is true. A sweep of sub-updates in a
/// fixed order does not, and offers HasReversedMove instead.
template <class M>
concept HasReversibleMove = HasMove<M> && bool(M::move_is_reversible);

/// move_reversed(block, b, streams) is the time reversal of move(): the same sub-updates in the opposite order.
template <class M>
concept HasReversedMove = HasMove<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b) {
    model.move_reversed(block, b, streams);
};

/// anneal_reversed: as anneal, with move_reversed in place of move.
template <class M>
concept HasFusedReversedAnneal = HasReversedMove<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b, std::span<double> out) {
    model.anneal_reversed(block, b, b, streams, out, out);
};

/// Trajectories can run backwards in time: p_b(x) T(y|x) = p_b(y) T_reversed(x|y).
template <class M>
concept TimeReversible = HasReversibleMove<M> || HasReversedMove<M>;

/// Starts of trajectories that run backwards, for models that know one of:
///   draw_end(block, b_end, streams)   exact independent draws from p_{b_end}
///   set_mode(block, b_end, streams)   a mode of p_{b_end}, drawn at random if there are several of equal height; an
///                                     optional has_mode() says whether the model as configured knows one
///   draw_data(block, b_end, streams)  states made from observed data; has_data() says whether there are any
/// each ready for use, as after draw_start.
template <class M>
concept HasEndSampler = AnnealedModel<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b_end) {
    model.draw_end(block, b_end, streams);
};
template <class M>
concept HasMode = AnnealedModel<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b_end) {
    model.set_mode(block, b_end, streams);
};
template <class M>
concept HasDataStart = AnnealedModel<M> &&
    requires(const M& model, typename M::Block& block, const BlockStreams& streams, double b_end) {
    model.draw_data(block, b_end, streams);
    { model.has_data() } -> std::same_as<bool>;
};

/// swap_states(a, b, which): exchanges the particles in slots i of two blocks of equal size wherever which[i] != 0,
/// with all that is derived from them; faster than packing and unpacking.
template <class M>
concept HasStateSwap = AnnealedModel<M> &&
    requires(const M& model, typename M::Block& block, std::span<const std::uint8_t> which) {
    model.swap_states(block, block, which);
};

/// cost(block): the expected cost of moving the block's particles, relative to other blocks; finite, 0 or more.
template <class M>
concept HasBlockCost = AnnealedModel<M> && requires(const M& model, const typename M::Block& block) {
    { model.cost(block) } -> std::convertible_to<double>;
};

/// data_path(): the same model along the path on which the points of its data are added one by one (path.kind =
/// "data").
template <class M>
concept HasOwnDataPath = AnnealedModel<M> && requires(const M& model) {
    { model.data_path() } -> std::same_as<M>;
};

/// log f_b is linear in b in the packed state (a geometric path), so that d E[u]/db = Var[u]: M::path_is_linear is
/// true.
template <class M>
concept HasLinearPath = AnnealedModel<M> && bool(M::path_is_linear);

} // namespace pearlite::model
