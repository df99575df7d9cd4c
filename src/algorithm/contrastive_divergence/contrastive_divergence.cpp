#include "algorithm/contrastive_divergence/contrastive_divergence.hpp"

#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pearlite::algorithm {

namespace {

using Examples = model::Learner::Examples;

/// Random numbers of chains, of examples and of pictures are addressed apart; the learner's fits have those between.
constexpr Index generation_of_chains = 0, generation_of_examples = 1, generation_of_samples = 4;

/// The part of `count` examples that a rank watches.
std::pair<Index, Index> share_of(const parallel::Communicator& ranks, Index count) {
    const parallel::BlockLayout layout(count, ContrastiveDivergence::piece, ranks.size(), ranks.rank());
    return {layout.first_local_item(), layout.local_items()};
}

} // namespace

ContrastiveDivergence::ContrastiveDivergence(const parallel::Communicator& ranks,
                                             std::unique_ptr<model::Learner> learner,
                                             const ContrastiveDivergenceSettings& settings)
    : ranks_(ranks),
      learner_(std::move(learner)),
      settings_(settings),
      batch_layout_(settings.batch, piece, ranks.size(), ranks.rank()),
      chain_layout_(settings.n_chains(), piece, ranks.size(), ranks.rank()) {
    PEARLITE_EXPECTS(settings.batch >= 1 && settings.batch <= learner_->n_examples(Examples::training));
    // Over the least common multiple of both numbers the difference of two means is one of counts.
    const Index common = std::gcd(settings.batch, settings.n_chains());
    data_factor_ = static_cast<std::int32_t>(settings.n_chains() / common);
    model_factor_ = static_cast<std::int32_t>(settings.batch / common);
    parallel::together(ranks_, [&] {
        examples_ = learner_->make_block(batch_layout_.local_items());
        chains_ = learner_->make_block(chain_layout_.local_items());
    });
    const auto largest = static_cast<std::int64_t>(data_factor_) * settings.batch;
    if (largest <= std::numeric_limits<std::int16_t>::max())
        counts_.emplace<parallel::SharedSum<std::int16_t>>(ranks_, learner_->n_counts());
    else
        counts_.emplace<parallel::SharedSum<std::int32_t>>(ranks_, learner_->n_counts());
}

void ContrastiveDivergence::begin() {
    parallel::together(ranks_, [&] {
        if (settings_.is_persistent)
            learner_->draw_start(*chains_, {settings_.seed, 0, generation_of_chains, chain_layout_.first_local_item()});
        watch_examples();
    });
    look();
}

void ContrastiveDivergence::step() {
    const Index batch = t_ % batches_per_epoch();
    shuffle(t_ / batches_per_epoch());
    const auto first = order_.begin() + batch * settings_.batch + batch_layout_.first_local_item();
    learner_->observe(*examples_, {first, first + batch_layout_.local_items()},
                      static_cast<std::uint32_t>(shuffled_epoch_ + 1));
    learner_->draw_hidden(*examples_, streams(generation_of_examples, batch_layout_, 0));
    if (!settings_.is_persistent)
        learner_->copy(*examples_, *chains_);
    for (Index sweep = 0; sweep < settings_.sweeps; ++sweep)
        learner_->sweep(*chains_, streams(generation_of_chains, chain_layout_, sweep));
    const bool is_finite = ascend();
    ++t_;
    if (!is_finite) // on all ranks alike
        parallel::agree(ranks_, std::make_exception_ptr(NumericalError(fmt::format(
                                    "update {}: a parameter is no longer finite; lower algorithm.rate", t_))));
    const double updates_per_look = settings_.watch_every * static_cast<double>(batches_per_epoch());
    const auto looks = [&](Index updates) { return std::floor(static_cast<double>(updates) / updates_per_look); };
    if (finished() || looks(t_) > looks(t_ - 1))
        look();
}

bool ContrastiveDivergence::ascend() {
    const double per_count = 1 / (static_cast<double>(data_factor_) * static_cast<double>(settings_.batch));
    const auto by = [&](auto& counts) {
        learner_->count(*examples_, data_factor_, *chains_, model_factor_, counts.own());
        return learner_->ascend(counts.sum(), per_count, ascent());
    };
    if (auto* const narrow = std::get_if<parallel::SharedSum<std::int16_t>>(&counts_))
        return by(*narrow);
    return by(std::get<parallel::SharedSum<std::int32_t>>(counts_));
}

model::Ascent ContrastiveDivergence::ascent() const {
    model::Ascent ascent{settings_.rate, settings_.momentum, settings_.weight_decay};
    if (settings_.rate_schedule == ContrastiveDivergenceSettings::RateSchedule::linear)
        ascent.rate *= 1 - static_cast<double>(t_) / static_cast<double>(settings_.updates);
    if (settings_.final_momentum && epoch() >= settings_.final_momentum_from)
        ascent.momentum = *settings_.final_momentum;
    return ascent;
}

Index ContrastiveDivergence::batches_per_epoch() const {
    return learner_->n_examples(Examples::training) / settings_.batch;
}

/// Fisher and Yates.
void ContrastiveDivergence::shuffle(Index epoch) {
    if (epoch == shuffled_epoch_)
        return;
    shuffled_epoch_ = epoch;
    order_.resize(at(learner_->n_examples(Examples::training)));
    std::iota(order_.begin(), order_.end(), Index{0});
    random::Stream stream({settings_.seed, random::Purpose::batch_order, 0, static_cast<std::uint32_t>(epoch)});
    for (std::size_t i = order_.size(); i > 1; --i)
        std::swap(order_[i - 1], order_[stream.index(i)]);
}

model::BlockStreams ContrastiveDivergence::streams(Index generation, const parallel::BlockLayout& layout,
                                                   Index sweep) const {
    return {settings_.seed, static_cast<std::uint32_t>(t_ * settings_.sweeps + sweep + 1), generation,
            layout.first_local_item(), layout.first_local_block()};
}

Index ContrastiveDivergence::watched(Examples which) const {
    const Index held_out = std::min(settings_.watched, learner_->n_examples(Examples::held_out));
    if (which == Examples::held_out)
        return held_out;
    return std::min(held_out > 0 ? held_out : settings_.watched, learner_->n_examples(Examples::training));
}

void ContrastiveDivergence::watch_examples() {
    for (const auto which : {Examples::training, Examples::held_out}) {
        const auto [first, count] = share_of(ranks_, watched(which));
        learner_->watch(which, first, count);
    }
}

void ContrastiveDivergence::look() {
    std::array<model::Fit, 2> fits;
    parallel::together(ranks_, [&] {
        for (const auto which : {Examples::training, Examples::held_out})
            fits[which == Examples::training ? 0 : 1] = learner_->fit(which, static_cast<std::uint32_t>(t_));
    });
    std::array<ExactSum, 2> energies{fits[0].free_energy, fits[1].free_energy};
    std::array<std::int64_t, 2> wrong{fits[0].wrong_units, fits[1].wrong_units};
    parallel::exact_sum(ranks_, std::span<ExactSum>(energies));
    ranks_.sum(std::span<std::int64_t>(wrong));
    const auto now = ascent();
    trace_.update.push_back(t_);
    trace_.epoch.push_back(epoch());
    trace_.rate.push_back(now.rate);
    trace_.momentum.push_back(now.momentum);
    const auto add = [&](Examples which, std::size_t i, std::vector<double>& energy, std::vector<double>& errors) {
        const auto n = static_cast<double>(watched(which));
        if (n == 0)
            return;
        energy.push_back(energies[i].value() / n);
        errors.push_back(static_cast<double>(wrong[i]) / n);
    };
    add(Examples::training, 0, trace_.free_energy, trace_.wrong_units);
    add(Examples::held_out, 1, trace_.held_out_free_energy, trace_.held_out_wrong_units);
}

Progress ContrastiveDivergence::progress() const {
    Progress progress;
    progress.step = t_;
    progress.steps = settings_.updates;
    progress.inverse_temperature = 1;
    progress.stage = fmt::format("epoch {:.2f}", epoch());
    if (!trace_.free_energy.empty())
        progress.stage += fmt::format("  free energy {:.2f}", trace_.free_energy.back());
    if (!trace_.held_out_free_energy.empty())
        progress.stage += fmt::format(", held out {:.2f}", trace_.held_out_free_energy.back());
    if (!trace_.wrong_units.empty())
        progress.stage += fmt::format("  wrong units {:.1f}", trace_.wrong_units.back());
    progress.updates_per_step = 1;
    return progress;
}

Found ContrastiveDivergence::found() {
    return {.has_path = false, .training = this};
}

void ContrastiveDivergence::fields(Fields& f) {
    f("update", t_);
    group(f, "learner", *learner_);
    group(f, "trace", trace_);
    if (settings_.is_persistent)
        population::list_block(f, "chains", *chains_, chain_layout_);
    if (f.is_reading()) {
        if (t_ < 0 || t_ > settings_.updates)
            throw FileError("the checkpoint has an impossible number of updates");
        parallel::together(ranks_, [&] { watch_examples(); });
    }
}

model::Images ContrastiveDivergence::samples() {
    constexpr Index most = 100;
    model::Images images;
    parallel::on_root(ranks_, [&] {
        const auto chains = learner_->make_block(std::min(most, settings_.n_chains()));
        learner_->draw_start(*chains, {settings_.seed, 0, generation_of_samples, 0});
        for (Index sweep = 0; sweep < settings_.sample_sweeps; ++sweep)
            learner_->sweep(*chains, {settings_.seed, static_cast<std::uint32_t>(sweep + 1), generation_of_samples, 0});
        images = learner_->samples(*chains);
    });
    return images;
}

} // namespace pearlite::algorithm
