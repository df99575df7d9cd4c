#include "algorithm/plans/kernel_settings.hpp"

#include "algorithm/pilot/piloted.hpp"
#include "algorithm/plans/algorithm.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

KernelSettings::KernelSettings(const model::ModelTraits& traits) {
    for (const auto& entry : kernel::kernels_for(traits)) {
        suitable.push_back({entry, entry.factory()});
        suitable.back().factory->suit(traits);
    }
    kind = suitable.size() == 1 ? suitable.front().entry.name : auto_word;
    moves.number = chosen().moves;
    for (const auto& entry : entries())
        if (auto algorithm = entry.pilot(); algorithm && objection_to(entry, traits).empty()) {
            algorithm->suit(traits);
            pilots.push_back({entry.name, std::move(algorithm)});
        }
    pilot_algorithm = annealed_population_name();
}

void KernelSettings::list_kind(Keys& k) {
    std::vector<std::string> names;
    std::string about;
    if (suitable.size() > 1) {
        names.emplace_back(auto_word);
        about = "auto, the first of these that the model suits";
    }
    for (const auto& each : suitable) {
        names.push_back(each.entry.name);
        about += (about.empty() ? "" : "; ") + (suitable.size() == 1 ? "" : each.entry.name + ", ") + each.entry.about;
    }
    k("kind", kind, names, "the transition: " + about);
}

void KernelSettings::list_moves(Keys& k, const Facts& facts) {
    moves.number = facts.keeps_states ? 1 : chosen().moves;
    if (facts.is_adaptive && !facts.keeps_states && moves.number == 1)
        moves.number.reset();
    auto about_moves =
        about("transitions per temperature; auto: as many as the mobility takes, chosen by the pilot, or online");
    about_moves.default_is(moves.number ? std::to_string(*moves.number) : auto_word);
    if (facts.may_keep_states) {
        about_moves.sentence += "; with algorithm.waste_free between two states of a chain";
        about_moves.default_rule += ", or 1 if algorithm.waste_free is given";
    }
    k.number_or(auto_word, "moves", moves.number, within(1, 1'000'000), about_moves);
    k.when("moves is auto", !moves.number, [&] {
        k("mobility", moves.mobility, above(0).up_to(1),
          about("wanted mean squared jump over twice the variance, of points or of energies, at each temperature; less "
                "where a step to the next temperature is short")
              .default_is(pilots.empty() ? fmt::format("{:g}", moves.mobility)
                                         : "0.7, or 0.2 where many scans mix, too"));
        k("most_moves", moves.most, within(1, 1'000'000), "transitions per temperature, at most");
    });
    for (const auto& each : suitable)
        k.when("kind", kind, each.entry.name, [&] { each.factory->keys(k); });
}

void KernelSettings::list_pilot(Keys& k, const Facts& facts) {
    std::vector<SuitablePilot> able;
    std::vector<std::string> names;
    std::string about_all;
    for (const auto& each : pilots)
        if (facts.needs_reference_alone ? each.algorithm->leaves_reference() : each.algorithm->leaves_path()) {
            able.push_back(each);
            names.push_back(each.name);
            about_all += (about_all.empty() ? "" : "; ") + each.name + ", " + each.algorithm->about();
        }
    if (!names.empty())
        k("pilot_algorithm", pilot_algorithm, names,
          fmt::format("the algorithm of the pilot, of those that leave {}: {}",
                      facts.needs_reference_alone ? "particles of the posterior" : "temperatures and proposals",
                      about_all));
    auto limits = at_least({16, "16"}); // a schema does not check it: a default below it is legal
    if (facts.most_pilot_particles > 0)
        limits.up_to(facts.most_pilot_particles);
    k("pilot_particles", pilot_particles, limits,
      about("particles of the pilot").default_is(facts.pilot_particles_default));
    for (const auto& each : able)
        k.when("pilot_algorithm", pilot_algorithm, each.name, [&] { each.algorithm->keys(k); });
}

std::string KernelSettings::learning_sentence() const {
    std::string sentence;
    for (const auto& each : suitable)
        if (each.entry.learns)
            sentence += "kind is " + each.entry.name + " or ";
    return sentence + "moves is auto or schedule.kind is adaptive";
}

void KernelSettings::keys(Keys& k, const Facts& facts) {
    list_kind(k);
    list_moves(k, facts);
    if (!facts.may_adapt)
        return list_pilot(k, facts);
    const auto list_adaptation = [&] {
        k("adapt", pilot, {{"pilot", true}, {"online", false}},
          "where proposals, automatic moves and adaptive temperatures come from: a pilot whose particles are thrown "
          "away, or the run itself");
        k.when("adapt", pilot, true, [&] { list_pilot(k, facts); });
    };
    if (std::all_of(suitable.begin(), suitable.end(), [](const auto& each) { return each.entry.learns; }))
        return list_adaptation();
    const bool has_something = learns() || facts.is_adaptive;
    if (k.is_reading() && !has_something)
        pilot = false;
    k.when(learning_sentence(), has_something, list_adaptation);
}

const KernelSettings::Suitable& KernelSettings::chosen_kernel() const {
    if (kind == auto_word)
        return suitable.front();
    const auto found =
        std::find_if(suitable.begin(), suitable.end(), [this](const auto& each) { return each.entry.name == kind; });
    PEARLITE_EXPECTS(found != suitable.end());
    return *found;
}

const PilotAlgorithm& KernelSettings::chosen_pilot() const {
    const auto found =
        std::find_if(pilots.begin(), pilots.end(), [this](const auto& each) { return each.name == pilot_algorithm; });
    PEARLITE_EXPECTS(found != pilots.end());
    return *found->algorithm;
}

std::string KernelSettings::pilot_name_text() const {
    return pilot_algorithm == annealed_population_name() ? "" : ", by " + pilot_algorithm;
}

std::string KernelSettings::moves_text() const {
    return moves.number ? std::to_string(*moves.number) : fmt::format("up to {}", moves.most);
}

} // namespace pearlite::algorithm
