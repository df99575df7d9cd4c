#include "algorithm/common/prior_stage.hpp"

#include "parallel/agreement.hpp"
#include "pearlite/model/detail/density_functions.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

namespace {

/// The part of a run's seed for further draws: below the parts of pilots, and above the numbers of replicates.
constexpr std::uint64_t part_of_stages = std::uint64_t{1} << 62;
constexpr Index widest_batch = 64, most_batches = 64;
constexpr double quantile975 = 1.959963984540054;

/// The words of the code behind a density for the first point that it refused, if it refused any.
std::string first_rejection(const model::Target& target) {
    const auto* density = target.offers<model::DensityFunctions>();
    const auto* rejected = density ? density->offers<model::RejectedPoints>() : nullptr;
    const auto rejections = rejected ? rejected->rejections() : model::Rejections{};
    return rejections.number > 0
               ? fmt::format("; the model rejected {} points, the first: {}", rejections.number, rejections.first)
               : "";
}

double width_with(double width, double variance) {
    return std::hypot(width, quantile975 * std::sqrt(variance));
}

} // namespace

PriorStage::PriorStage(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target,
                       const random::Seed& seed, Index most_draws)
    : ranks_(ranks),
      target_(std::move(target)),
      seed_(random::derive_seed(seed, part_of_stages)),
      most_draws_(most_draws) {}

std::vector<bool> PriorStage::are_zero(const model::Target& target, const Block& block,
                                       std::span<const double> derivatives) {
    std::vector<bool> zero(derivatives.size());
    for (std::size_t i = 0; i < zero.size(); ++i)
        zero[i] = derivatives[i] == log_zero;
    if (target.path_is_linear() || std::ranges::find(zero, true) == zero.end())
        return zero;
    constexpr double just_beyond_start = 1e-12; // where the derivative may be infinite although f_b is positive
    std::vector<double> ratios(derivatives.size(), 0.0);
    target.add_log_ratio(block, 0, just_beyond_start, ratios);
    for (std::size_t i = 0; i < zero.size(); ++i)
        zero[i] = zero[i] && ratios[i] == log_zero;
    return zero;
}

void PriorStage::begin(const population::Generation& particles, std::span<const double> derivatives,
                       const TakesPart& takes_part) {
    made_.assign(static_cast<std::size_t>(particles.local_size()), 0);
    const auto failure = parallel::failure_of([&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const Index first = particles.block_begin(b);
            const auto of_block = derivatives.subspan(at(first), at(particles.block_size(b)));
            const auto zero = are_zero(*target_, particles.block(b), of_block);
            for (Index i = 0; i < particles.block_size(b); ++i)
                if (!takes_part || takes_part(first + i))
                    made_[at(first + i)] = zero[at(i)] ? -1 : 1;
        }
    });
    count(failure);
    require_fewer_draws();
}

void PriorStage::count(const std::exception_ptr& failure) {
    std::array<std::int64_t, 5> sums{0, 0, 0, made_evaluations_, failure ? 1 : 0};
    for (const auto made : made_) {
        sums[0] += made != 0 ? 1 : 0;
        sums[1] += made > 0 ? 1 : 0;
        sums[2] += std::abs(made);
    }
    ranks_.sum(std::span<std::int64_t>(sums));
    if (sums[4] > 0)
        parallel::agree(ranks_, failure);
    particles_ = sums[0];
    found_ = sums[1];
    draws_ = sums[2];
    evaluations_ += sums[3];
    made_evaluations_ = 0;
    if (is_looking())
        return;
    made_.clear();
    made_.shrink_to_fit();
}

void PriorStage::require_fewer_draws() const {
    const Index most = most_draws_ > 0 ? most_draws_ : most_draws_of_a_particle * particles_;
    if (draws_ <= most || !is_restricted())
        return;
    const auto seen = found_ == 0 ? fmt::format("all {} draws from the prior have likelihood zero", draws_)
                                  : fmt::format("{} of {} draws from the prior have a positive likelihood, and {} are "
                                                "needed",
                                                found_, draws_, particles_);
    throw InputError(fmt::format("{}, which are more draws than algorithm.most_prior_draws = {} allows; raise it, take "
                                 "fewer particles, or choose a prior that is closer to the data{}",
                                 seen, most, first_rejection(*target_)));
}

PriorStage::Batches PriorStage::batches(const population::Generation& particles) const {
    const Index widest = std::min(widest_batch, particles.layout().block());
    const Index draws_of_a_find = found_ > 0 ? draws_ / found_ : widest;
    const Index width = std::clamp<Index>(draws_of_a_find, 1, widest);
    return {width, std::clamp<Index>(particles_ / ((particles_ - found_) * width), 1, most_batches)};
}

void PriorStage::step(population::Generation& particles) {
    PEARLITE_EXPECTS(is_looking());
    const auto plan = batches(particles);
    const auto failure = parallel::failure_of([&] {
        const auto batch = target_->make_block(plan.width);
        packed_.resize(batch->packed_bytes());
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const Index first = particles.block_begin(b);
            bool changes = false;
            for (Index i = first; i < first + particles.block_size(b); ++i)
                if (made_[at(i)] < 0 && look(particles, i, plan, *batch))
                    changes = true;
            if (changes)
                target_->prepare(particles.block(b));
        }
    });
    count(failure);
    require_fewer_draws();
}

bool PriorStage::look(population::Generation& particles, Index local_slot, const Batches& batches, Block& batch) {
    auto& made = made_[at(local_slot)];
    const Index slot = particles.layout().first_local_item() + local_slot;
    std::vector<double> derivatives(at(batches.width));
    for (Index k = 0; k < batches.number; ++k) {
        const model::BlockStreams streams{seed_, static_cast<std::uint32_t>(slot), particles.number(), -made, -made, 0};
        target_->draw_start(batch, streams);
        target_->path_derivative(batch, 0, derivatives);
        made_evaluations_ += batches.width;
        const auto zero = are_zero(*target_, batch, derivatives);
        for (Index j = 0; j < batches.width; ++j) {
            --made;
            if (zero[at(j)])
                continue;
            made = -made;
            batch.pack(j, packed_);
            particles.unpack(local_slot, packed_);
            return true;
        }
    }
    return false;
}

void PriorStage::complete(population::Generation& particles) {
    while (is_looking())
        step(particles);
}

std::string PriorStage::progress() const {
    return is_looking() ? fmt::format("{} of {} starts after {} draws from the prior", found_, particles_, draws_) : "";
}

double PriorStage::log_share(Index further, Index positive) const {
    if (!is_restricted() || is_looking())
        return 0;
    const bool is_alone = particles_ == 1 && positive == 0; // a single draw has no unbiased estimate
    return std::log(static_cast<double>(particles_ - (is_alone ? 0 : 1) + positive) /
                    static_cast<double>(draws_ - (is_alone ? 0 : 1) + further));
}

double PriorStage::variance(Index further, Index positive) const {
    if (!is_restricted() || is_looking())
        return 0;
    const auto kept = static_cast<double>(std::max<Index>(particles_ - 1 + positive, 1));
    return static_cast<double>(draws_ - particles_ + further - positive) /
           (static_cast<double>(draws_ - 2 + further) * kept);
}

void PriorStage::fields(Fields& f, const population::Generation& particles) {
    constexpr const char *of_particles = "prior_draws_of_particles", *of_stage = "prior_stage";
    constexpr std::int64_t n_numbers = 4;
    if (f.is_reading() ? !f.has_items(of_stage, n_numbers) : !is_restricted() && !is_looking()) {
        if (f.is_reading())
            particles_ = found_ = draws_ = particles.size();
        return;
    }
    std::vector<std::int64_t> numbers{particles_, found_, draws_, evaluations_};
    f(of_stage, numbers);
    PEARLITE_EXPECTS(std::ssize(numbers) == n_numbers);
    particles_ = numbers[0];
    found_ = numbers[1];
    draws_ = numbers[2];
    evaluations_ = numbers[3];
    PEARLITE_EXPECTS(found_ <= particles_ && particles_ <= draws_ && particles_ <= particles.size());
    if (!is_looking())
        return;
    if (f.is_reading())
        made_.assign(static_cast<std::size_t>(particles.local_size()), 0);
    f.sharded(of_particles, particles.array_field(made_, ItemType::int64));
}

void add_independent(estimator::Estimate& estimate, double value, double variance) {
    if (value == 0 && variance == 0)
        return;
    if (estimate.standard_error)
        *estimate.standard_error = std::hypot(*estimate.standard_error, std::sqrt(variance));
    if (estimate.interval95)
        estimate.interval95 = estimator::Interval{
            estimate.value + value - width_with(estimate.value - estimate.interval95->low, variance),
            estimate.value + value + width_with(estimate.interval95->high - estimate.value, variance)};
    estimate.value += value;
}

} // namespace pearlite::algorithm
