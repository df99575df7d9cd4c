#include "app/posterior/gather_posterior.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace pearlite::app {

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
