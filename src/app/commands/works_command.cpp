#include "algorithm/common/outcome_of_works.hpp"
#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/works/result_of_files.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

struct WorksOptions {
    std::filesystem::path forward, reverse; ///< tables of works
    std::string column;                     ///< by name or number; empty: the one that must be it
    std::string units = "kT";
    std::optional<double> temperature, beta; ///< in kelvin; in nats per unit of work
    bool same_sign = false;                  ///< reverse works have the sign of the forward process
    bool independent = false;                ///< the order of the works means nothing
    std::string integrate;                   ///< "lambda" or "force": directories of records; empty: files of works
    std::optional<double> velocity;          ///< of the forward process, for forces
    std::uint64_t seed = 1;
    Index block = 16;                               ///< works that are summed in order
    std::optional<std::filesystem::path> directory; ///< for results; none: they are shown only
    bool overwrite = false;
};

using parallel::Communicator;

std::optional<WorkIntegral> integral_of(const WorksOptions& options) {
    if (options.integrate.empty()) {
        if (options.velocity)
            throw InputError("--velocity: expected --integrate force beside it");
        return {};
    }
    if (options.same_sign)
        throw InputError("--same-sign: integrated works have the signs of their processes");
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
    WorksRead read; ///< on rank 0, without the works

    /// `factor`: nats per unit of work, below 0 for works of the other sign.
    Works(const Communicator& ranks, const std::filesystem::path& file, const WorksOptions& options, double factor,
          bool is_reverse) {
        Vector all;
        parallel::on_root(ranks, [&] {
            const double infinite = is_reverse && options.same_sign ? -infinity : infinity;
            read = read_works(file, options.column, integral_of(options), is_reverse, infinite);
            all = factor * read.works;
            read.works.resize(0);
        });
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

/// Collective.
int works(const Communicator& ranks, const WorksOptions& options) {
    ResultOfFiles end(ranks, options.directory);
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "works");
    const Works forward(ranks, options.forward, options, 1 / unit.per_nat, false);
    const Works reverse(ranks, options.reverse, options, (options.same_sign ? 1 : -1) / unit.per_nat, true);
    if (!options.integrate.empty())
        parallel::on_root(ranks, [&] { check_durations(options.forward, options.reverse); });
    end.take_directory(options.overwrite);

    estimator::WorkFacts facts_of_works;
    facts_of_works.is_series = !options.independent;
    facts_of_works.foreign = {unit.name, unit.per_nat};
    auto outcome = algorithm::outcome_of_works(forward.shards(ranks), reverse.shards(ranks), facts_of_works,
                                               random::Seed(options.seed));

    ResultParts parts;
    const auto headline = outcome.log_ratio.empty() ? std::nullopt : std::optional(outcome.log_ratio.front());
    parts.push_back(std::make_unique<FreeEnergyPart>(
        FreeEnergyPart::Direction{options.forward.string(), forward.shards(ranks), forward.read, "forward"},
        FreeEnergyPart::Direction{options.reverse.string(), reverse.shards(ranks), reverse.read,
                                  options.same_sign ? "forward" : "reverse"},
        headline, outcome.diagnostics, unit));
    parts.push_back(std::make_unique<EvidencePart>(outcome.log_ratio, outcome.verdict, std::vector<double>(),
                                                   std::nullopt, std::nullopt));
    parts.push_back(std::make_unique<OutcomePart>(std::move(outcome)));
    const auto result = result_of(std::move(parts));

    RunFacts facts;
    facts.model = "works";
    facts.algorithm = "works";
    facts.seed = options.seed;
    facts.block = options.block;
    facts.unit = "works";
    parallel::on_root(ranks, [&] {
        for (const auto& [key, path] : {std::pair("forward", options.forward), std::pair("reverse", options.reverse)})
            facts.files.push_back({key, path, sha256_of_works(path)});
    });
    end.write(std::move(facts), result, fmt::format("works {} {}", options.forward.string(), options.reverse.string()),
              forward.layout.size() + reverse.layout.size());
    return 0;
}

} // namespace

CommandEntry works_command_entry() {
    return {
        "works", "a free energy from works that another program or a laboratory has measured in both directions",
        [](CLI::App& command, const CommandContext&) -> Action {
            const auto options = std::make_shared<WorksOptions>();
            command.add_option("forward", options->forward, "works of the forward process, a line each")->required();
            command.add_option("reverse", options->reverse, "works of the reverse process")->required();
            command.add_option("--column", options->column,
                               "the column of works, by name or number (default: the only one that can be it)");
            command.add_option("--units", options->units, "of works and free energies")
                ->check(CLI::IsMember({"kT", "kJ/mol", "kcal/mol"}))
                ->capture_default_str();
            command.add_option("--temperature", options->temperature, "in kelvin, for works in kJ/mol or kcal/mol")
                ->check(CLI::PositiveNumber);
            command.add_option("--beta", options->beta, "in place of it: 1/(kT) in the unit of the works")
                ->check(CLI::PositiveNumber);
            command.add_flag("--same-sign", options->same_sign,
                             "reverse works are written with the sign of the forward process");
            command.add_flag("--independent", options->independent,
                             "works do not depend on those before them (by default their order decides)");
            command
                .add_option(
                    "--integrate", options->integrate,
                    "the arguments are directories of records over time, a trajectory each: of dH/dlambda (lambda goes "
                    "evenly from 0 to 1, or back), or of a pulling force")
                ->check(CLI::IsMember({"lambda", "force"}));
            command.add_option("--velocity", options->velocity,
                               "of pulling in the forward process, for --integrate force");
            command.add_option("--seed", options->seed, "of the bootstrap and of posterior draws")
                ->check(CLI::NonNegativeNumber)
                ->capture_default_str();
            command
                .add_option("--block", options->block, "works that are summed one after another, run.block of a run")
                ->check(at_least_one)
                ->capture_default_str();
            command.add_option("-o", options->directory,
                               "directory for results.h5 and summary.json, which `report` reads");
            command.add_flag("--overwrite", options->overwrite, "replace earlier results in that directory");
            return {.distributed = [options](const auto& ranks) { return works(ranks, *options); }};
        }};
}

} // namespace pearlite::app
