#include "app/commands/commands.hpp"
#include "app/mbar/mbar_part.hpp"
#include "app/mbar/states_file.hpp"
#include "app/works/result_of_files.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <utility>

namespace pearlite::app {

namespace {

using parallel::Communicator;

/// Rank 0 reads the file; each rank keeps its own samples.
estimator::ReducedPotentials dealt(const Communicator& ranks, StatesTable& table) {
    estimator::ReducedPotentials data;
    data.ranks = ranks;
    std::array sizes{table.potentials.rows(), table.potentials.cols()};
    ranks.broadcast(std::span<Index>(sizes));
    table.counts.resize(static_cast<std::size_t>(sizes[0]));
    ranks.broadcast(std::span<Index>(table.counts));
    table.names.resize(static_cast<std::size_t>(sizes[0]));
    for (auto& name : table.names)
        name = ranks.broadcast(name);
    data.layout = parallel::BlockLayout(sizes[1], estimator::mbar_block, ranks.size(), ranks.rank());
    data.counts = table.counts;
    table.potentials.resize(sizes[0], sizes[1]);
    ranks.broadcast(std::span<double>(table.potentials.data(), static_cast<std::size_t>(table.potentials.size())));
    data.here = table.potentials.middleCols(data.layout.first_local_item(), data.layout.local_items());
    table.potentials.resize(0, 0);
    return data;
}

} // namespace

int mbar_command(const Communicator& ranks, const MbarOptions& options) {
    ResultOfFiles end(ranks, options.directory);
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "free energies");
    StatesTable table;
    parallel::on_root(ranks, [&] { table = read_states(options.file, options.state, options.leave_out); });
    const auto data = dealt(ranks, table);
    end.take_directory(options.overwrite);

    ResultParts parts;
    parts.push_back(std::make_unique<MbarPart>(estimator::mbar(data), table.names, table.counts, unit));
    const auto result = result_of(std::move(parts));

    RunFacts facts;
    facts.model = "samples";
    facts.algorithm = "mbar";
    facts.block = estimator::mbar_block;
    facts.unit = "samples";
    end.write(std::move(facts), result, fmt::format("mbar {}", options.file.string()), data.layout.size());
    return 0;
}

} // namespace pearlite::app
