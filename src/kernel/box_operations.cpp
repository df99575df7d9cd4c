#include "pearlite/kernel/box_operations.hpp"

#include "pearlite/core/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/lanes.hpp"

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

/// r, N(0, 1) for each chain, into row 0 of the noise.
double* draw_normal(LaneMatrix& noise, const model::BlockStreams& streams) {
    random::fill_normal_lanes(streams.at(Purpose::move, 0), noise.cols(), rows(noise, 0, 1));
    return noise.row(0).data();
}

} // namespace

const std::vector<std::string>& BoxOperations::names() {
    static const std::vector<std::string> names{"metropolis", "hit-and-run", "k-point",     "k-point-crossover",
                                                "snooker",    "linear",      "differential"};
    return names;
}

BoxOperations::BoxOperations(const BoxOperationSettings& settings, Index dimension) : settings_(settings) {
    for (const auto& name : settings.operations) {
        const auto place = std::find(names().begin(), names().end(), name);
        if (place == names().end())
            throw InputError("there is no operation \"" + name + "\"");
        const auto step = static_cast<Step>(place - names().begin());
        if (std::find(steps_.begin(), steps_.end(), step) != steps_.end())
            throw InputError("the operation \"" + name + "\" is listed twice");
        if (step == Step::k_point_crossover && dimension < 2)
            throw InputError("a k-point crossover needs two coordinates at least");
        steps_.push_back(step);
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
    for (std::size_t i = 0; i < chains.scales_.size(); ++i)
        chains.scales_[i] = scale(energies[i]);
    std::fill(chains.log_jacobian_.begin(), chains.log_jacobian_.end(), 0.0);
    switch (steps_[static_cast<std::size_t>(op)]) {
    case Step::metropolis:
        return metropolis(chains, streams);
    case Step::hit_and_run:
        return hit_and_run(chains, streams);
    case Step::k_point:
        return k_point(chains, streams);
    default:
        throw ContractViolation("a crossover was called as a mutation");
    }
}

void BoxOperations::cross(BoxChains& chains, std::span<const BoxChains> partners, Index op,
                          const model::Meetings& meetings, const model::ProposalScale& scale,
                          std::span<const double> energies, const model::BlockStreams& streams) const {
    for (std::size_t i = 0; i < chains.scales_.size(); ++i)
        chains.scales_[i] = scale(energies[i]);
    std::fill(chains.log_jacobian_.begin(), chains.log_jacobian_.end(), 0.0);
    chains.normal_draws_ = 0;
    switch (steps_[static_cast<std::size_t>(op)]) {
    case Step::k_point_crossover:
        return k_point_crossover(chains, partners[0], meetings, streams);
    case Step::snooker:
        return snooker(chains, partners[0], streams);
    case Step::linear:
        return linear(chains, partners[0], streams);
    case Step::differential:
        return differential(chains, partners[0], partners[1], streams);
    default:
        throw ContractViolation("a mutation was called as a crossover");
    }
}

/// x' = x + s N(0, I).
void BoxOperations::metropolis(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), p = chains.padded_size();
    auto& noise = chains.noise_;
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(noise, 0, d));
    chains.normal_draws_ = d;
    double* const square = chains.square_step_.data();
    const double* const s = chains.scales_.data();
    std::fill_n(square, p, 0.0);
    for (Index k = 0; k < d; ++k) {
        const double* const x = chains.points_.row(k).data();
        const double* const z = noise.row(k).data();
        double* const to = chains.proposed_.row(k).data();
        for (Index i = 0; i < p; ++i) {
            const double step = s[i] * z[i];
            to[i] = x[i] + step;
            square[i] += step * step;
        }
    }
}

/// x' = x + s r e, e uniform on directions, r ~ N(0, 1).
void BoxOperations::hit_and_run(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), p = chains.padded_size();
    auto& noise = chains.noise_;
    random::fill_normal_lanes(streams.at(Purpose::move, 0), p, rows(noise, 0, d + 1));
    chains.normal_draws_ = 1;
    double* const square = chains.square_step_.data();
    const double* const s = chains.scales_.data();
    double* const length = noise.row(d).data(); // r, then the step over the direction's length
    std::fill_n(square, p, 0.0);
    for (Index k = 0; k < d; ++k) {
        const double* const z = noise.row(k).data();
        for (Index i = 0; i < p; ++i)
            square[i] += z[i] * z[i];
    }
    for (Index i = 0; i < p; ++i) {
        const double step = s[i] * length[i];
        length[i] = step / std::sqrt(square[i]);
        square[i] = step * step;
    }
    for (Index k = 0; k < d; ++k) {
        const double* const x = chains.points_.row(k).data();
        const double* const z = noise.row(k).data();
        double* const to = chains.proposed_.row(k).data();
        for (Index i = 0; i < p; ++i)
            to[i] = x[i] + length[i] * z[i];
    }
}

/// One r ~ N(0, 1) for k coordinates, distinct and uniform (Floyd's sampling): x'_c = x_c + s r.
void BoxOperations::k_point(BoxChains& chains, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), n = settings_.mutation_points, p = chains.padded_size();
    const double* const r = draw_normal(chains.noise_, streams);
    random::fill_uniform_lanes(streams.at(Purpose::site, 0), p, rows(chains.noise_, 1, n));
    chains.proposed_ = chains.points_;
    chains.normal_draws_ = 1;
    std::vector<Index> chosen;
    for (Index i = 0; i < chains.size(); ++i) {
        const double step = chains.scales_[static_cast<std::size_t>(i)] * r[i];
        chains.square_step_[static_cast<std::size_t>(i)] = step * step;
        if (n == 1) {
            const auto c = static_cast<Index>(chains.noise_(1, i) * static_cast<double>(d));
            chains.proposed_(c, i) += step;
            continue;
        }
        chosen.clear();
        for (Index k = 0; k < n; ++k) {
            const Index last = d - n + k;
            const auto c = static_cast<Index>(chains.noise_(1 + k, i) * static_cast<double>(last + 1));
            chosen.push_back(std::find(chosen.begin(), chosen.end(), c) == chosen.end() ? c : last);
            chains.proposed_(chosen.back(), i) += step;
        }
    }
}

/// Both children of a pair: coordinates are swapped between every other pair of neighbouring crossover points. Each
/// chain makes its own child; the pair shares the points.
void BoxOperations::k_point_crossover(BoxChains& chains, const BoxChains& partners, const model::Meetings& meetings,
                                      const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), n = settings_.crossover_points;
    chains.proposed_ = chains.points_;
    std::vector<Index> cuts;
    for (Index i = 0; i < chains.size(); ++i) {
        if (meetings.active[static_cast<std::size_t>(i)] == 0)
            continue;
        random::Stream stream({streams.seed, Purpose::partner,
                               random::slot_id(streams.generation, meetings.meeting[static_cast<std::size_t>(i)]),
                               streams.step});
        // A cut c lies before coordinate c, 1 <= c < d; distinct ones.
        cuts.clear();
        for (Index k = 0; k < n; ++k) {
            const Index last = d - 1 - n + k;
            const auto c = static_cast<Index>(stream.index(static_cast<std::uint64_t>(last + 1))) + 1;
            cuts.push_back(std::find(cuts.begin(), cuts.end(), c) == cuts.end() ? c : last + 1);
        }
        std::sort(cuts.begin(), cuts.end());
        for (std::size_t k = 0; k < cuts.size(); k += 2)
            for (Index c = cuts[k]; c < (k + 1 < cuts.size() ? cuts[k + 1] : d); ++c)
                chains.proposed_(c, i) = partners.points_(c, i);
    }
}

/// x' = x + s r (y - x)/|y - x|. Points along a line through y are seen from y in polar coordinates: the Jacobian is
/// (|x' - y| / |x - y|)^(d-1), which the paper leaves out.
void BoxOperations::snooker(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const {
    const Index d = chains.dimension(), p = chains.padded_size();
    double* const r = draw_normal(chains.noise_, streams);
    double* const square = chains.square_step_.data();
    std::fill_n(square, p, 0.0);
    for (Index k = 0; k < d; ++k)
        for (Index i = 0; i < p; ++i) {
            const double difference = partners.points_(k, i) - chains.points_(k, i);
            square[i] += difference * difference;
        }
    chains.normal_draws_ = 1;
    for (Index i = 0; i < p; ++i) {
        const auto slot = static_cast<std::size_t>(i);
        const double distance = std::sqrt(square[i]), step = chains.scales_[slot] * r[i];
        // A chain on top of its partner has no direction: it stays.
        r[i] = distance > 0 ? step / distance : 0;
        chains.log_jacobian_[slot] =
            distance > 0 ? static_cast<double>(d - 1) * std::log(std::abs(distance - step) / distance) : 0;
        square[i] = distance > 0 ? step * step : 0;
    }
    for (Index k = 0; k < d; ++k)
        for (Index i = 0; i < p; ++i)
            chains.proposed_(k, i) = chains.points_(k, i) + r[i] * (partners.points_(k, i) - chains.points_(k, i));
}

/// x' = x + r y, r ~ U(-1, 1).
void BoxOperations::linear(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const {
    const Index p = chains.padded_size();
    random::fill_uniform_lanes(streams.at(Purpose::move, 0), p, rows(chains.noise_, 0, 1));
    const double* const r = chains.noise_.row(0).data();
    for (Index k = 0; k < chains.dimension(); ++k)
        for (Index i = 0; i < p; ++i)
            chains.proposed_(k, i) = chains.points_(k, i) + (2 * r[i] - 1) * partners.points_(k, i);
}

/// x' = x + s r (y - z), r ~ N(0, 1), y and z two others: symmetric, because y and z are as likely as z and y.
void BoxOperations::differential(BoxChains& chains, const BoxChains& first, const BoxChains& second,
                                 const model::BlockStreams& streams) const {
    const Index p = chains.padded_size();
    double* const r = draw_normal(chains.noise_, streams);
    chains.normal_draws_ = 1;
    for (Index i = 0; i < p; ++i) {
        const auto slot = static_cast<std::size_t>(i);
        r[i] *= chains.scales_[slot];
        chains.square_step_[slot] = r[i] * r[i];
    }
    for (Index k = 0; k < chains.dimension(); ++k)
        for (Index i = 0; i < p; ++i)
            chains.proposed_(k, i) = chains.points_(k, i) + r[i] * (first.points_(k, i) - second.points_(k, i));
}

} // namespace pearlite::kernel
