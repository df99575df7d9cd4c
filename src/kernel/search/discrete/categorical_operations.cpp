#include "pearlite/kernel/detail/categorical_operations.hpp"
#include "pearlite/core/error.hpp"
#include "random/lanes.hpp"

#include <algorithm>

namespace pearlite::kernel {

using model::Operation;
using random::Purpose;

void CategoricalChains::make_edits(Index slot) {
    for (const Edit& edit : edits(slot))
        state(slot)[at(edit.site)] = edit.to;
}

void CategoricalChains::undo_edits(Index slot) {
    for (const Edit& edit : edits(slot))
        state(slot)[at(edit.site)] = edit.from;
}

void CategoricalChains::accept(std::span<const std::uint8_t> accepted) {
    for (Index i = 0; i < size(); ++i) {
        if (accepted[at(i)] == 0)
            continue;
        accept_energy(i);
        if (n_edits_ > 0)
            make_edits(i);
        else
            std::copy(child(i).begin(), child(i).end(), state(i).begin());
    }
}

const std::vector<std::string>& CategoricalOperations::names() {
    static const std::vector<std::string> names{"single-site", "k-site", "two-point-crossover", "uniform-crossover"};
    return names;
}

CategoricalOperations::CategoricalOperations(const CategoricalOperationSettings& settings,
                                             std::span<const std::int32_t> levels, bool is_local)
    : levels_(levels.begin(), levels.end()),
      is_binary_(std::all_of(levels.begin(), levels.end(), [](std::int32_t n) { return n == 2; })),
      mutation_sites_(settings.mutation_sites) {
    for (const auto& name : settings.operations) {
        const auto place = std::find(names().begin(), names().end(), name);
        if (place == names().end())
            throw InputError("there is no operation \"" + name + "\"");
        const auto step = static_cast<Step>(place - names().begin());
        if (std::find(steps_.begin(), steps_.end(), step) != steps_.end())
            throw InputError("the operation \"" + name + "\" is listed twice");
        add(step, is_local);
    }
    check();
}

void CategoricalOperations::add(Step step, bool is_local) {
    Operation operation{.name = names()[static_cast<std::size_t>(step)]};
    switch (step) {
    case Step::single_site:
        operation.heat_bath = is_binary_;
        operation.is_local = is_local;
        break;
    case Step::k_site:
        operation.is_local = is_local;
        break;
    case Step::two_point_crossover:
    case Step::uniform_crossover:
        operation.kind = Operation::Kind::pair;
        operation.partners = 1;
        operation.by_energy = true;
        break;
    }
    steps_.push_back(step);
    list_.push_back(std::move(operation));
}

void CategoricalOperations::check() const {
    if (levels_.empty())
        throw InputError("a discrete energy needs one site at least");
    for (std::size_t i = 0; i < levels_.size(); ++i)
        if (levels_[i] < 2)
            throw InputError("site " + std::to_string(i) + " has " + std::to_string(levels_[i]) +
                             " levels; expected at least 2");
    if (mutation_sites_ < 1)
        throw InputError("the k-site mutation changes one site at least");
    for (const Step step : steps_) {
        if (step == Step::k_site && mutation_sites_ > sites())
            throw InputError("the k-site mutation changes 1 to " + std::to_string(sites()) + " sites, not " +
                             std::to_string(mutation_sites_));
        if ((step == Step::two_point_crossover || step == Step::uniform_crossover) && sites() < 2)
            throw InputError("a crossover needs two sites at least");
    }
    if (std::none_of(list_.begin(), list_.end(),
                     [](const Operation& o) { return o.kind == Operation::Kind::mutation; }))
        throw InputError("crossovers alone do not reach every state; expected a mutation among the operations");
}

void CategoricalOperations::draw(random::Stream& stream, std::span<std::int32_t> state) const {
    for (std::size_t k = 0; k < levels_.size(); ++k)
        state[k] = static_cast<std::int32_t>(stream.index(static_cast<std::uint64_t>(levels_[k])));
}

std::int32_t CategoricalOperations::other_value(Index site, std::int32_t value, double u) const {
    const std::int32_t n = levels_[static_cast<std::size_t>(site)];
    return (value + 1 + static_cast<std::int32_t>(u * (n - 1))) % n;
}

/// k sites, distinct and uniform (Floyd's sampling), and a new value for each.
void CategoricalOperations::mutate(CategoricalChains& chains, Index op, const model::BlockStreams& streams) const {
    const Step step = steps_[static_cast<std::size_t>(op)];
    if (step != Step::single_site && step != Step::k_site)
        throw ContractViolation("a crossover was called as a mutation");
    const Index k = step == Step::single_site ? 1 : mutation_sites_, p = chains.padded_size();
    const auto kp = static_cast<std::size_t>(k * p);
    auto& u = chains.uniforms_;
    u.resize(2 * kp);
    random::fill_uniform_lanes(streams.at(Purpose::site, 0), p, std::span(u).first(kp));
    if (!is_binary_)
        random::fill_uniform_lanes(streams.at(Purpose::move, 0), p, std::span(u).subspan(kp, kp));
    chains.n_edits_ = k;
    chains.edits_.resize(static_cast<std::size_t>(k * chains.size()));
    for (Index i = 0; i < chains.size(); ++i) {
        const auto x = chains.state(i);
        auto* const edits = chains.edits_.data() + i * k;
        for (Index e = 0; e < k; ++e) {
            const Index last = sites() - k + e;
            const double* const draws = u.data() + e * p + i;
            auto site = static_cast<Index>(draws[0] * static_cast<double>(last + 1));
            if (std::any_of(edits, edits + e, [site](const auto& other) { return other.site == site; }))
                site = last;
            const std::int32_t from = x[static_cast<std::size_t>(site)];
            edits[e] = {site, from, is_binary_ ? 1 - from : other_value(site, from, draws[k * p])};
        }
    }
}

/// Each chain makes its own child; the stream that says which sites are exchanged belongs to the pair.
void CategoricalOperations::cross(CategoricalChains& chains, const CategoricalChains& partners, Index op,
                                  const model::Meetings& meetings, const model::BlockStreams& streams) const {
    const Step step = steps_[static_cast<std::size_t>(op)];
    if (step != Step::two_point_crossover && step != Step::uniform_crossover)
        throw ContractViolation("a mutation was called as a crossover");
    chains.n_edits_ = 0;
    chains.children_.resize(static_cast<std::size_t>(chains.size() * sites()));
    for (Index i = 0; i < chains.size(); ++i) {
        const std::span<std::int32_t> child(chains.children_.data() + i * sites(), levels_.size());
        const auto x = chains.state(i);
        std::copy(x.begin(), x.end(), child.begin());
        if (meetings.active[static_cast<std::size_t>(i)] == 0)
            continue;
        random::Stream stream({streams.seed, Purpose::partner,
                               random::slot_id(streams.generation, meetings.meeting[static_cast<std::size_t>(i)]),
                               streams.step});
        if (step == Step::two_point_crossover)
            exchange_run(child, partners.state(i), stream);
        else
            exchange_half(child, partners.state(i), stream);
    }
}

/// Sites from .. to - 1, 1 <= from < to <= n. Runs that begin at site 0 are left out: such a crossover is one of the
/// others with the children exchanged.
void CategoricalOperations::exchange_run(std::span<std::int32_t> child, std::span<const std::int32_t> partner,
                                         random::Stream& stream) const {
    const auto n = static_cast<std::uint64_t>(child.size());
    auto from = stream.index(n) + 1, to = stream.index(n - 1) + 1;
    to += to >= from ? 1 : 0;
    if (from > to)
        std::swap(from, to);
    std::copy(partner.begin() + static_cast<std::ptrdiff_t>(from), partner.begin() + static_cast<std::ptrdiff_t>(to),
              child.begin() + static_cast<std::ptrdiff_t>(from));
}

/// Each site with probability 1/2: site k by bit k % 32 of word k / 32.
void CategoricalOperations::exchange_half(std::span<std::int32_t> child, std::span<const std::int32_t> partner,
                                          random::Stream& stream) const {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < child.size(); ++k) {
        bits = k % 32 == 0 ? stream.bits32() : bits >> 1;
        if ((bits & 1u) != 0)
            child[k] = partner[k];
    }
}

} // namespace pearlite::kernel
