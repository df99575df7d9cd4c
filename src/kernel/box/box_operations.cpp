#include "pearlite/kernel/detail/box_operations.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "random/lanes.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

using model::LaneMatrix;
using model::Operation;
using random::Purpose;

namespace {

std::span<double> rows(LaneMatrix& values, Index first, Index n) {
    return {values.row(first).data(), static_cast<std::size_t>(n * values.cols())};
}

} // namespace

const std::vector<std::string>& BoxOperations::names() {
    static const std::vector<std::string> names{"metropolis", "hit-and-run", "k-point",     "k-point-crossover",
                                                "snooker",    "linear",      "differential"};
    return names;
}

BoxOperations::BoxOperations(const BoxOperationSettings& settings, Index dimension,
                             std::span<const model::LocalMove> own)
    : settings_(settings) {
    for (const auto& name : settings.operations) {
        if (std::any_of(list_.begin(), list_.end(), [&](const Operation& o) { return o.name == name; }))
            throw InputError("the operation \"" + name + "\" is listed twice");
        const auto move = std::find_if(own.begin(), own.end(), [&](const auto& m) { return m.name == name; });
        if (move != own.end()) {
            steps_.push_back(Step::own);
            own_moves_.emplace_back(move - own.begin());
            list_.push_back(
                {.name = name, .has_scale = move->has_scale, .first_scale = settings.first_scale, .is_local = true});
            continue;
        }
        const auto place = std::find(names().begin(), names().end(), name);
        if (place == names().end())
            throw InputError("there is no operation \"" + name + "\" for this energy");
        const auto step = static_cast<Step>(place - names().begin());
        if (step == Step::k_point_crossover && dimension < 2)
            throw InputError("a k-point crossover needs two coordinates at least");
        steps_.push_back(step);
        own_moves_.emplace_back();
        Operation operation{.name = name, .has_scale = true, .first_scale = settings.first_scale};
        switch (step) {
        case Step::metropolis:
            operation.first_scale /= std::sqrt(static_cast<double>(dimension));
            break;
        case Step::hit_and_run:
        case Step::k_point:
            break;
        case Step::k_point_crossover:
            operation.kind = Operation::Kind::pair;
            operation.partners = 1;
            operation.has_scale = false;
            operation.by_energy = true;
            break;
        case Step::snooker:
        case Step::linear:
            operation.kind = Operation::Kind::partner;
            operation.partners = 1;
            operation.by_energy = true;
            operation.has_scale = step == Step::snooker;
            break;
        case Step::own:
            break;
        case Step::differential:
            operation.kind = Operation::Kind::partner;
            operation.partners = 2;
            operation.first_scale = 2.38 / std::sqrt(2 * static_cast<double>(dimension));
            break;
        }
        list_.push_back(std::move(operation));
    }
    if (settings.mutation_points < 1 || settings.mutation_points > dimension)
        throw InputError("the k-point mutation changes 1 to " + std::to_string(dimension) + " coordinates, not " +
                         std::to_string(settings.mutation_points));
    if (settings.crossover_points < 1)
        throw InputError("the k-point crossover needs one crossover point at least");
    settings_.crossover_points = std::min(settings.crossover_points, std::max<Index>(dimension - 1, 1));
    if (std::none_of(list_.begin(), list_.end(),
                     [](const Operation& o) { return o.kind == Operation::Kind::mutation; }))
        throw InputError("crossovers alone do not reach every state; expected a mutation among the operations");
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
    chains.begin_with_all(scale, energies);
    switch (steps_[static_cast<std::size_t>(op)]) {
    case Step::metropolis:
        return metropolis(chains, streams);
    case Step::hit_and_run:
        return hit_and_run(chains, streams);
    case Step::k_point:
        return k_point(chains, streams);
    case Step::own:
        return draw_own(chains, list_[static_cast<std::size_t>(op)].has_scale, streams);
    default:
        throw ContractViolation("a crossover was called as a mutation");
    }
}

void BoxOperations::cross(BoxChains& chains, const BoxChains& partners, const BoxChains* second, Index op,
                          const model::Meetings& meetings, const model::ProposalScale& scale,
                          std::span<const double> energies, const model::BlockStreams& streams) const {
    chains.begin_with(meetings.active, scale, energies);
    switch (steps_[static_cast<std::size_t>(op)]) {
    case Step::k_point_crossover:
        return k_point_crossover(chains, partners, meetings, streams);
    case Step::snooker:
        return snooker(chains, partners, streams);
    case Step::linear:
        return linear(chains, partners, streams);
    case Step::differential:
        return differential(chains, partners, *second, streams);
    default:
        throw ContractViolation("a mutation was called as a crossover");
    }
}

} // namespace pearlite::kernel
