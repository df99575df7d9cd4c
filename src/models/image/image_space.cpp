#include "models/image/image_space.hpp"

#include "models/common/space_parts.hpp"

namespace pearlite::models {

using model::Operation;
using random::Purpose;

namespace {

/// Padding proposes to stay.
void start_proposals(Index size, Index padded_size, model::Proposals& proposals) {
    proposals.energies.resize(at(padded_size));
    proposals.log_ratios.resize(at(padded_size));
    for (Index i = size; i < padded_size; ++i)
        proposals.energies[at(i)] = proposals.log_ratios[at(i)] = 0;
}

Operation description(ImageOperation operation, const std::string& name, double cluster_strength) {
    Operation description{.name = name, .is_local = true};
    switch (operation) {
    case ImageOperation::pixel:
        description.heat_bath = true;
        break;
    case ImageOperation::rectangle:
        break;
    case ImageOperation::cluster:
        description.has_scale = true;
        description.first_scale = cluster_strength;
        description.is_tuned = false; // weak bonds and strong ones are accepted rarely for different reasons
        break;
    case ImageOperation::two_point_crossover:
        description.kind = Operation::Kind::pair;
        description.partners = 1;
        description.by_energy = true;
        break;
    }
    return description;
}

} // namespace

ImageChains::ImageChains(std::shared_ptr<const ImageRestoration> model, Index size)
    : model_(std::move(model)), states_(at(size), model_->observed_state()), changes_(at(size)) {}

void ImageChains::pack(Index slot, std::span<std::byte> out) const {
    model_->store(state(slot), out);
}

void ImageChains::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size());
    model_->restore(in, states_[at(slot)]);
}

const ImageState& ImageChains::state(Index slot) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size());
    return states_[at(slot)];
}

inline void ImageChains::propose(Index slot, const Change& change, double log_ratio, model::Proposals& proposals) {
    changes_[at(slot)] = change;
    proposals.energies[at(slot)] = model_->energy(states_[at(slot)].counts() + change.counts);
    proposals.log_ratios[at(slot)] = log_ratio;
}

const std::vector<std::string>& ImageSpace::names() {
    static const std::vector<std::string> names{"pixel", "rectangle", "cluster", "two-point-crossover"};
    return names;
}

ImageSpace::ImageSpace(ImageRestoration model, ImageSpaceSettings settings)
    : model_(std::make_shared<const ImageRestoration>(std::move(model))), settings_(std::move(settings)) {
    if (!(settings_.cluster_strength >= 0) || !std::isfinite(settings_.cluster_strength))
        throw InputError("the strength of clusters is " + std::to_string(settings_.cluster_strength) +
                         ", expected a finite number >= 0");
    const double strength =
        settings_.cluster_strength > 0 ? settings_.cluster_strength : model_->settings().pair_weight;
    for (const std::size_t place : places_of_operations(settings_.operations, names())) {
        operations_.push_back(static_cast<ImageOperation>(place));
        list_.push_back(description(operations_.back(), names()[place], strength));
        if (operations_.back() == ImageOperation::two_point_crossover && model_->size() < 3)
            throw InputError("a two-point crossover needs three pixels at least");
    }
    if (std::none_of(list_.begin(), list_.end(), [](const auto& o) { return o.kind == Operation::Kind::mutation; }))
        throw InputError("crossovers alone do not reach every state; expected a mutation among the operations");
    if (settings_.rectangle_limit < 1)
        throw InputError("the sides of flipped rectangles are at most " + std::to_string(settings_.rectangle_limit) +
                         ", expected at least 1");
}

ImageOperation ImageSpace::operation(Index op) const {
    PEARLITE_EXPECTS(op >= 0 && op < static_cast<Index>(operations_.size()));
    return operations_[at(op)];
}

void ImageSpace::draw_start(Chains& chains, const model::BlockStreams& streams) const {
    for (Index i = 0; i < chains.size(); ++i)
        chains.states_[at(i)] = settings_.start == ImageSpaceSettings::Start::observed
                                    ? model_->observed_state()
                                    : model_->random_state(streams.at(Purpose::start, i));
}

void ImageSpace::evaluate(const Chains& chains, std::span<double> out) const {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == chains.padded_size());
    std::fill(out.begin() + chains.size(), out.end(), 0.0);
    for (Index i = 0; i < chains.size(); ++i)
        out[at(i)] = model_->energy(chains.states_[at(i)]);
}

void ImageSpace::mutate(Chains& chains, Index op, const model::ProposalScale& scale,
                        std::span<const double> /*energies*/, const model::BlockStreams& streams,
                        model::Proposals& proposals) const {
    start_proposals(chains.size(), chains.padded_size(), proposals);
    chains.operation_ = operation(op);
    switch (chains.operation_) {
    case ImageOperation::pixel:
        return flip_pixels(chains, streams, proposals);
    case ImageOperation::rectangle:
        return flip_rectangles(chains, streams, proposals);
    case ImageOperation::cluster:
        return flip_clusters(chains, scale.scale, streams, proposals);
    case ImageOperation::two_point_crossover:
        break;
    }
    throw ContractViolation("a crossover was called as a mutation");
}

void ImageSpace::flip_pixels(Chains& chains, const model::BlockStreams& streams, model::Proposals& proposals) const {
    const double* const u = draw_uniforms(streams.at(Purpose::site, 0), chains.padded_size(), 1, chains.uniforms_);
    const auto n = static_cast<double>(model_->size());
    for (Index i = 0; i < chains.size(); ++i) {
        const Index pixel = choice(u[i], n);
        chains.propose(i, {model_->flip_change(chains.states_[at(i)], pixel), pixel, pixel + 1}, 0, proposals);
    }
}

void ImageSpace::flip_rectangles(Chains& chains, const model::BlockStreams& streams,
                                 model::Proposals& proposals) const {
    const Index p = chains.padded_size(), rows = model_->settings().rows, columns = model_->settings().columns;
    const double* const u = draw_uniforms(streams.at(Purpose::site, 0), p, 4, chains.uniforms_);
    const Index highest = std::min(rows, settings_.rectangle_limit);
    const Index widest = std::min(columns, settings_.rectangle_limit);
    chains.rectangles_.resize(at(chains.size()));
    for (Index i = 0; i < chains.size(); ++i) {
        ImageRectangle& rectangle = chains.rectangles_[at(i)];
        rectangle.height = 1 + choice(u[i], static_cast<double>(highest));
        rectangle.width = 1 + choice(u[p + i], static_cast<double>(widest));
        rectangle.row = choice(u[2 * p + i], static_cast<double>(rows - rectangle.height + 1));
        rectangle.column = choice(u[3 * p + i], static_cast<double>(columns - rectangle.width + 1));
        chains.propose(i, {.counts = model_->flip_change(chains.states_[at(i)], rectangle)}, 0, proposals);
    }
}

void ImageSpace::flip_clusters(Chains& chains, double strength, const model::BlockStreams& streams,
                               model::Proposals& proposals) const {
    const double* const u = draw_uniforms(streams.at(Purpose::site, 0), chains.padded_size(), 1, chains.uniforms_);
    const auto n = static_cast<double>(model_->size());
    auto& members = chains.members_;
    members.clear();
    for (Index i = 0; i < chains.size(); ++i) {
        random::Stream stream(streams.at(Purpose::move, i));
        model_->grow_cluster(chains.states_[at(i)], choice(u[i], n), strength, stream, chains.cluster_);
        const auto from = static_cast<Index>(members.size());
        for (const Index pixel : chains.cluster_.pixels)
            members.push_back(static_cast<std::int32_t>(pixel));
        const ImageCounts& change = chains.cluster_.change;
        chains.propose(i, {change, from, static_cast<Index>(members.size())},
                       -strength * static_cast<double>(change.equal_pairs), proposals);
    }
}

/// The first of a pair makes both children, unless it lives on another rank. The pair shares the cut points, different
/// ones from 1 to size - 1: drawn as a sample without replacement (Floyd), a cut c before pixel c.
void ImageSpace::cross(Chains& chains, const model::Partners<Chains>& partners, Index op,
                       const model::Meetings& meetings, const model::ProposalScale& /*scale*/,
                       std::span<const double> /*energies*/, const model::BlockStreams& streams,
                       model::Proposals& proposals) const {
    PEARLITE_EXPECTS(operation(op) == ImageOperation::two_point_crossover && partners.size() > 0 &&
                     partners[0].size() >= chains.size());
    start_proposals(chains.size(), chains.padded_size(), proposals);
    chains.operation_ = ImageOperation::two_point_crossover;
    chains.partners_.resize(at(chains.size()));
    chains.other_counts_.resize(at(chains.size()));
    chains.first_of_pair_.assign(at(chains.size()), -1);
    const auto cuts = static_cast<std::uint64_t>(model_->size() - 1);
    for (Index i = 0; i < chains.size(); ++i) {
        if (meetings.active[at(i)] == 0) {
            chains.propose(i, {}, 0, proposals);
            continue;
        }
        if (const Index first = meetings.meeting[at(i)] - streams.first_slot; first >= 0 && first < i) {
            const auto& change = chains.changes_[at(first)];
            chains.propose(i, {chains.other_counts_[at(first)], change.from, change.to}, 0, proposals);
            chains.first_of_pair_[at(i)] = first;
            continue;
        }
        random::Stream stream({streams.seed, Purpose::partner,
                               random::slot_id(streams.generation, meetings.meeting[at(i)]), streams.step});
        const auto one = static_cast<Index>(stream.index(cuts - 1)) + 1;
        const auto drawn = static_cast<Index>(stream.index(cuts)) + 1;
        const Index other = drawn == one ? static_cast<Index>(cuts) : drawn;
        const auto [from, to] = std::minmax(one, other);
        // The partner may be gone when the child is accepted.
        ImageState& partner = chains.partners_[at(i)];
        partner = partners[0].states_[at(i)];
        const auto changes = model_->exchange_changes(chains.states_[at(i)], partner, from, to);
        chains.propose(i, {changes.first, from, to}, 0, proposals);
        chains.other_counts_[at(i)] = changes.second;
    }
}

void ImageSpace::accept(Chains& chains, std::span<const std::uint8_t> accepted) const {
    for (Index i = 0; i < chains.size(); ++i) {
        if (accepted[at(i)] == 0)
            continue;
        ImageState& state = chains.states_[at(i)];
        const auto& change = chains.changes_[at(i)];
        switch (chains.operation_) {
        case ImageOperation::pixel:
            model_->flip(state, change.from, change.counts);
            break;
        case ImageOperation::rectangle:
            model_->flip(state, chains.rectangles_[at(i)], change.counts);
            break;
        case ImageOperation::cluster:
            for (Index k = change.from; k < change.to; ++k)
                model_->flip(state, chains.members_[at(k)], k == change.from ? change.counts : ImageCounts{});
            break;
        case ImageOperation::two_point_crossover:
            if (change.from < change.to)
                exchange(chains, i, accepted);
            break;
        }
    }
}

/// Chain i becomes its child. Its copy of the partner becomes the other child, which the partner then takes.
void ImageSpace::exchange(Chains& chains, Index i, std::span<const std::uint8_t> accepted) const {
    const auto& change = chains.changes_[at(i)];
    const Index first = chains.first_of_pair_[at(i)];
    if (first >= 0 && accepted[at(first)] != 0)
        return std::swap(chains.states_[at(i)], chains.partners_[at(first)]);
    ImageState& partner = chains.partners_[at(i)];
    if (first >= 0)
        partner = chains.states_[at(first)];
    model_->exchange(chains.states_[at(i)], partner, change.from, change.to,
                     {change.counts, chains.other_counts_[at(i)]});
}

std::optional<double> ImageSpace::known_minimum() const {
    if (settings_.exact && !minimum_)
        minimum_ = model_->energy(model_->exact_minimum());
    return minimum_;
}

model::StateDescription ImageSpace::describe(std::span<const std::byte> packed) const {
    auto chains = make_chains(1);
    chains.unpack(0, packed);
    const auto pixels = chains.pixels(0);
    const auto& settings = model_->settings();
    model::StateDescription description;
    description.values.assign(pixels.begin(), pixels.end());
    model::Images images{Matrix(2, static_cast<Index>(pixels.size())), settings.rows, settings.columns};
    for (std::size_t k = 0; k < pixels.size(); ++k) {
        images.pixels(0, static_cast<Index>(k)) = pixels[k];
        images.pixels(1, static_cast<Index>(k)) = settings.observed[k];
    }
    description.images = std::move(images);
    return description;
}

static_assert(model::SearchSpace<ImageSpace>);

} // namespace pearlite::models
