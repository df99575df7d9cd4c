#include "pearlite/app/search_plan.hpp"

#include "pearlite/app/plan.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite::app {

namespace {

using sampler::SearchSettings;
using sampler::TemperatureLadder;
using Bias = SearchSettings::Bias;

/// How a member of the family differs from the others. What it has no use for is set aside, so that a configuration
/// of one member serves them all.
struct Member {
    Bias bias;
    bool has_one_chain = false;
    bool crosses = true;
    bool shrinks = false; ///< its space, at a constant temperature
    const char* ladder = "square-root";
};

Member member_of(Algorithm algorithm) {
    switch (algorithm) {
    case Algorithm::sa:
        return {Bias::none, true, false, false, "geometric"};
    case Algorithm::vfsa:
        return {Bias::none};
    case Algorithm::saa:
        return {Bias::shared, true, false};
    case Algorithm::psaa:
        return {Bias::own, false, false};
    case Algorithm::asamc:
        return {Bias::shared, true, false, true, "constant"};
    case Algorithm::aesamc:
        return {Bias::shared, false, true, true, "constant"};
    default:
        return {Bias::shared};
    }
}

const io::Range<double> positive{.low = 0, .open_low = true};

void read_temperature(io::Configuration& configuration, const Member& member, SearchSettings& settings) {
    auto section = configuration.section("schedule");
    auto& ladder = settings.temperature;
    const auto read_constant = [&] {
        ladder.kind = TemperatureLadder::Kind::constant;
        ladder.low = section.number("temperature", 1.0, positive);
    };
    if (member.shrinks) { // at a constant temperature by definition
        section.set_aside({"kind", "temperature_start", "temperature_end", "temperature_steps"});
        return read_constant();
    }
    const auto kind = section.choice("kind", {"square-root", "geometric", "constant"}, member.ladder);
    if (kind == "constant")
        return read_constant();
    section.set_aside({"temperature"});
    const bool is_geometric = kind == "geometric";
    ladder.kind = is_geometric ? TemperatureLadder::Kind::geometric : TemperatureLadder::Kind::square_root;
    ladder.low = section.number("temperature_end", 0.01, positive);
    ladder.high = section.number("temperature_start", 1.0, positive);
    ladder.n = section.integer("temperature_steps", is_geometric ? settings.iterations : 1, {.low = 1});
}

void read_regions(io::Section& section, const Member& member, SearchSettings& settings) {
    const Index m = section.integer("regions", member.shrinks ? 10000 : 100, {.low = 1, .high = 10'000'000});
    if (section.has("energy_low") || section.has("energy_high")) {
        const double low = section.number("energy_low"), high = section.number("energy_high");
        if (m > 1 && !(low < high))
            section.error("energy_high", "the regions' energies must increase from energy_low to energy_high");
        else
            settings.partition = model::EnergyPartition::uniform(low, m > 1 ? high : low, std::max<Index>(m, 1));
    } else {
        settings.range_points = m;
        settings.range_iterations =
            section.integer("range_iterations", std::max<Index>(settings.iterations / 20, 2), {.low = 2});
    }
    if (!member.shrinks)
        section.set_aside({"aleph"});
    if (member.bias == Bias::none)
        return section.set_aside({"lambda", "gain_start", "gain_power"});
    settings.lambda = section.number("lambda", 0.1, {.low = 0});
    settings.gain.n = section.integer("gain_start", 1000, {.low = 1});
    settings.gain.beta = section.number("gain_power", 0.55, {.low = 0.5, .high = 1, .open_low = true});
    if (member.shrinks)
        settings.aleph = section.number("aleph", 10.0, positive);
}

void read_averages(io::Section& section, const Member& member, const SearchTraits& traits, SearchSettings& settings) {
    if (member.bias == Bias::own || member.shrinks)
        return section.set_aside({"average_from"});
    if (!section.has("average_from"))
        return;
    settings.average_from = section.integer("average_from", 0, {.low = 0, .high = settings.iterations - 1});
    if (!traits.is_box || settings.sync_every != 1)
        section.error("average_from", "averages need coordinates of a box, and sync_every = 1");
}

void read_crossovers(io::Section& section, SearchSettings& settings) {
    if (section.choice("crossover", {"population", "single"}, "population") == "single")
        settings.crossover = SearchSettings::Crossover::single;
    settings.selection_temperature = section.number("selection_temperature", 0.1, positive);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The operations made, and their rates; crossovers only if the member crosses.
void read_operation_list(io::Section& kernel, const SearchTraits& traits, bool crosses, SearchPlan& plan) {
    const auto is_left_out = [&](const std::string& name) { return !crosses && contains(traits.crossovers, name); };
    auto standard = traits.default_operations;
    std::erase_if(standard, is_left_out);
    auto& operations = plan.operations.operations;
    auto& rates = plan.settings.rates;
    operations = kernel.choices("operations", traits.operations, standard);
    if (std::all_of(operations.begin(), operations.end(),
                    [&](const auto& name) { return contains(traits.crossovers, name); }))
        kernel.error("operations", "crossovers alone do not reach every state; expected a mutation among them");
    if (kernel.has("rates")) {
        rates = kernel.numbers("rates");
        if (rates.size() != operations.size() ||
            std::any_of(rates.begin(), rates.end(), [](double r) { return !(r > 0); }))
            kernel.error("rates",
                         fmt::format("expected {} numbers above 0, one for each operation", operations.size()));
        rates.resize(operations.size());
    }
    std::vector<std::string> left_out;
    for (std::size_t k = operations.size(); k-- > 0;) {
        if (!is_left_out(operations[k]))
            continue;
        left_out.insert(left_out.begin(), operations[k]);
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(k));
        if (!rates.empty())
            rates.erase(rates.begin() + static_cast<std::ptrdiff_t>(k));
    }
    kernel.set_aside_elements("operations", left_out);
    if (contains(left_out, "k-point-crossover"))
        kernel.set_aside({"crossover_points"});
}

void read_operations(io::Configuration& configuration, const SearchTraits& traits, bool crosses, SearchPlan& plan) {
    auto kernel = configuration.section("kernel");
    read_operation_list(kernel, traits, crosses, plan);
    auto& operations = plan.operations;
    const auto has = [&](const char* name) { return contains(operations.operations, name); };
    if (has("k-site"))
        operations.mutation_points = kernel.integer("mutation_sites", 2, {.low = 1});
    if (traits.is_box) {
        if (has("k-point"))
            operations.mutation_points = kernel.integer("mutation_points", 1, {.low = 1});
        if (has("k-point-crossover"))
            operations.crossover_points = kernel.integer("crossover_points", 2, {.low = 1});
        operations.first_scale = kernel.number("scale", 0.1, positive);
        plan.settings.scale_by_region = kernel.boolean("scale_by_region", false);
        operations.descent_iterations = kernel.integer("descent_iterations", 0, {.low = 0, .high = 10000});
    }
    plan.settings.pilot_iterations =
        kernel.integer("pilot_iterations", traits.is_box ? plan.settings.iterations / 20 : 0, {.low = 0});
}

} // namespace

SearchPlan read_search_plan(io::Configuration& configuration, Algorithm algorithm, const SearchTraits& traits,
                            std::uint64_t seed) {
    const auto member = member_of(algorithm);
    SearchPlan plan;
    auto& settings = plan.settings;
    auto section = configuration.section("algorithm");
    settings.seed = seed;
    settings.bias = member.bias;
    settings.chains = 1;
    if (member.has_one_chain)
        section.set_aside({"chains"});
    else
        settings.chains = section.integer("chains", 10, {.low = 1, .high = 1'000'000});
    settings.iterations = section.integer("iterations", 1'000'000, {.low = 1, .high = 4'000'000'000});
    plan.replicates = section.integer("replicates", 1, {.low = 1, .high = 1'000'000});
    if (section.has("success_below"))
        plan.success_below = section.number("success_below");
    read_temperature(configuration, member, settings);
    read_regions(section, member, settings);
    if (!traits.crossovers.empty()) {
        if (member.crosses)
            read_crossovers(section, settings);
        else
            section.set_aside({"crossover", "selection_temperature"});
    }
    if (traits.is_box)
        plan.polish = section.boolean("polish", false);
    else if (section.has("polish"))
        section.error("polish", "descends in a box of real coordinates; this model's states are discrete");
    settings.sync_every = section.integer("sync_every", 1, {.low = 1, .high = 1'000'000});
    read_averages(section, member, traits, settings);
    read_operations(configuration, traits, member.crosses, plan);
    if (settings.iterations + settings.range_iterations > 4'000'000'000)
        section.error("iterations", "all iterations are beyond 4e9, the number of addressed steps");
    return plan;
}

} // namespace pearlite::app
