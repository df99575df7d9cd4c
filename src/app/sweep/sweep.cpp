#include "app/sweep/sweep.hpp"

#include "app/run/checkpoint.hpp"
#include "app/sweep/cost.hpp"
#include "io/configuration/key_reader.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

SweepSettings read_settings(io::Configuration& configuration) {
    SweepSettings settings;
    io::read_keys(configuration, "sweep", settings);
    if (settings.has_budget() == false && !settings.fitted_key.empty())
        configuration.error("sweep.fit", "a key is fitted to a budget, but there is none; expected evaluations or "
                                         "seconds beside it");
    return settings;
}

Json to_json(const SweepSetting& setting) {
    return {{"seed", setting.seed},   {"fitted", setting.fitted},       {"updates", setting.updates},
            {"bytes", setting.bytes}, {"ranks", setting.useful_ranks},  {"fingerprint", setting.fingerprint},
            {"model", setting.model}, {"algorithm", setting.algorithm}, {"unit", setting.unit},
            {"files", setting.files}};
}

SweepSetting from_json(const Json& json) {
    return {json.at("seed"),        json.at("fitted"), json.at("updates"),   json.at("bytes"), json.at("ranks"),
            json.at("fingerprint"), json.at("model"),  json.at("algorithm"), json.at("unit"),  json.at("files")};
}

/// Collective. All settings, of which rank r prepared those with numbers r, r + P, r + 2 P ...
std::vector<SweepSetting> gather(const parallel::Communicator& ranks, const std::vector<SweepSetting>& own,
                                 Index settings) {
    std::string text;
    for (const auto& setting : own)
        text += to_json(setting).dump() + "\n";
    std::vector<SweepSetting> all(at(settings));
    const auto everything = ranks.all_gather(std::span<const char>(text));
    std::size_t begin = 0;
    for (int rank = 0; rank < ranks.size(); ++rank)
        for (Index s = rank; s < settings; s += ranks.size()) {
            const auto end = static_cast<std::size_t>(
                std::find(everything.begin() + static_cast<std::ptrdiff_t>(begin), everything.end(), '\n') -
                everything.begin());
            all[at(s)] = from_json(Json::parse(everything.begin() + static_cast<std::ptrdiff_t>(begin),
                                               everything.begin() + static_cast<std::ptrdiff_t>(end)));
            begin = end + 1;
        }
    return all;
}

} // namespace

void SweepSettings::keys(Keys& k) {
    using io::SweepCombination;
    k("replicates", replicates, within(1, 1'000'000), "runs of each setting");
    k("seeds", has_common_seeds,
      {{"common", true, "replicate r has the same seed at every setting, so that settings are compared in pairs"},
       {"separate", false, "all runs have different seeds"}},
      "how the seeds of the runs follow from run.seed");
    k("combine", combination,
      {{"crossed", SweepCombination::crossed, "every value of a key with every value of the others"},
       {"zipped", SweepCombination::zipped, "the first values together, the second values together, and so on"}},
      "how the lists of the swept keys go together; variants are always crossed with them");
    k("scalars", scalars, {},
      about("scalars that the tables and the report show").default_is("the headline of the runs"));
    k("keep", keep,
      {{"runs", Keep::runs, "the directory of each run, with its results"},
       {"table", Keep::table, "nothing but the tables of the sweep"}},
      "files that stay of single runs");
    k("ranks_per_run", ranks_per_run, at_least(0), "ranks of each run; 0: chosen from measured costs");
    k("evaluations", evaluations, above(0), "budget of each run in updates, which a key is fitted to");
    k.unless_given("evaluations", [&] {
        k.seconds("seconds", seconds, "budget of each run in time on one rank, by a measured rate: not reproducible");
    });
    k("fit", fitted_key,
      about("the key that follows from the budget")
          .default_is("algorithm.iterations in searches, else algorithm.particles or its like"));
}

bool is_sweep(const io::Configuration& configuration) {
    return configuration.has_section("sweep");
}

Sweep::Sweep(const parallel::Communicator& ranks, const Catalogue& models, io::Configuration configuration,
             const std::vector<std::string>& fitted)
    : base_(std::move(configuration)), settings_(read_settings(base_)), grid_(base_, settings_.combination) {
    for (Index s = 0; s < grid_.settings(); ++s)
        first_runs_.push_back(first_runs_.back() +
                              std::min(settings_.replicates, grid_.most_replicates(s).value_or(settings_.replicates)));
    std::vector<SweepSetting> own;
    parallel::together(ranks, [&] {
        for (Index s = ranks.rank(); s < grid_.settings(); s += ranks.size())
            own.push_back(prepare_setting(models, s, fitted.empty() ? std::string() : fitted.at(at(s))));
    });
    facts_ = gather(ranks, own, grid_.settings());
    const auto limit = ranks.max(time_limit_seconds_.value_or(-1));
    time_limit_seconds_ = limit < 0 ? std::nullopt : std::optional(limit);
}

void Sweep::require_same_files(const parallel::Communicator& ranks) const {
    Inputs inputs;
    for (const auto& setting : facts_)
        inputs.files.insert(inputs.files.end(), setting.files.begin(), setting.files.end());
    std::ranges::sort(inputs.files);
    inputs.files.erase(std::unique(inputs.files.begin(), inputs.files.end()), inputs.files.end());
    require_same_inputs(ranks, inputs);
}

SweepSetting Sweep::prepare_setting(const Catalogue& models, Index setting, const std::string& fitted) {
    try {
        SweepSetting facts;
        facts.fitted = fitted;
        if (settings_.has_budget() && fitted.empty())
            facts.fitted = fit_to_budget(models, grid_, setting, settings_);
        std::vector<std::string> overrides;
        if (!facts.fitted.empty())
            overrides.push_back(facts.fitted);
        const auto prepared = prepare(models, grid_.configuration(setting, overrides));
        const auto workload = prepared.plan->workload(*prepared.model);
        facts.seed = prepared.plan->run().seed.value;
        facts.updates = workload.updates;
        facts.bytes = workload.bytes;
        facts.useful_ranks = workload.useful_ranks;
        facts.fingerprint = fingerprint_of(*prepared.model);
        facts.files = prepared.files;
        facts.model = prepared.model_name;
        facts.algorithm = prepared.algorithm->name;
        facts.unit = prepared.plan->unit();
        if (const auto limit = prepared.plan->run().time_limit_seconds)
            time_limit_seconds_ = std::max(time_limit_seconds_.value_or(0), *limit);
        return facts;
    } catch (const InputError& error) {
        if (grid_.settings() == 1)
            throw;
        throw InputError(fmt::format("{} (setting {}: {})", error.what(), setting, grid_.describe(setting)));
    }
}

Index Sweep::setting_of(Index run) const {
    return std::upper_bound(first_runs_.begin(), first_runs_.end(), run) - first_runs_.begin() - 1;
}

std::uint64_t Sweep::seed_of(Index run) const {
    // These parts differ from those of replicates within a run and of pilots, so that the streams differ.
    constexpr std::uint64_t part_of_sweeps = std::uint64_t{1} << 61;
    const Index setting = setting_of(run), replicate = replicate_of(run);
    const Index place = settings_.has_common_seeds ? replicate : setting * settings_.replicates + replicate;
    const auto seed = facts_.at(at(setting)).seed;
    return random::derive_seed(seed, part_of_sweeps + static_cast<std::uint64_t>(place)).value >> 1;
}

std::string Sweep::describe(Index run) const {
    return fmt::format("setting {} ({}), replicate {}, seed {}", setting_of(run), grid_.describe(setting_of(run)),
                       replicate_of(run), seed_of(run));
}

io::Configuration Sweep::configuration_of(Index run) const {
    std::vector<std::string> overrides{fmt::format("run.seed={}", seed_of(run))};
    if (const auto& fitted = facts_.at(at(setting_of(run))).fitted; !fitted.empty())
        overrides.push_back(fitted);
    return grid_.configuration(setting_of(run), overrides);
}

std::string describe_size(const Sweep& sweep) {
    const Index most = sweep.settings().replicates;
    return fmt::format("{} setting(s) x {} replicate(s){}", sweep.grid().settings(), most,
                       sweep.runs() < sweep.grid().settings() * most ? ", fewer of some variants" : "");
}

std::string describe_sweep(const Sweep& sweep) {
    const auto& grid = sweep.grid();
    const auto& settings = sweep.settings();
    std::string text =
        fmt::format("# sweep: {} = {} runs, {} seeds{}\n", describe_size(sweep), sweep.runs(),
                    settings.has_common_seeds ? "common" : "separate",
                    settings.combination == io::SweepCombination::zipped ? ", lists of keys zipped" : "");
    double all = 0;
    bool all_known = true;
    for (Index s = 0; s < grid.settings(); ++s) {
        const auto& facts = sweep.facts()[at(s)];
        const bool is_known = facts.updates > 0;
        all += facts.updates * static_cast<double>(sweep.replicates_of(s));
        all_known = all_known && is_known;
        text += fmt::format("#   {:>4}  {}{}: {}{}\n", s, grid.describe(s),
                            facts.fitted.empty() ? "" : ", fitted " + facts.fitted,
                            is_known ? fmt::format("{:.4g} {} a run", facts.updates, facts.unit)
                                     : "the schedule is adaptive, the cost not known beforehand",
                            facts.useful_ranks == 1 ? "" : fmt::format(", up to {} ranks", facts.useful_ranks));
    }
    if (all > 0)
        text += fmt::format("# cost: {}{:.4g} {} in all, pilots apart\n", all_known ? "" : "more than ", all,
                            sweep.facts().front().unit);
    if (settings.seconds)
        text += "# the budget is one in time: other machines and other days give other results, and no digest\n";
    return text;
}

} // namespace pearlite::app
