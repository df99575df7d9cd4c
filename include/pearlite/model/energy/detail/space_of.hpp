#pragma once
/// A search space S (search_space.hpp) as a Space: the static inner loops behind one virtual call a block of chains.

#include "pearlite/model/energy/detail/descent.hpp"
#include "pearlite/model/energy/detail/search_space.hpp"

#include <concepts>
#include <memory>
#include <utility>
#include <vector>

namespace pearlite::model {

namespace detail {

/// chains.points() is a matrix with a chain per column.
template <class S>
concept HasPoints = requires(const typename S::Chains& chains) {
    { chains.points() } -> std::same_as<const LaneMatrix&>;
};
template <HasPoints S>
struct PointStatesOf final : PointStates {
    explicit PointStatesOf(std::shared_ptr<const S> s) : d(std::as_const(*s).make_chains(1).points().rows()) {}
    Index dimension() const override { return d; }
    const LaneMatrix& points(const Block& chains) const override {
        return own_block<typename S::Chains>(chains).points();
    }
    Index d;
};

/// chains.nodes() are names, and chains.list_edges(slot, edges) lists edges as documented at GraphStates.
template <class S>
concept HasGraphs = requires(const typename S::Chains& chains, Index slot, std::vector<Index>& edges) {
    { chains.nodes() } -> std::convertible_to<std::vector<std::string>>;
    { chains.list_edges(slot, edges) } -> std::convertible_to<double>;
};
template <HasGraphs S>
struct GraphStatesOf final : GraphStates {
    explicit GraphStatesOf(const S& space) : names(space.make_chains(1).nodes()) {}
    std::vector<std::string> nodes() const override { return names; }
    double list_edges(const Block& chains, Index slot, std::vector<Index>& edges) const override {
        return own_block<typename S::Chains>(chains).list_edges(slot, edges);
    }
    std::vector<std::string> names;
};

template <HasRegionMasses S>
struct RegionMassesOf final : RegionMasses {
    explicit RegionMassesOf(std::shared_ptr<const S> s) : space(std::move(s)) {}
    std::vector<double> log_region_masses(std::span<const double> points, double temperature) const override {
        return space->log_region_masses(points, temperature);
    }
    std::shared_ptr<const S> space;
};

/// The states are points of a box, and a separate object evaluates their energy.
template <class S>
concept HasBoxEnergy = requires(const S& space) {
    requires Energy<std::remove_cvref_t<decltype(space.energy())>>;
};

} // namespace detail

template <SearchSpace S>
class SpaceOf final : public Space {
  public:
    using Chains = typename S::Chains;

    explicit SpaceOf(std::shared_ptr<const S> space) : space_(std::move(space)) {
        if constexpr (detail::HasPoints<S>)
            offer<PointStates>(std::make_shared<detail::PointStatesOf<S>>(space_));
        if constexpr (detail::HasGraphs<S>)
            offer<GraphStates>(std::make_shared<detail::GraphStatesOf<S>>(*space_));
        if constexpr (HasRegionMasses<S>)
            offer<RegionMasses>(std::make_shared<detail::RegionMassesOf<S>>(space_));
        if constexpr (detail::HasBoxEnergy<S>) {
            using E = std::remove_cvref_t<decltype(space_->energy())>;
            if constexpr (std::derived_from<E, Descent>)
                offer<Descent>(std::shared_ptr<const Descent>(space_, &space_->energy()));
            else
                offer<Descent>(std::make_shared<DescentOf<E>>(space_->energy()));
        }
    }

    const S& space() const { return *space_; }

    std::span<const Operation> operations() const override { return space_->operations(); }
    std::unique_ptr<Block> make_chains(Index size) const override {
        return std::make_unique<BlockOf<Chains>>(space_->make_chains(size));
    }
    void draw_start(Block& chains, const BlockStreams& streams) const override {
        space_->draw_start(own(chains), streams);
    }
    void evaluate(const Block& chains, std::span<double> out) const override { space_->evaluate(own(chains), out); }
    void mutate(Block& chains, Index operation, const ProposalScale& scale, std::span<const double> energies,
                const BlockStreams& streams, Proposals& proposals) const override {
        space_->mutate(own(chains), operation, scale, energies, streams, proposals);
    }
    void cross(Block& chains, const Partners<Block>& partners, Index operation, const Meetings& meetings,
               const ProposalScale& scale, std::span<const double> energies, const BlockStreams& streams,
               Proposals& proposals) const override {
        Partners<Chains> own_partners;
        for (std::size_t k = 0; k < partners.size(); ++k)
            own_partners.add(own(partners[k]));
        space_->cross(own(chains), own_partners, operation, meetings, scale, energies, streams, proposals);
    }
    void accept(Block& chains, std::span<const std::uint8_t> accepted) const override {
        space_->accept(own(chains), accepted);
    }
    void copy_states(const Block& from, std::span<const Index> source, Block& to) const override {
        if constexpr (requires(Chains & chains, const Chains& others) { chains.copy(others, source); }) {
            own(to).copy(own(from), source);
        } else {
            std::vector<std::byte> packed(from.packed_bytes());
            for (std::size_t i = 0; i < source.size(); ++i) {
                if (source[i] < 0)
                    continue;
                own(from).pack(source[i], packed);
                own(to).unpack(static_cast<Index>(i), packed);
            }
        }
    }
    bool forgets() const override { return Forgets<S>; }
    void forget(Block& chains) const override {
        if constexpr (Forgets<S>)
            space_->forget(own(chains));
    }
    std::optional<double> known_minimum() const override { return space_->known_minimum(); }
    void fingerprint(Fingerprint& fingerprint) const override { space_->fingerprint(fingerprint); }
    StateDescription describe(std::span<const std::byte> packed) const override {
        if constexpr (DescribesStates<S>)
            return space_->describe(packed);
        return {};
    }

  private:
    static Chains& own(Block& chains) { return own_block<Chains>(chains); }
    static const Chains& own(const Block& chains) { return own_block<Chains>(chains); }

    std::shared_ptr<const S> space_;
};

/// The space of S, which is copied or moved into it.
template <SearchSpace S>
std::shared_ptr<const Space> space_of(S space) {
    return std::make_shared<const SpaceOf<S>>(std::make_shared<const S>(std::move(space)));
}

} // namespace pearlite::model
