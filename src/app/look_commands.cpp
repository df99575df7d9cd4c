#include "pearlite/app/commands.hpp"
#include "pearlite/app/progress.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/container.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

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

std::string cost_of(const Prepared& prepared) {
    const auto& plan = prepared.plan;
    const auto particles = static_cast<double>(plan.particles * plan.batches);
    const Index blocks = (plan.particles + plan.block - 1) / plan.block;
    std::string text;
    if (plan.search) {
        const auto& search = *plan.search;
        return fmt::format(
            "# cost: {:.4g} chain updates ({} replicates x {} chains x {} iterations{})\n"
            "# replicates spread over ranks first; beyond {} rank(s), a replicate's chains are divided\n",
            static_cast<double>(plan.particles) *
                static_cast<double>(search.settings.iterations + search.settings.range_iterations),
            search.replicates, search.settings.chains, search.settings.iterations,
            search.settings.range_iterations > 0
                ? fmt::format(" and {} to find the range", search.settings.range_iterations)
                : "",
            search.replicates);
    }
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

} // namespace

int check_command(const Catalogue& models, const RunOptions& options) {
    const auto prepared =
        prepare(models, io::Configuration::load(options.configuration, options.overrides, options.data_directory));
    std::fputs((prepared.resolved + "\n" + cost_of(prepared)).c_str(), stdout);
    return 0;
}

int list_command(const Catalogue& models) {
    std::string text = "models:\n";
    for (const auto& entry : models)
        text += fmt::format("  {:<22}{}\n", entry.traits.name, entry.description);
    text += "\nalgorithms:\n";
    for (std::size_t a = 0; a < algorithm_names().size(); ++a)
        text += fmt::format("  {:<22}{}\n", algorithm_names()[a], algorithm_description(static_cast<Algorithm>(a)));
    text += "\nwhich go together:\n";
    for (const auto& entry : models) {
        const char* kernel = entry.traits.continuous ? "random-walk" : "native";
        if (entry.traits.search) {
            text += fmt::format("  {:<22}all searches: sa, vfsa, saa, psaa, pisaa, asamc, aesamc; operations {}\n",
                                entry.traits.name, fmt::join(entry.traits.search->operations, ", "));
            continue;
        }
        for (std::size_t a = 0; a < algorithm_names().size(); ++a) {
            const auto algorithm = static_cast<Algorithm>(a);
            if (is_search(algorithm))
                continue;
            auto objection = entry.objection(algorithm);
            if (algorithm == Algorithm::nonequilibrium && !entry.traits.is_time_reversible)
                objection = "its transition cannot run backwards";
            text += fmt::format("  {:<22}{:<22}{}\n", entry.traits.name, algorithm_name(algorithm),
                                objection.empty() ? fmt::format("yes, kernel {}", kernel) : "no: " + objection);
        }
    }
    std::fputs(text.c_str(), stdout);
    return 0;
}

int show_command(const std::filesystem::path& file) {
    std::fputs(io::describe_container(file).c_str(), stdout);
    return 0;
}

} // namespace pearlite::app
