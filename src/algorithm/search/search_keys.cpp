#include "algorithm/search/search_keys.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

void SearchKeys::keys(Keys& k, const SearchMember& member, const model::SearchTraits& traits) {
    auto& settings = plan.settings;
    settings.bias = member.bias;
    settings.chains = 10;
    settings.iterations = 1'000'000;
    if (member.has_one_chain) {
        settings.chains = 1;
        k.set_aside({"chains"});
    } else {
        k("chains", settings.chains, within(1, 1'000'000), "chains that search together; part of the result");
    }
    k("iterations", settings.iterations, within(1, Index{4'000'000'000}),
      "iterations, each of which moves every chain");
    k("replicates", plan.replicates, within(1, 1'000'000), "independent searches, spread over ranks first");
    k("success_below", plan.success_below, "a replicate whose best energy is lower counts as a success");
    k.in_table("schedule", [&] { list_temperature(k, member); });
    list_regions(k, member);
    std::optional<Index> most_start_draws;
    k("most_start_draws", most_start_draws, within(1, Index{4'000'000'000}),
      about("states that are drawn in all chains together where none of the first has a finite energy, at most")
          .default_is(std::to_string(settings.most_start_draws)));
    settings.most_start_draws = most_start_draws.value_or(settings.most_start_draws);
    k.when("the model has crossovers", !traits.crossovers.empty(), [&] { list_crossovers(k, member); });
    k.when("states are points of a box", traits.is_box,
           [&] { k("polish", plan.polish, "descend from the best states at the end"); });
    if (!traits.is_box && k.has("polish"))
        k.error("polish", "descends in a box of real coordinates; this model's states are discrete");
    k("sync_every", settings.sync_every, within(1, 1'000'000), "iterations between two exchanges among ranks");
    k("ranks_per_replicate", settings.ranks, within(1, 1'000'000),
      about("ranks that share a replicate's chains, at most; no result depends on it")
          .default_is("as many as make it faster, by a measurement"));
    list_averages(k, member, traits);
    list_resampling(k, member);
    k.in_table("kernel", [&] { list_operations(k, member, traits); });
    if (settings.iterations + settings.range_iterations > 4'000'000'000)
        k.error("iterations", "all iterations are beyond 4e9, the number of addressed steps");
}

void SearchKeys::list_temperature(Keys& k, const SearchMember& member) {
    auto& ladder = plan.settings.temperature;
    double temperature = 1;
    const auto list_constant = [&] {
        k("temperature", temperature, above(0), "in units of the energy, throughout");
        ladder.kind = TemperatureLadder::Kind::constant;
        ladder.low = temperature;
    };
    if (member.shrinks) { // at a constant temperature by definition
        k.set_aside({"kind", "temperature_start", "temperature_end", "temperature_steps"});
        return list_constant();
    }
    ladder.kind = member.ladder;
    k("kind", ladder.kind,
      {{"square-root", TemperatureLadder::Kind::square_root, "falls with the square root of the iterations"},
       {"geometric", TemperatureLadder::Kind::geometric, "from the start to the end over temperature_steps iterations"},
       {"constant", TemperatureLadder::Kind::constant}},
      "how the temperature falls");
    const auto kind = ladder.kind;
    k.when("kind", kind, TemperatureLadder::Kind::constant, list_constant);
    k.when("kind", kind, {TemperatureLadder::Kind::square_root, TemperatureLadder::Kind::geometric}, [&] {
        k.set_aside({"temperature"});
        k("temperature_end", ladder.low, above(0), "where the temperature falls to, in units of the energy");
        k("temperature_start", ladder.high, above(0), "how far above the end it begins, in units of the energy");
        ladder.n = kind == TemperatureLadder::Kind::geometric ? plan.settings.iterations : 1;
        k("temperature_steps", ladder.n, at_least(1),
          about("square-root: iterations before the fall; geometric: iterations of the fall")
              .default_is("1; geometric iterations"));
    });
}

void SearchKeys::list_regions(Keys& k, const SearchMember& member) {
    auto& settings = plan.settings;
    Index regions = member.shrinks ? 10000 : 100;
    k("regions", regions, within(1, 10'000'000), "grid points that cut the energies into regions");
    const bool are_known = k.has("energy_low") || k.has("energy_high");
    k.when("energy_low or energy_high is given", are_known, [&] {
        double low = 0, high = 1;
        k("energy_low", low, about("the first grid point").must_be_given());
        k("energy_high", high, about("the last grid point").must_be_given());
        energy_low = low;
        energy_high = high;
        if (regions > 1 && !(low < high))
            k.error("energy_high", "the regions' energies must increase from energy_low to energy_high");
        else
            settings.partition =
                model::EnergyPartition::uniform(low, regions > 1 ? high : low, std::max<Index>(regions, 1));
    });
    k.when("neither energy_low nor energy_high is given", !are_known, [&] {
        settings.range_points = regions;
        settings.range_iterations = std::max<Index>(settings.iterations / 20, 2);
        k("range_iterations", settings.range_iterations, at_least(2),
          about("iterations that find the range of energies").default_is("iterations/20"));
    });
    if (!member.shrinks)
        k.set_aside({"aleph"});
    if (member.bias == SearchSettings::Bias::none)
        return k.set_aside({"lambda", "gain_start", "gain_power"});
    k("lambda", settings.lambda, at_least(0), "how much the lower regions are preferred; 0: all the same");
    k("gain_start", settings.gain.n, at_least(1), "iterations before the gain factor falls");
    k("gain_power", settings.gain.beta, above(0.5).up_to(1), "how fast the gain factor falls");
    if (member.shrinks) {
        double aleph = 10;
        k("aleph", aleph, above(0), "the space shrinks to the regions up to the best energy and this much more");
        settings.aleph = aleph;
    }
}

void SearchKeys::list_crossovers(Keys& k, const SearchMember& member) {
    using Crossover = SearchSettings::Crossover;
    if (!member.crosses)
        return k.set_aside({"crossover", "selection_temperature"});
    k("crossover", plan.settings.crossover, {{"population", Crossover::population}, {"single", Crossover::single}},
      "who takes part in a crossover: the population, or one chain or pair an iteration");
    k("selection_temperature", plan.settings.selection_temperature, above(0),
      "partners are chosen with probability ~ exp(-U/T)");
}

void SearchKeys::list_averages(Keys& k, const SearchMember& member, const model::SearchTraits& traits) {
    auto& settings = plan.settings;
    if (member.bias == SearchSettings::Bias::own || member.shrinks)
        return k.set_aside({"average_from", "average_every"});
    k("average_from", settings.average_from, within(0, {settings.iterations - 1, "iterations - 1"}),
      "the iteration after which theta stays and coordinates, or edges of networks, are averaged; needs one of these "
      "and sync_every = 1");
    if (settings.average_from && ((!traits.is_box && !traits.is_graph) || settings.sync_every != 1))
        k.error("average_from", "averages need coordinates of a box, or edges of networks, and sync_every = 1");
    k.when_given("average_from", [&] {
        // A network changes by an edge at most in an iteration, which takes less time than to count all its edges.
        settings.average_every = traits.is_graph ? 10 : 1;
        k("average_every", settings.average_every, at_least(1),
          about("iterations from one term of the averages to the next").default_is("1; of networks 10"));
    });
}

void SearchKeys::list_resampling(Keys& k, const SearchMember& member) {
    auto& settings = plan.settings;
    if (member.bias == SearchSettings::Bias::own || member.shrinks || member.has_one_chain)
        return k.set_aside({"resample_below"});
    k("resample_below", settings.resample_below, above(0).up_to(1),
      about("chains are resampled by their weights where fewer than this share of them carry the weight; needs "
            "sync_every = 1")
          .default_is("never"));
    if (settings.resample_below && (settings.average_from || settings.sync_every != 1))
        k.error("resample_below", "resampling needs sync_every = 1, and goes not with average_from");
}

void SearchKeys::list_operations(Keys& k, const SearchMember& member, const model::SearchTraits& traits) {
    auto& chosen = plan.operations;
    auto& rates = plan.settings.rates;
    chosen.operations = traits.default_operations;
    if (!member.crosses)
        std::erase_if(chosen.operations, [&](const auto& name) { return contains(traits.crossovers, name); });
    k("operations", chosen.operations, traits.operations, "the moves that chains make");
    const bool is_crossover_alone = std::all_of(chosen.operations.begin(), chosen.operations.end(),
                                                [&](const auto& name) { return contains(traits.crossovers, name); });
    if (is_crossover_alone)
        k.error("operations", "crossovers alone do not reach every state; expected a mutation among them");
    std::optional<std::vector<double>> given;
    k("rates", given, "rates of the operations, in their order; else they are equal");
    if (given) {
        rates = *given;
        if (rates.size() != chosen.operations.size() ||
            std::any_of(rates.begin(), rates.end(), [](double rate) { return !(rate > 0); }))
            k.error("rates",
                    fmt::format("expected {} numbers above 0, one for each operation", chosen.operations.size()));
        rates.resize(chosen.operations.size());
    }
    if (!member.crosses)
        leave_out_crossovers(k, traits);
    const auto is_biased = [&](const auto& name) { return contains(traits.biased, name); };
    if (const auto biased = std::ranges::find_if(chosen.operations, is_biased);
        plan.settings.average_from && biased != chosen.operations.end())
        k.error("operations", fmt::format("{} does not leave the target invariant, so that averages would be wrong; "
                                          "expected none of its kind beside algorithm.average_from",
                                          *biased));
    const auto has = [&](const char* name) { return contains(chosen.operations, name); };
    const auto offers = [&](const char* name) { return contains(traits.operations, name); };
    if (offers("k-site"))
        k.when("operations has k-site", has("k-site"), [&] {
            chosen.mutation_points = 2;
            k("mutation_sites", chosen.mutation_points, at_least(1), "sites that k-site changes");
        });
    if (traits.is_box) {
        k.when("operations has k-point", has("k-point"),
               [&] { k("mutation_points", chosen.mutation_points, at_least(1), "coordinates that k-point changes"); });
        k.when("operations has k-point-crossover", has("k-point-crossover"),
               [&] { k("crossover_points", chosen.crossover_points, at_least(1), "cuts of k-point-crossover"); });
        k("scale", chosen.first_scale, above(0), "the first standard deviation of steps, in units of the coordinates");
        k("scale_by_region", plan.settings.scale_by_region, "scales grow with the region");
        k("descent_iterations", chosen.descent_iterations, within(0, 10000),
          "iterations of descent from each state, whose lowest energy counts as that of the state");
        k.when("descent_iterations is above 0", chosen.descent_iterations > 0, [&] {
            k("basin_hopping", chosen.basin_hopping, "the state itself goes where its descent ends");
            if (chosen.basin_hopping && plan.settings.average_from)
                k.error("basin_hopping",
                        "does not leave the target invariant, so that averages would be wrong; expected "
                        "false beside algorithm.average_from");
        });
    }
    plan.settings.pilot_iterations = traits.is_box ? plan.settings.iterations / 20 : 0;
    k("pilot_iterations", plan.settings.pilot_iterations, at_least(0),
      about("iterations in which scales adapt; frozen afterwards").default_is(traits.is_box ? "iterations/20" : ""));
    if (traits.is_box)
        k("wanted_acceptance", plan.settings.wanted_acceptance, above(0).below(1),
          "the share of accepted proposals that scales adapt to");
}

void SearchKeys::leave_out_crossovers(Keys& k, const model::SearchTraits& traits) {
    auto& operations = plan.operations.operations;
    auto& rates = plan.settings.rates;
    std::vector<std::string> left_out;
    for (std::size_t i = operations.size(); i-- > 0;) {
        if (!contains(traits.crossovers, operations[i]))
            continue;
        left_out.insert(left_out.begin(), operations[i]);
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(i));
        if (!rates.empty())
            rates.erase(rates.begin() + static_cast<std::ptrdiff_t>(i));
    }
    k.set_aside_elements("operations", left_out);
    if (contains(left_out, "k-point-crossover"))
        k.set_aside({"crossover_points"});
}

} // namespace pearlite::algorithm
