#include "app/commands/build_info.hpp"
#include "app/commands/commands.hpp"
#include "app/mbar/mbar_part.hpp"
#include "app/mbar/states_file.hpp"
#include "app/run/run_directory.hpp"
#include "app/summary/summary.hpp"
#include "io/container/container.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <span>

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

void write_files(const Communicator& ranks, const MbarOptions& options, const RunResult& result,
                 const std::string& summary) {
    io::Writer writer(ranks);
    writer("configuration", fmt::format("# pearlite mbar {}\n", options.file.string()));
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    for (const auto& part : result.parts)
        part->write_fields(writer);
    writer.commit(*options.directory / "results.h5", "results");
    parallel::on_root(ranks, [&] { write_summary(*options.directory, summary); });
}

} // namespace

int mbar_command(const Communicator& ranks, const MbarOptions& options) {
    const auto began = std::chrono::steady_clock::now();
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "free energies");
    StatesTable table;
    parallel::on_root(ranks, [&] { table = read_states(options.file, options.state, options.leave_out); });
    const auto data = dealt(ranks, table);
    DirectoryLock lock;
    if (options.directory)
        parallel::on_root(ranks, [&] { lock = make_run_directory(*options.directory, options.overwrite); });

    ResultParts parts;
    parts.push_back(std::make_unique<MbarPart>(estimator::mbar(data), table.names, table.counts, unit));
    const auto result = result_of(std::move(parts));

    RunFacts facts;
    facts.model = "samples";
    facts.algorithm = "mbar";
    facts.block = estimator::mbar_block;
    facts.ranks = ranks.size();
    facts.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    facts.updates_per_second = static_cast<double>(data.layout.size()) / std::max(facts.wall_seconds, 1e-9);
    facts.unit = "samples";
    facts.resources = resources_of(ranks);
    std::string summary;
    parallel::on_root(ranks, [&] { summary = summary_text(facts, result); });
    if (options.directory)
        write_files(ranks, options, result, summary);
    if (ranks.is_root())
        std::fputs(describe_text(summary).c_str(), stdout);
    return 0;
}

} // namespace pearlite::app
