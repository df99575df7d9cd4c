#include "app/probe/probe.hpp"

#include <fmt/format.h>

namespace pearlite::app {

namespace {

/// 123 as "120", 0.0123 as "0.012".
std::string two_digits(double value) {
    if (!(value > 0) || !std::isfinite(value))
        return "0";
    const double unit = std::pow(10, std::floor(std::log10(value)) - 1);
    return fmt::format("{:g}", std::round(value / unit) * unit);
}

std::string mebibytes(double bytes) {
    constexpr double mebi = 1 << 20, gibi = 1 << 30;
    if (bytes < 10 * gibi)
        return two_digits(std::max(bytes / mebi, 0.1)) + " MiB";
    return two_digits(bytes / gibi) + " GiB";
}

/// Seconds on other ranks than those of the probe, if the work is divided among them evenly.
std::string on_more_ranks(double seconds, int ranks, Index useful) {
    std::string text;
    for (const Index more : {4, 16, 64, 256, 1024}) {
        if (more <= ranks || more > useful)
            continue;
        const double share = static_cast<double>(std::min<Index>(ranks, useful)) / static_cast<double>(more);
        text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", about_seconds(seconds * share), more);
    }
    return text;
}

/// The part of the run whose time is predicted, unless it is the whole.
const char* scope_of(const algorithm::Workload& workload) {
    if (workload.wanted_error)
        return ", for the first population";
    return workload.is_round ? ", for a round; the estimates decide on the number of rounds" : "";
}

std::string describe_time(const Prediction& prediction, const algorithm::Workload& workload, int ranks) {
    const double seconds = prediction.seconds();
    if (prediction.was_finished)
        return fmt::format("# time: {} on {} rank(s){}\n", about_seconds(seconds), ranks, scope_of(workload));
    auto text =
        fmt::format("# time: about {} ({} to {}) on {} rank(s)", about_seconds(seconds),
                    about_seconds(seconds / prediction.factor), about_seconds(seconds * prediction.factor), ranks);
    if (prediction.pilot > 0)
        text += fmt::format(", {} of it before the run proper", about_seconds(prediction.pilot));
    return text + scope_of(workload) + "\n";
}

/// The populations that algorithm.target_error asks for.
std::string describe_enlargement(const Probe& probe, const algorithm::Workload& workload) {
    const double wanted = *workload.wanted_error;
    if (!probe.first_population)
        return fmt::format("# target_error: larger populations follow until the error bar is {:g}; --probe SECONDS may "
                           "see how large\n",
                           wanted);
    const auto [error, asked] = *probe.first_population;
    const auto found = std::isfinite(error) ? fmt::format("has an error bar of {}", two_digits(error))
                                            : std::string("gives no error bar");
    const auto first = fmt::format("# target_error: the first population, {} particles, {}", workload.particles, found);
    if (error <= wanted)
        return first + ", which is enough\n";
    const auto next = std::min(workload.most_particles, asked);
    const double ratio = static_cast<double>(next) / static_cast<double>(workload.particles);
    return first + fmt::format("; one of {} follows, for {:g}: about {} more\n", next, wanted,
                               about_seconds(ratio * probe.prediction->run));
}

std::string describe_basis(const Probe& probe, const algorithm::Workload& workload) {
    auto text = fmt::format("#   by {} step(s) in {}", probe.steps, about_seconds(probe.seconds));
    if (probe.pilot_divisor > 1)
        text += fmt::format(", with a pilot of 1/{} of the particles", probe.pilot_divisor);
    if (probe.divisor > 1)
        text += fmt::format(", with 1/{} of the particles", probe.divisor);
    if (workload.tunes_moves && !probe.prediction->was_finished)
        text += "; numbers of moves are those of the steps seen";
    return text + "; results are not written\n";
}

std::string describe_refusal(const Probe& probe, const algorithm::Workload& workload, const std::string& unit) {
    return fmt::format("# time: no prediction: {}; {}--probe SECONDS looks further\n", probe.refusal,
                       workload.updates > 0 ? fmt::format("{:.2g} {} are to be made; ", workload.updates, unit) : "");
}

/// For machines between which each collective takes a round trip and more.
std::string describe_messages(const Probe& probe) {
    if (probe.counted_steps == 0)
        return {};
    const auto a_step = [&](Index number) {
        return two_digits(static_cast<double>(number) / static_cast<double>(probe.counted_steps));
    };
    const auto& all = probe.messages;
    const auto bytes = [&](Index number) { return number > 0 ? " of " + a_step(number) + " bytes" : ""; };
    return fmt::format("# messages: where ranks share the particles, a step{} makes {} reduction(s){} and {} other "
                       "collective(s){}\n",
                       probe.counts_pilot ? " of the pilot" : "", a_step(all.reductions), bytes(8 * all.reduced_words),
                       a_step(all.other_collectives), bytes(all.collected_bytes));
}

std::string describe_memory(const Probe& probe, const algorithm::Workload& workload, int ranks) {
    const double all = probe.common_bytes + probe.divided_bytes;
    auto text = fmt::format("# memory: {} {} a rank: {} of program and data, which every rank holds, and {} that ranks "
                            "share out",
                            probe.is_measured ? "about" : "at least", mebibytes(all), mebibytes(probe.common_bytes),
                            mebibytes(probe.divided_bytes));
    for (const Index more : {Index{64}})
        if (more > ranks && more <= workload.useful_ranks)
            text += fmt::format(
                "; {} on {} ranks",
                mebibytes(probe.common_bytes + probe.divided_bytes * std::max(1, ranks) / static_cast<double>(more)),
                more);
    if (probe.available_bytes > 0)
        text += fmt::format("; {} are free here{}", mebibytes(probe.available_bytes),
                            probe.divided_bytes > probe.available_bytes ? ", which is not enough" : "");
    return text + "\n";
}

} // namespace

std::string about_seconds(double seconds) {
    if (!std::isfinite(seconds))
        return "for ever";
    constexpr std::array<std::pair<double, const char*>, 6> units{
        {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}, {86400, "days"}}};
    auto unit = units.front();
    for (const auto& larger : units)
        if (seconds >= (larger.first > 1 ? 2 : 1) * larger.first)
            unit = larger;
    return two_digits(seconds / unit.first) + " " + unit.second;
}

std::string describe_probe(const Probe& probe, const algorithm::Workload& workload, const std::string& unit,
                           int ranks) {
    std::string text;
    if (probe.prediction) {
        text += describe_time(*probe.prediction, workload, ranks) + describe_basis(probe, workload);
        if (workload.wanted_error)
            text += describe_enlargement(probe, workload);
        if (!probe.ranks.empty())
            text += fmt::format("#   {}\n", probe.ranks);
        else if (const auto more = on_more_ranks(probe.prediction->seconds(), ranks, workload.useful_ranks);
                 !more.empty())
            text += fmt::format("#   with more ranks, one core each, at best: {}\n", more);
    } else {
        text += describe_refusal(probe, workload, unit);
    }
    return text + describe_messages(probe) + describe_memory(probe, workload, ranks);
}

} // namespace pearlite::app
