#include "algorithm/works/outcome_of_works.hpp"
#include "app/commands/build_info.hpp"
#include "app/commands/commands.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/run/run_directory.hpp"
#include "app/summary/summary.hpp"
#include "app/works/free_energy.hpp"
#include "app/works/works_files.hpp"
#include "io/container/container.hpp"
#include "parallel/agreement.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <span>
#include <vector>

namespace pearlite::app {

namespace {

using parallel::Communicator;

std::optional<WorkIntegral> integral_of(const WorksOptions& options) {
    if (options.integrate.empty()) {
        if (options.velocity)
            throw InputError("--velocity: expected --integrate force beside it");
        return {};
    }
    if (options.same_sign)
        throw InputError("--same-sign: works that are integrated have the signs of their own processes");
    if (options.integrate == "lambda")
        return WorkIntegral{};
    if (!options.velocity)
        throw InputError("--integrate force: expected --velocity, that of the forward process");
    return WorkIntegral{WorkIntegral::Of::force, *options.velocity};
}

/// Works in nats with the sign of the forward process, those of this rank.
struct Works {
    parallel::BlockLayout layout;
    std::vector<double> here;

    /// `factor`: nats per unit of work, below 0 for works of the other sign.
    Works(const Communicator& ranks, const std::filesystem::path& file, const WorksOptions& options, double factor,
          bool is_reverse) {
        Vector all;
        parallel::on_root(ranks,
                          [&] { all = factor * read_works(file, options.column, integral_of(options), is_reverse); });
        Index n = all.size();
        ranks.broadcast(std::span(&n, 1));
        all.resize(n);
        ranks.broadcast(std::span(all.data(), static_cast<std::size_t>(n)));
        layout = parallel::BlockLayout(n, options.block, ranks.size(), ranks.rank());
        const auto* const first = all.data() + layout.first_local_item();
        here.assign(first, first + layout.local_items());
    }
    population::Shards shards(const Communicator& ranks) const { return {ranks, layout, here}; }
};

void write_files(const Communicator& ranks, const WorksOptions& options, const RunResult& result,
                 const std::string& summary) {
    io::Writer writer(ranks);
    writer("configuration",
           fmt::format("# pearlite works {} {}\n", options.forward.string(), options.reverse.string()));
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/libraries", library_versions());
    for (const auto& part : result.parts)
        part->write_fields(writer);
    writer.commit(*options.directory / "results.h5", "results");
    parallel::on_root(ranks, [&] { write_summary(*options.directory, summary); });
}

} // namespace

int works_command(const Communicator& ranks, const WorksOptions& options) {
    const auto began = std::chrono::steady_clock::now();
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "works");
    const Works forward(ranks, options.forward, options, 1 / unit.per_nat, false);
    const Works reverse(ranks, options.reverse, options, (options.same_sign ? 1 : -1) / unit.per_nat, true);
    DirectoryLock lock;
    if (options.directory)
        parallel::on_root(ranks, [&] { lock = make_run_directory(*options.directory, options.overwrite); });

    auto outcome =
        algorithm::outcome_of_works(forward.shards(ranks), reverse.shards(ranks), {}, random::Seed(options.seed));

    ResultParts parts;
    const auto headline = outcome.log_ratio.empty() ? std::nullopt : std::optional(outcome.log_ratio.front());
    parts.push_back(std::make_unique<FreeEnergyPart>(forward.shards(ranks), reverse.shards(ranks), headline, unit));
    parts.push_back(std::make_unique<EvidencePart>(outcome.log_ratio, outcome.verdict, std::vector<double>(),
                                                   std::nullopt, std::nullopt));
    parts.push_back(std::make_unique<OutcomePart>(std::move(outcome)));
    const auto result = result_of(std::move(parts));

    RunFacts facts;
    facts.model = "works";
    facts.algorithm = "works";
    facts.seed = options.seed;
    facts.block = options.block;
    facts.ranks = ranks.size();
    facts.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    facts.updates_per_second =
        static_cast<double>(forward.layout.size() + reverse.layout.size()) / std::max(facts.wall_seconds, 1e-9);
    facts.unit = "works";
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
