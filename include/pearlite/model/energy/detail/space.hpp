#pragma once
/// Interface of the space in which chains search for low energies: states, energies, operations. One virtual call
/// serves a whole block of chains and an operation; inside, everything is static (space_of.hpp).

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/types.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/capabilities.hpp"
#include "pearlite/model/energy/detail/energy_partition.hpp"
#include "pearlite/model/energy/energy.hpp"
#include "pearlite/model/fingerprint.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// Pictures of equal size: one per row, rows x columns pixels in [0, 1].
struct Images {
    Matrix pixels;
    Index rows = 0;
    Index columns = 0;
};

struct StateDescription {
    std::vector<double> values;           ///< coordinates, sites or edges, as the model documents them
    std::optional<Images> images = {};    ///< of an image: it, and the one that it was restored from
    std::optional<Matrix> positions = {}; ///< of a molecule: one bead per row
    std::string graph = {};               ///< of a network: for Graphviz
};

/// An operation on the chains of an iteration.
struct Operation {
    enum class Kind {
        mutation, ///< every chain proposes by itself
        partner,  ///< a chain proposes with the help of the states of `partners` others, which stay put
        pair      ///< two chains propose together and are accepted together
    };
    std::string name;
    Kind kind = Kind::mutation;
    int partners = 0;         ///< of Kind::partner; 1 of Kind::pair
    bool has_scale = false;   ///< proposals have a size, to be tuned
    double first_scale = 1;   ///< before tuning
    bool heat_bath = false;   ///< accepted with probability f'/(f + f') instead of min(1, f'/f): Gibbs of two states
    bool by_energy = false;   ///< partners are chosen by their energies, ~ exp(-U/T_sel), else uniformly
    bool is_local = false;    ///< the energy is updated, not computed afresh
    bool keeps_target = true; ///< leaves f invariant; else it is there to compare with what others have published
    bool is_tuned = true;     ///< a pilot may tune the scale; not where the acceptance does not fall with it
};

/// One proposal per chain: its energy (+inf: outside the space), and the log of the factor of f'/f in the acceptance
/// (proposal ratio and Jacobian).
struct Proposals {
    std::vector<double> energies;
    std::vector<double> log_ratios;
};

/// The chains that take part in a crossover, by slot: `active[i]` is 0 if chain i makes no proposal. Both chains of a
/// pair have the same `meeting[i]`, the id of the stream that they share.
struct Meetings {
    std::span<const std::uint8_t> active;
    std::span<const std::int64_t> meeting;
};

/// The states that chains meet in a crossover: slot i of [k] is the k-th partner's state of chain i. A view.
template <class Chains>
class Partners {
  public:
    static constexpr std::size_t most = 2;

    Partners() = default;
    /// The partners in a list of chains.
    template <std::ranges::contiguous_range R>
    requires std::same_as<std::ranges::range_value_t<R>, Chains> Partners(const R& chains) {
        for (const Chains& all : chains)
            add(all);
    }
    void add(const Chains& chains) {
        PEARLITE_EXPECTS(size_ < most);
        chains_[size_++] = &chains;
    }
    std::size_t size() const { return size_; }
    const Chains& operator[](std::size_t k) const { return *chains_[k]; }

  private:
    std::array<const Chains*, most> chains_{};
    std::size_t size_ = 0;
};

/// A block holds chains side by side, in slots 0 .. size()-1. Spans have padded_size() elements. The members
/// mean what they mean in the concept SearchSpace; streams address a chain by its global number.
class Space : public Capabilities {
  public:
    virtual ~Space() = default;

    /// The same for the life of this object; at least one mutation.
    virtual std::span<const Operation> operations() const = 0;
    virtual std::unique_ptr<Block> make_chains(Index size) const = 0;
    virtual void draw_start(Block& chains, const BlockStreams& streams) const = 0;
    virtual void evaluate(const Block& chains, std::span<double> out) const = 0;
    virtual void mutate(Block& chains, Index operation, const ProposalScale& scale, std::span<const double> energies,
                        const BlockStreams& streams, Proposals& proposals) const = 0;
    virtual void cross(Block& chains, const Partners<Block>& partners, Index operation, const Meetings& meetings,
                       const ProposalScale& scale, std::span<const double> energies, const BlockStreams& streams,
                       Proposals& proposals) const = 0;
    /// The proposals of the last call become states where accepted[i] != 0.
    virtual void accept(Block& chains, std::span<const std::uint8_t> accepted) const = 0;
    /// Slot i of `to` becomes the state in slot source[i] of `from`, where that is not negative.
    virtual void copy_states(const Block& from, std::span<const Index> source, Block& to) const = 0;

    /// Energies also depend on the history of a state, until forget(); from then on they are those of evaluate().
    virtual bool forgets() const = 0;
    virtual void forget(Block& chains) const = 0;

    virtual std::optional<double> known_minimum() const = 0;
    virtual void fingerprint(Fingerprint& fingerprint) const = 0;
    /// A description without values if the space has none to give.
    virtual StateDescription describe(std::span<const std::byte> packed) const = 0;

    /// Bytes of a packed state.
    std::size_t state_bytes() const { return make_chains(1)->packed_bytes(); }
};

// Capabilities of spaces, by name; another one is Descent (descent.hpp).

/// States are points of R^d.
class PointStates {
  public:
    virtual ~PointStates() = default;
    virtual Index dimension() const = 0;
    /// d x padded_size(), a chain per column.
    virtual const LaneMatrix& points(const Block& chains) const = 0;
};

/// States are directed graphs without cycles, perhaps with something more (an order of the nodes).
class GraphStates {
  public:
    virtual ~GraphStates() = default;
    /// Names of the n nodes.
    virtual std::vector<std::string> nodes() const = 0;
    /// Lists the edges of the graph in a slot, each as parent * n + child. Returns the log probability of the rest of
    /// the state under some distribution given the graph: a factor of the weights with which averages over states are
    /// averages over graphs. 0 if the graph is the whole state.
    virtual double list_edges(const Block& chains, Index slot, std::vector<Index>& edges) const = 0;
};

/// Energies whose regions have known masses, as HasRegionMasses says (energy.hpp).
class RegionMasses {
  public:
    virtual ~RegionMasses() = default;
    virtual std::vector<double> log_region_masses(std::span<const double> points, double temperature) const = 0;
};

} // namespace pearlite::model
