#include "kernel/search/box/box_operation.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>

namespace pearlite::kernel {

using model::Operation;
using random::Purpose;

namespace {

std::span<double> rows(model::LaneMatrix& values, Index first, Index n) {
    return {values.row(first).data(), static_cast<std::size_t>(n * values.cols())};
}

const BoxOperationEntry& entry_of(const std::string& name) {
    for (const auto& entry : box_operations())
        if (entry.operation.name == name)
            return entry;
    throw InputError("there is no operation \"" + name + "\" for this energy");
}

} // namespace

const std::vector<std::string>& BoxOperations::names() {
    static const auto names = [] {
        std::vector<std::string> all;
        for (const auto& entry : box_operations())
            all.push_back(entry.operation.name);
        return all;
    }();
    return names;
}

std::vector<std::string> default_box_operations() {
    std::vector<std::string> names;
    for (const auto& entry : box_operations())
        if (entry.is_default)
            names.push_back(entry.operation.name);
    return names;
}

BoxOperations::BoxOperations(const BoxOperationSettings& settings, Index dimension,
                             std::span<const model::LocalMove> own)
    : settings_(settings) {
    for (const auto& name : settings.operations) {
        if (std::any_of(list_.begin(), list_.end(), [&](const Operation& o) { return o.name == name; }))
            throw InputError("the operation \"" + name + "\" is listed twice");
        const auto move = std::find_if(own.begin(), own.end(), [&](const auto& m) { return m.name == name; });
        if (move != own.end())
            add(name, draws_of_own(*move), dimension, move - own.begin());
        else
            add(name, entry_of(name), dimension, {});
    }
    if (std::none_of(list_.begin(), list_.end(),
                     [](const Operation& o) { return o.kind == Operation::Kind::mutation; }))
        throw InputError("crossovers alone do not reach every state; expected a mutation among the operations");
}

void BoxOperations::add(const std::string& name, const BoxOperationEntry& entry, Index dimension,
                        std::optional<Index> own) {
    if (entry.check != nullptr)
        entry.check(settings_, dimension);
    Operation operation = entry.operation;
    operation.name = name;
    operation.first_scale =
        entry.first_scale != nullptr ? entry.first_scale(settings_.first_scale, dimension) : settings_.first_scale;
    entries_.push_back(&entry);
    own_moves_.push_back(own);
    list_.push_back(std::move(operation));
}

bool BoxOperations::changes_one_coordinate(Index op) const {
    const auto& entry = *entries_[static_cast<std::size_t>(op)];
    return entry.changes_one_coordinate != nullptr && entry.changes_one_coordinate(settings_);
}

void BoxOperations::draw_start(BoxChains& chains, std::span<const double> lower, std::span<const double> upper,
                               const model::BlockStreams& streams) const {
    auto& x = chains.points_;
    const bool is_bounded = std::all_of(lower.begin(), lower.end(), [](double v) { return std::isfinite(v); }) &&
                            std::all_of(upper.begin(), upper.end(), [](double v) { return std::isfinite(v); });
    if (!is_bounded) {
        random::fill_normal_lanes(streams.at(Purpose::start, 0), x.cols(), rows(x, 0, x.rows()));
        x *= settings_.start_sd;
    } else {
        random::fill_uniform_lanes(streams.at(Purpose::start, 0), x.cols(), rows(x, 0, x.rows()));
    }
    for (Index k = 0; k < x.rows(); ++k) {
        const double low = lower[static_cast<std::size_t>(k)], high = upper[static_cast<std::size_t>(k)];
        for (Index i = 0; i < x.cols(); ++i)
            x(k, i) = std::clamp(is_bounded ? low + (high - low) * x(k, i) : x(k, i), low, high);
    }
}

void BoxOperations::mutate(BoxChains& chains, Index op, const model::ProposalScale& scale,
                           std::span<const double> energies, const model::BlockStreams& streams) const {
    const auto& entry = *entries_[static_cast<std::size_t>(op)];
    if (entry.mutate == nullptr)
        throw ContractViolation("a crossover was called as a mutation");
    chains.begin_with_all(scale, energies);
    entry.mutate(BoxDraft(chains), settings_, streams);
}

void BoxOperations::cross(BoxChains& chains, const BoxChains& partners, const BoxChains* second, Index op,
                          const model::Meetings& meetings, const model::ProposalScale& scale,
                          std::span<const double> energies, const model::BlockStreams& streams) const {
    const auto& entry = *entries_[static_cast<std::size_t>(op)];
    if (entry.cross == nullptr)
        throw ContractViolation("a mutation was called as a crossover");
    chains.begin_with(meetings.active, scale, energies);
    entry.cross(BoxDraft(chains), {partners, second, meetings}, settings_, streams);
}

namespace {

/// A step s r, r ~ N(0, 1), if the move has one, and uniform numbers. The proposal is the state, for the energy to
/// change.
template <bool has_step>
void draw_own(BoxDraft draft, const BoxOperationSettings&, const model::BlockStreams& streams) {
    constexpr auto uniforms = static_cast<Index>(model::LocalDraws{}.uniforms.size());
    const auto& noise = draft.draw_normals(1, streams);
    draft.draw_uniforms(uniforms, random::Purpose::site, streams);
    draft.proposed() = draft.points();
    draft.set_normal_draws(has_step ? 1 : 0);
    for (Index i = 0; i < draft.size(); ++i) {
        const double step = draft.scales()[i] * static_cast<double>(noise(0, i));
        draft.square_step()[i] = step * step;
    }
}

} // namespace

const BoxOperationEntry& draws_of_own(const model::LocalMove& move) {
    static const BoxOperationEntry with_step{.operation = {.name = {}, .has_scale = true, .is_local = true},
                                             .mutate = draw_own<true>};
    static const BoxOperationEntry without_step{.operation = {.name = {}, .is_local = true}, .mutate = draw_own<false>};
    return move.has_scale ? with_step : without_step;
}

} // namespace pearlite::kernel
