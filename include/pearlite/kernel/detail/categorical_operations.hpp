#pragma once
/// Operations on states of a few values per site; each acts on all chains at once. All are symmetric.

#include "pearlite/kernel/detail/discrete_chains.hpp"
#include "pearlite/random/stream.hpp"

#include <string>
#include <vector>

namespace pearlite::kernel {

class CategoricalChains : public DiscreteChains {
  public:
    /// x_site = to, which was `from`.
    struct Edit {
        Index site;
        std::int32_t from, to;
    };

    using DiscreteChains::DiscreteChains;

    /// The edits that the last mutation proposes to a chain, at distinct sites.
    std::span<const Edit> edits(Index slot) const { return {edits_.data() + slot * n_edits_, at(n_edits_)}; }
    void make_edits(Index slot);
    void undo_edits(Index slot);
    /// The child that the last crossover proposes to a chain.
    std::span<const std::int32_t> child(Index slot) const { return {children_.data() + slot * sites(), at(sites())}; }

    void accept(std::span<const std::uint8_t> accepted);

  private:
    friend class CategoricalOperations;
    Index n_edits_ = 0; ///< a chain; 0 after a crossover
    std::vector<Edit> edits_;
    std::vector<std::int32_t> children_;
    std::vector<double> uniforms_;
};

struct CategoricalOperationSettings {
    /// single-site, k-site, two-point-crossover, uniform-crossover.
    std::vector<std::string> operations{"single-site", "two-point-crossover"};
    Index mutation_sites = 2; ///< of the k-site mutation, at most n
};

class CategoricalOperations {
  public:
    /// `levels` of the sites; `is_local` if the energy offers differences. InputError for levels below 2, an unknown
    /// operation, one named twice, one that needs more sites, or settings without a mutation.
    CategoricalOperations(const CategoricalOperationSettings& settings, std::span<const std::int32_t> levels,
                          bool is_local);

    std::span<const model::Operation> list() const { return list_; }
    Index sites() const { return static_cast<Index>(levels_.size()); }
    /// Draws a uniform state.
    void draw(random::Stream& stream, std::span<std::int32_t> state) const;
    /// A value for the site, uniform on the values that it does not have; u on (0, 1).
    std::int32_t other_value(Index site, std::int32_t value, double u) const;
    /// Proposes edits, but computes no energies.
    void mutate(CategoricalChains& chains, Index op, const model::BlockStreams& streams) const;
    /// Proposes children of active chains, but computes no energies.
    void cross(CategoricalChains& chains, const CategoricalChains& partners, Index op, const model::Meetings& meetings,
               const model::BlockStreams& streams) const;

    /// Names that settings may list, in the order of the enumeration.
    static const std::vector<std::string>& names();

  private:
    enum class Step { single_site, k_site, two_point_crossover, uniform_crossover };

    void add(Step step, bool is_local);
    void check() const;
    void exchange_run(std::span<std::int32_t> child, std::span<const std::int32_t> partner,
                      random::Stream& stream) const;
    void exchange_half(std::span<std::int32_t> child, std::span<const std::int32_t> partner,
                       random::Stream& stream) const;

    std::vector<std::int32_t> levels_;
    bool is_binary_;
    Index mutation_sites_;
    std::vector<Step> steps_;
    std::vector<model::Operation> list_;
};

} // namespace pearlite::kernel
