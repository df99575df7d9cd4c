#include "app/posterior/gather_posterior.hpp"
#include "parallel/agreement.hpp"
#include "parallel/reduction.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <bit>
#include <cmath>

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

const algorithm::RecordedDraws* recorded_here(const algorithm::Found& found, Index replicate) {
    return found.has_replicate(replicate) ? found.replicate(replicate).draws : nullptr;
}

} // namespace

void gather_samples(const parallel::Communicator& ranks, const model::Target& target, const algorithm::Found& found,
                    Samples& samples) {
    std::vector<population::Share> shares;
    std::vector<parallel::BlockLayout> layouts;
    for (Index r = 0; r < found.n_replicates(); ++r)
        if (samples.are_recorded)
            layouts.push_back(layout_of_draws(ranks, recorded_here(found, r)));
        else
            shares.push_back(shares_of(ranks, found, r).front());
    parallel::together(ranks, [&] {
        for (const auto& share : shares)
            samples.parts.push_back(samples_of(target, share));
        for (std::size_t r = 0; r < layouts.size(); ++r)
            samples.parts.push_back(samples_of(target, layouts[r], recorded_here(found, static_cast<Index>(r))));
    });
}

std::vector<std::vector<Index>> systematic_draws(const parallel::Communicator& ranks,
                                                 std::span<const std::span<const double>> log_weights, Index n,
                                                 const random::Seed& seed, std::uint64_t id) {
    Index count = 0;
    double largest = log_zero;
    for (const auto part : log_weights) {
        count += static_cast<Index>(part.size());
        for (const double log_weight : part)
            largest = std::max(largest, log_weight);
    }
    largest = ranks.max(largest);
    const int bits = 62 - std::bit_width(static_cast<std::uint64_t>(ranks.sum(count)));
    const auto integer = [&](double log_weight) {
        return static_cast<WideCount>(std::llround(std::ldexp(std::exp(log_weight - largest), bits)));
    };

    // The sums of the weights before this rank's share of each part.
    std::vector<WideCount> before;
    WideCount total = 0;
    for (const auto part : log_weights) {
        WideCount local = 0;
        for (const double log_weight : part)
            local += integer(log_weight);
        const auto scan = parallel::exclusive_scan(ranks, local);
        before.push_back(total + scan.before);
        total += scan.total;
    }
    PEARLITE_EXPECTS(total > 0);

    // Draw k is where the summed weights exceed (k + U) total / n; times n, all of it is integers.
    random::Stream stream({seed, random::Purpose::posterior_draw, id, 0});
    const auto offset = std::min(total - 1, static_cast<WideCount>(stream.uniform() * static_cast<double>(total)));
    const auto first_draw_from = [&](WideCount sum) {
        const WideCount scaled = sum * static_cast<WideCount>(n);
        return scaled <= offset ? Index{0} : static_cast<Index>((scaled - offset + total - 1) / total);
    };
    std::vector<std::vector<Index>> drawn(log_weights.size());
    for (std::size_t p = 0; p < log_weights.size(); ++p) {
        WideCount sum = before[p];
        Index next = first_draw_from(sum);
        for (std::size_t i = 0; i < log_weights[p].size(); ++i) {
            sum += integer(log_weights[p][i]);
            for (const Index end = first_draw_from(sum); next < end; ++next)
                drawn[p].push_back(static_cast<Index>(i));
        }
    }
    return drawn;
}

namespace {

/// The chain of each draw, where a layout's block is a chain.
ShardedField chain_field(const parallel::BlockLayout& layout) {
    ShardedField field{
        ItemType::int64, sizeof(std::int64_t), layout.size(), layout.first_local_item(), layout.local_items(), {}, {}};
    field.pack = [layout](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i) {
            const std::int64_t chain = (layout.first_local_item() + first + i) / layout.block();
            std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(chain), &chain, sizeof(chain));
        }
    };
    return field;
}

/// Columns of a matrix that has one for each item here.
ShardedField columns_field(const parallel::BlockLayout& layout, const double* values, Index rows) {
    const std::size_t bytes = static_cast<std::size_t>(rows) * sizeof(double);
    ShardedField field{
        ItemType::float64, bytes, layout.size(), layout.first_local_item(), layout.local_items(), {}, {}};
    field.pack = [=](Index first, Index count, std::span<std::byte> out) {
        if (count > 0)
            std::memcpy(out.data(), values + first * rows, static_cast<std::size_t>(count) * bytes);
    };
    return field;
}

} // namespace

void Samples::write(io::Writer& writer) const {
    const auto write = [&](const char* name, auto&& values, Index columns) {
        std::vector<ShardedField> fields;
        for (const auto& part : parts)
            fields.push_back(columns_field(part.layout, values(part).data(), std::max<Index>(columns, 1)));
        writer.sharded_parts(name, std::move(fields), columns);
    };
    using Part = SamplesPart;
    write(
        "samples/values", [](const Part& part) -> const Matrix& { return part.parameters; }, n_parameters);
    write(
        "samples/log_weight", [](const Part& part) -> const auto& { return part.log_weight; }, 0);
    if (are_markov_chains)
        writer.sharded("samples/chain", chain_field(parts.front().layout));
    if (!has_densities)
        return;
    write(
        "samples/log_prior", [](const Part& part) -> const auto& { return part.log_prior; }, 0);
    write(
        "samples/log_likelihood", [](const Part& part) -> const auto& { return part.log_likelihood; }, 0);
}

void Samples::digest(const parallel::Communicator& ranks, io::Sha256& hash) const {
    for (const auto& part : parts)
        hash.add(
            io::digest(ranks, columns_field(part.layout, part.parameters.data(), n_parameters), part.layout.block()));
}

} // namespace pearlite::app
