#include "pearlite/app/commands.hpp"
#include "pearlite/app/progress.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace pearlite::app {

namespace {

std::string format_bytes(double bytes) {
    for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
        if (bytes < 1024)
            return fmt::format("{:.4g} {}", bytes, unit);
        bytes /= 1024;
    }
    return fmt::format("{:.4g} TiB", bytes);
}

/// Of all replicates: chains, what is known of the regions, the progress.
double search_checkpoint_bytes(const Prepared& prepared) {
    using Bias = sampler::SearchSettings::Bias;
    const auto& search = *prepared.plan.search;
    const auto& settings = search.settings;
    const Index regions = settings.partition ? settings.partition->regions() : settings.range_points + 1;
    const Index biases = settings.bias == Bias::none ? 0 : settings.bias == Bias::shared ? 1 : settings.chains;
    const auto packed = static_cast<Index>(prepared.model->packed_particle_bytes());
    constexpr Index per_chain = 16, per_region = 8, per_region_and_bias = 24, progress = 8000;
    return static_cast<double>(search.replicates) *
           static_cast<double>(settings.chains * (packed + per_chain) +
                               regions * (per_region + biases * per_region_and_bias) + progress);
}

std::string search_cost_of(const Prepared& prepared) {
    const auto& search = *prepared.plan.search;
    const auto& settings = search.settings;
    const auto chains = static_cast<double>(prepared.plan.particles);
    const bool finds_range = !settings.partition;
    auto text =
        fmt::format("# cost: at most {:.4g} energies ({} replicate(s) x {} chain(s) x {} iterations{}){}\n",
                    chains * static_cast<double>(settings.iterations + (finds_range ? settings.range_iterations : 0)),
                    search.replicates, settings.chains, settings.iterations,
                    finds_range ? fmt::format(", and {} to find the range of energies", settings.range_iterations) : "",
                    search.polish ? ", then a descent from each replicate's best state" : "");
    const double first = settings.temperature(1), last = settings.temperature(settings.iterations);
    text += first == last
                ? fmt::format("# temperature: {:.4g} throughout\n", first)
                : fmt::format("# temperature: from {:.4g} in the first iteration to {:.4g} in the last\n", first, last);
    text += fmt::format("# checkpoint: about {} in all\n", format_bytes(search_checkpoint_bytes(prepared)));
    return text +
           (search.replicates > 1
                ? fmt::format("# ranks: replicates are dealt to them; more than {} divide a replicate's chains\n",
                              search.replicates)
                : "# ranks: the chains are divided among them; algorithm.replicates makes use of many\n");
}

std::string cost_at_posterior(const Prepared& prepared) {
    const auto& plan = prepared.plan;
    const auto& settings = *plan.posterior;
    const auto packed = static_cast<double>(prepared.model->packed_particle_bytes());
    const auto n = static_cast<double>(plan.particles);
    std::string text;
    double bytes = n * (packed + 16);
    if (plan.algorithm == Algorithm::importance_squared) {
        text = fmt::format("# cost: {:.4g} likelihoods ({} draws, and {} rounds of {} before them)\n",
                           n + static_cast<double>(settings.importance.rounds * settings.importance.draws_per_round),
                           plan.particles, settings.importance.rounds, settings.importance.draws_per_round);
    } else {
        const auto& chains = settings.chains;
        text = fmt::format("# cost: {:.4g} likelihoods ({} chains x {} iterations)\n",
                           n * static_cast<double>(chains.iterations), plan.particles, chains.iterations);
        bytes += n * packed * static_cast<double>(chains.iterations / chains.thin);
    }
    if (plan.pilot)
        text += fmt::format("# and {} at every temperature of a pilot ({} particles x {} moves)\n",
                            plan.pilot_particles * plan.moves, plan.pilot_particles, plan.moves);
    return text + fmt::format("# checkpoint: about {} in all; at most {} useful rank(s)\n", format_bytes(bytes),
                              (plan.particles + plan.block - 1) / plan.block);
}

std::string cost_of(const Prepared& prepared) {
    if (prepared.plan.search)
        return search_cost_of(prepared);
    if (prepared.plan.posterior)
        return cost_at_posterior(prepared);
    const auto& plan = prepared.plan;
    const auto particles = static_cast<double>(plan.particles * plan.batches);
    const Index blocks = (plan.particles + plan.block - 1) / plan.block;
    std::string text;
    if (plan.algorithm == Algorithm::parallel_tempering)
        text += fmt::format("# cost: {:.4g} particle moves per temperature ({} systems x {} scans x {} moves)\n",
                            static_cast<double>(plan.replicas * plan.scans) * static_cast<double>(plan.moves),
                            plan.replicas, plan.scans, plan.moves);
    else if (plan.algorithm == Algorithm::nonequilibrium && plan.schedule)
        text +=
            fmt::format("# cost: {:.4g} particle moves ({} forward and {} reverse trajectories x {} temperatures x {} "
                        "moves), {} start: {:.4g} more\n",
                        static_cast<double>(plan.particles + plan.reverse_trajectories) *
                            static_cast<double>(plan.schedule->steps()) * static_cast<double>(plan.moves),
                        plan.particles, plan.reverse_trajectories, plan.schedule->steps(), plan.moves,
                        reverse_start_names()[static_cast<std::size_t>(plan.reverse_start)],
                        static_cast<double>(plan.reverse_trajectories) * static_cast<double>(plan.moves) *
                            static_cast<double>(
                                plan.equilibration +
                                (plan.reverse_start == sampler::ReverseStart::weighted ? plan.schedule->steps() : 0)));
    else if (plan.schedule)
        text += fmt::format("# cost: {:.4g} particle moves ({} particles x {} temperatures x {} moves)\n",
                            particles * static_cast<double>(plan.schedule->steps()) * static_cast<double>(plan.moves),
                            plan.particles * plan.batches, plan.schedule->steps(), plan.moves);
    else
        text += fmt::format("# cost: {:.4g} particle moves per temperature; the number of temperatures is adaptive\n",
                            particles * static_cast<double>(plan.moves));
    if (plan.pilot)
        text += fmt::format("# and a pilot of {} particles\n", plan.pilot_particles);
    const auto packed = static_cast<double>(prepared.model->packed_particle_bytes());
    text += fmt::format("# checkpoint: about {} in all; {} block(s) per population, so at most {} useful rank(s)\n",
                        format_bytes(particles * (packed + 16)), blocks, blocks);
    return text;
}

std::string list_models(const std::string& title, const Catalogue& models, bool searched) {
    auto text = title + "\n";
    for (const auto& entry : models)
        if (entry.traits.search.has_value() == searched)
            text += fmt::format("  {:<22}{}\n", entry.traits.name, entry.description);
    return text;
}

std::string list_algorithms(const std::string& title, bool searches) {
    auto text = "\n" + title + "\n";
    for (std::size_t a = 0; a < algorithm_names().size(); ++a)
        if (is_search(static_cast<Algorithm>(a)) == searches)
            text += fmt::format("  {:<22}{}\n", algorithm_names()[a], algorithm_description(static_cast<Algorithm>(a)));
    return text;
}

/// Why an algorithm does not go with an annealed model; empty: it does.
std::string objection_to(const ModelEntry& entry, Algorithm algorithm) {
    if (algorithm == Algorithm::nonequilibrium && !entry.traits.is_time_reversible)
        return "its transition cannot run backwards";
    if (is_at_posterior(algorithm) && !entry.traits.continuous)
        return "they work on densities of continuous parameters";
    return entry.objection(algorithm);
}

/// Of annealed models with their algorithms.
std::string list_combinations(const Catalogue& models) {
    std::string text = "\nwhich go together, and the kernel that moves:\n";
    for (const auto& entry : models) {
        if (entry.traits.search)
            continue;
        std::vector<std::string> suitable;
        std::map<std::string, std::vector<std::string>> unsuitable; // by reason
        for (std::size_t a = 0; a < algorithm_names().size(); ++a) {
            const auto algorithm = static_cast<Algorithm>(a);
            if (is_search(algorithm))
                continue;
            const auto objection = objection_to(entry, algorithm);
            (objection.empty() ? suitable : unsuitable[objection]).push_back(algorithm_name(algorithm));
        }
        text += fmt::format("  {:<22}{:<13}{}", entry.traits.name, entry.traits.continuous ? "random-walk" : "native",
                            fmt::join(suitable, ", "));
        for (const auto& [reason, names] : unsuitable)
            text += fmt::format("; not {}: {}", fmt::join(names, ", "), reason);
        text += "\n";
    }
    return text;
}

/// Every search suits every searched model.
std::string list_operations(const Catalogue& models) {
    std::string text = "\nall of them go together; kernel.operations, those made by default first:\n";
    for (const auto& entry : models) {
        if (!entry.traits.search)
            continue;
        const auto& standard = entry.traits.search->default_operations;
        auto others = entry.traits.search->operations;
        std::erase_if(others, [&](const auto& name) {
            return std::find(standard.begin(), standard.end(), name) != standard.end();
        });
        text += fmt::format("  {:<22}{}{}\n", entry.traits.name, fmt::join(standard, ", "),
                            others.empty() ? "" : fmt::format("; also {}", fmt::join(others, ", ")));
    }
    return text;
}

} // namespace

int check_command(const Catalogue& models, const RunOptions& options) {
    const auto prepared =
        prepare(models, io::Configuration::load(options.configuration, options.overrides, options.data_directory));
    const auto unused = describe_unused(prepared);
    std::fputs((prepared.resolved + "\n" + cost_of(prepared) + (unused.empty() ? "" : "# " + unused + "\n")).c_str(),
               stdout);
    return 0;
}

int list_command(const Catalogue& models) {
    const bool anneals = std::any_of(models.begin(), models.end(), [](const auto& e) { return !e.traits.search; });
    const bool searches = std::any_of(models.begin(), models.end(), [](const auto& e) { return e.traits.search; });
    std::string text;
    if (anneals)
        text += list_models("models to be annealed, for their evidence and posterior:", models, false) +
                list_algorithms("algorithms for them:", false) + list_combinations(models);
    if (searches)
        text += (anneals ? "\n" : "") +
                list_models("models to be searched for the state of lowest energy:", models, true) +
                list_algorithms("algorithms for them:", true) + list_operations(models);
    std::fputs(text.c_str(), stdout);
    return 0;
}

int show_command(const std::filesystem::path& file) {
    std::fputs(io::describe_container(file).c_str(), stdout);
    return 0;
}

} // namespace pearlite::app
