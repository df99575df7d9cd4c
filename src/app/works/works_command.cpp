#include "algorithm/works/outcome_of_works.hpp"
#include "app/commands/commands.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/works/free_energy.hpp"
#include "app/works/result_of_files.hpp"
#include "app/works/works_files.hpp"
#include "parallel/agreement.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <memory>
#include <span>
#include <utility>
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

} // namespace

int works_command(const Communicator& ranks, const WorksOptions& options) {
    ResultOfFiles end(ranks, options.directory);
    const auto unit = energy_unit(options.units, options.temperature, options.beta, "works");
    const Works forward(ranks, options.forward, options, 1 / unit.per_nat, false);
    const Works reverse(ranks, options.reverse, options, (options.same_sign ? 1 : -1) / unit.per_nat, true);
    end.take_directory(options.overwrite);

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
    facts.unit = "works";
    end.write(std::move(facts), result, fmt::format("works {} {}", options.forward.string(), options.reverse.string()),
              forward.layout.size() + reverse.layout.size());
    return 0;
}

} // namespace pearlite::app
