#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/mbar/mbar_part.hpp"
#include "app/works/result_of_files.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

struct MbarOptions {
    std::filesystem::path file;     ///< reduced potentials of samples of several states
    std::vector<std::string> state; ///< columns
    std::vector<std::string> leave_out;
    bool independent = false;
    std::string units = "kT";
    std::optional<double> temperature, beta;
    std::optional<std::filesystem::path> directory;
    bool overwrite = false;
};

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
    table.own.resize(static_cast<std::size_t>(sizes[1]));
    ranks.broadcast(std::span<Index>(table.own));
    data.own.assign(table.own.begin() + data.layout.first_local_item(),
                    table.own.begin() + data.layout.first_local_item() + data.layout.local_items());
    table.potentials.resize(sizes[0], sizes[1]);
    ranks.broadcast(std::span<double>(table.potentials.data(), static_cast<std::size_t>(table.potentials.size())));
    data.here = table.potentials.middleCols(data.layout.first_local_item(), data.layout.local_items());
    table.potentials.resize(0, 0);
    return data;
}

/// Collective.
int mbar(const Communicator& ranks, const MbarOptions& options) {
    ResultOfFiles end(ranks, options.directory);
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "free energies");
    StatesTable table;
    parallel::on_root(ranks, [&] { table = read_states(options.file, options.state, options.leave_out); });
    const auto data = dealt(ranks, table);
    end.take_directory(options.overwrite);

    auto found = estimator::mbar(data);
    if (!options.independent)
        estimator::use_order(data, found);
    const auto ownership = estimator::ownership_test(data, found);
    const double degrees = estimator::degrees_of(data, found, found.reference, data.states() - 1);
    ResultParts parts;
    parts.push_back(std::make_unique<MbarPart>(std::move(found), ownership, degrees, table.source, table.names,
                                               table.counts, unit));
    const auto result = result_of(std::move(parts));

    RunFacts facts;
    facts.model = "samples";
    facts.algorithm = "mbar";
    facts.block = estimator::mbar_block;
    facts.unit = "samples";
    parallel::on_root(ranks, [&] { facts.files = {{"samples", options.file, io::sha256_of_file(options.file)}}; });
    end.write(std::move(facts), result, fmt::format("mbar {}", options.file.string()), data.layout.size());
    return 0;
}

} // namespace

CommandEntry mbar_command_entry() {
    return {"mbar",
            "free energies of many states from samples of some of them, by the multistate Bennett acceptance ratio",
            [](CLI::App& command, const CommandContext&) -> Action {
                const auto options = std::make_shared<MbarOptions>();
                command
                    .add_option("file", options->file,
                                "reduced potentials: .npz or .h5 with u_kn and N_k, or a table with a row a sample")
                    ->required();
                command
                    .add_option(
                        "--state", options->state,
                        "tables: the columns of the state that a sample was drawn from (default: state, or all that "
                        "end with lambda)")
                    ->delimiter(',');
                command.add_option("--leave-out", options->leave_out, "tables: columns that are no states, time say")
                    ->delimiter(',');
                command.add_flag("--independent", options->independent,
                                 "samples do not depend on those before them (by default their order decides)");
                command.add_option("--units", options->units, "unit of the free energies")
                    ->check(CLI::IsMember({"kT", "kJ/mol", "kcal/mol"}))
                    ->capture_default_str();
                command.add_option("--temperature", options->temperature, "in kelvin, for kJ/mol or kcal/mol")
                    ->check(CLI::PositiveNumber);
                command.add_option("--beta", options->beta, "in place of it: 1/(kT) in the unit wanted")
                    ->check(CLI::PositiveNumber);
                command.add_option("-o", options->directory, "directory for results.h5 and summary.json");
                command.add_flag("--overwrite", options->overwrite, "replace earlier results in that directory");
                return {.distributed = [options](const auto& ranks) { return mbar(ranks, *options); }};
            }};
}

} // namespace pearlite::app
