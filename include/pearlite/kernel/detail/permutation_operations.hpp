#pragma once
/// Operations on permutations; each acts on all chains at once. All are symmetric.

#include "pearlite/kernel/detail/discrete_chains.hpp"
#include "pearlite/random/stream.hpp"

#include <string>
#include <vector>

namespace pearlite::kernel {

enum class PermutationStep : std::uint8_t {
    swap,      ///< the elements at two places
    insertion, ///< one element taken out and put in elsewhere
    reversal   ///< the elements from one place to another in reversed order
};

class PermutationChains : public DiscreteChains {
  public:
    /// Two different places, in order for a reversal.
    struct Places {
        Index first, second;
    };

    using DiscreteChains::DiscreteChains;

    /// The step that the last mutation proposes, and a chain's places.
    PermutationStep step() const { return step_; }
    const Places& places(Index slot) const { return places_[at(slot)]; }
    void make_step(Index slot) { apply(state(slot), step_, places(slot)); }
    void undo_step(Index slot);

    void accept(std::span<const std::uint8_t> accepted);

  private:
    friend class PermutationOperations;
    static void apply(std::span<std::int32_t> x, PermutationStep step, const Places& places);

    PermutationStep step_ = PermutationStep::swap;
    std::vector<Places> places_;
    std::vector<double> uniforms_;
};

struct PermutationOperationSettings {
    /// swap, insertion, reversal.
    std::vector<std::string> operations{"swap", "insertion", "reversal"};
};

class PermutationOperations {
  public:
    /// Operations on permutations of `size` elements. `is_local`: whether the energy offers differences for a step, in
    /// the order of the enumeration. InputError for a size below 2, no operation, an unknown one, or one named twice.
    PermutationOperations(const PermutationOperationSettings& settings, Index size, const std::vector<bool>& is_local);

    std::span<const model::Operation> list() const { return list_; }
    Index sites() const { return size_; }
    /// Draws a uniform permutation.
    void draw(random::Stream& stream, std::span<std::int32_t> permutation) const;
    /// Proposes places, but computes no energies.
    void mutate(PermutationChains& chains, Index op, const model::BlockStreams& streams) const;

    /// Names that settings may list, in the order of the enumeration.
    static const std::vector<std::string>& names();

  private:
    Index size_;
    std::vector<PermutationStep> steps_;
    std::vector<model::Operation> list_;
};

} // namespace pearlite::kernel
