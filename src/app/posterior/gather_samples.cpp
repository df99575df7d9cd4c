#include "app/posterior/gather_posterior.hpp"

#include "parallel/agreement.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <algorithm>
#include <utility>

namespace pearlite::app {

namespace {

std::span<const double> values_of(const auto& array) {
    return {array.data(), static_cast<std::size_t>(array.size())};
}

/// The samples of a block, appended to those of a part; their parameters from column `first` on.
void add_samples(const model::Target& target, const Block& block, Index first, SamplesPart& part) {
    part.parameters.middleCols(first, block.size()) = target.offers<model::ReportedParameters>()->parameters(block);
    const auto* path = target.offers<path::DensityPath>();
    if (!path)
        return;
    const auto n = static_cast<std::size_t>(block.size());
    const auto append = [&](std::vector<double>& values, std::span<const double> more) {
        values.insert(values.end(), more.begin(), more.begin() + static_cast<std::ptrdiff_t>(n));
    };
    const auto& points = path::points_of(block);
    if (const auto* readable = target.offers<model::ReadablePrior>()) {
        Vector log_prior(points.padded_size());
        readable->log_prior(points.points, block.size(), log_prior);
        const Vector log_likelihood = points.log_prior + points.log_likelihood - log_prior;
        append(part.log_prior, values_of(log_prior));
        append(part.log_likelihood, values_of(log_likelihood));
    } else if (path->path_is_linear()) {
        append(part.log_prior, values_of(points.log_prior));
        append(part.log_likelihood, values_of(points.log_likelihood));
    } else { // the stored logs may belong to another temperature
        Vector log_prior(points.padded_size()), log_likelihood(log_prior);
        path->evaluate(points, points.points, 1, log_prior, log_likelihood, {});
        append(part.log_prior, values_of(log_prior));
        append(part.log_likelihood, values_of(log_likelihood));
    }
}

Matrix no_parameters(const model::Target& target, Index n) {
    return Matrix(target.offers<model::ReportedParameters>()->parameter_names().size(), n);
}

/// The samples of a population's particles on this rank.
SamplesPart samples_of(const model::Target& target, const population::Share& particles) {
    SamplesPart part{particles.layout(), no_parameters(target, particles.local_size()), {}, {}, {}};
    for (Index b = 0; b < particles.local_blocks(); ++b)
        add_samples(target, particles.block(b), particles.block_begin(b), part);
    return part;
}

/// Collective. The place of the recorded draws of a replicate among all ranks: a block is a chain. `here`: null on
/// ranks without the replicate.
parallel::BlockLayout layout_of(const parallel::Communicator& ranks, const algorithm::RecordedDraws* here) {
    const auto chains = ranks.all_gather(here ? here->chains_here() : Index{0});
    const Index draws = ranks.max(here ? here->draws_per_chain() : Index{0});
    std::vector<Index> first_chains{0};
    for (const Index n : chains)
        first_chains.push_back(first_chains.back() + n);
    return parallel::BlockLayout(first_chains.back() * draws, draws, ranks.size(), ranks.rank())
        .with_runs(first_chains);
}

/// The samples of the recorded draws on this rank, chain after chain.
SamplesPart samples_of(const model::Target& target, const parallel::BlockLayout& layout,
                       const algorithm::RecordedDraws* here) {
    SamplesPart part{layout, no_parameters(target, layout.local_items()), {}, {}, {}};
    const Index n = layout.block(), at_once = here ? here->chains() : 1; // a block may be no larger than a system's
    for (Index first = 0; first < layout.local_items(); first += at_once) {
        const auto block = target.make_block(std::min(at_once, layout.local_items() - first));
        for (Index i = 0; i < block->size(); ++i)
            here->unpack((first + i) / n, (first + i) % n, *block, i);
        target.prepare(*block);
        add_samples(target, *block, first, part);
    }
    return part;
}

const algorithm::RecordedDraws* recorded_here(algorithm::Sampler& sampler, Index replicate) {
    return sampler.has_replicate(replicate) ? sampler.replicate(replicate).recorded_draws() : nullptr;
}

} // namespace

void gather_samples(const parallel::Communicator& ranks, const model::Target& target, algorithm::Sampler& sampler,
                    Samples& samples) {
    std::vector<population::Share> shares;
    std::vector<parallel::BlockLayout> layouts;
    for (Index r = 0; r < sampler.n_replicates(); ++r)
        if (samples.are_recorded)
            layouts.push_back(layout_of(ranks, recorded_here(sampler, r)));
        else
            shares.push_back(shares_of(ranks, sampler, r).front());
    parallel::together(ranks, [&] {
        for (const auto& share : shares)
            samples.parts.push_back(samples_of(target, share));
        for (std::size_t r = 0; r < layouts.size(); ++r)
            samples.parts.push_back(samples_of(target, layouts[r], recorded_here(sampler, static_cast<Index>(r))));
    });
}

} // namespace pearlite::app
