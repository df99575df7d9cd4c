#include "app/mbar/mbar_part.hpp"

#include "app/result/parts/kinds.hpp"
#include "estimator/evidence/bootstrap.hpp"

#include <fmt/ranges.h>

namespace pearlite::app {

namespace {

constexpr double converged = 1e-6;
/// Klimovich, Shirts & Mobley (2015): neighbours should overlap by 0.03 at least.
constexpr double small_overlap = 0.03, no_overlap = 1e-4;

/// Averages over fewer samples have meaningless errors, or doubtful ones.
constexpr double fewest_samples = 5, few_samples = 20;
/// From this gradient on the equations count as unsolved.
constexpr double unsolved = 1e-3;

constexpr std::size_t most_lines = 100;

} // namespace

void MbarPart::digest(io::Sha256& hash) {
    hash.add(
        std::as_bytes(std::span(mbar_.free_energies.data(), static_cast<std::size_t>(mbar_.free_energies.size()))));
    hash.add(std::as_bytes(std::span(mbar_.covariance.data(), static_cast<std::size_t>(mbar_.covariance.size()))));
}

void MbarPart::write_fields(io::Writer& writer) {
    const auto numbers = [](const auto& values) {
        return std::vector<double>(values.data(), values.data() + values.size());
    };
    writer("mbar/states", names_);
    writer("mbar/samples", counts_);
    writer("mbar/free_energies", numbers(mbar_.free_energies)); // in kT
    writer("mbar/covariance", mbar_.covariance);
    writer("mbar/overlap", mbar_.overlap);
    writer("mbar/effective_samples", numbers(mbar_.effective_samples));
}

double MbarPart::inefficiency(Index state) const {
    return mbar_.series.empty() ? 1 : mbar_.series[at(state)].inefficiency();
}

std::optional<std::size_t> MbarPart::too_short() const {
    std::optional<std::size_t> fewest;
    for (std::size_t k = 0; k < mbar_.series.size(); ++k)
        if (mbar_.series[k].is_too_short() &&
            (!fewest || mbar_.series[k].independent() < mbar_.series[*fewest].independent()))
            fewest = k;
    return fewest;
}

/// Averages in a state rest on samples of all of them.
double MbarPart::effective(Index state) const {
    double largest = 1;
    for (Index k = 0; k < std::ssize(counts_); ++k)
        largest = std::max(largest, inefficiency(k));
    return mbar_.effective_samples(state) / largest;
}

bool MbarPart::has_error(Index state) const {
    return mbar_.gradient < unsolved && mbar_.weakest_link(counts_) >= no_overlap && ownership_.passes() &&
           !too_short() && effective(state) >= fewest_samples && effective(mbar_.reference) >= fewest_samples;
}

std::vector<std::string> MbarPart::warnings() const {
    std::vector<std::string> all;
    const auto n_states = std::ssize(counts_);
    Index fewest = mbar_.reference;
    for (Index k = 0; k < n_states; ++k)
        if (!std::isfinite(mbar_.free_energies(k)))
            all.push_back(fmt::format("no sample is possible in state {}, which has no free energy", names_[at(k)]));
        else if (effective(k) < effective(fewest))
            fewest = k;
    if (const double n = effective(fewest); n < few_samples)
        all.push_back(fmt::format("averages in state {} have {:.1f} effective samples only: {}", names_[at(fewest)], n,
                                  counts_[at(fewest)] == 0 ? "sample it, or states nearer to it" : "sample more"));
    if (mbar_.gradient > converged)
        all.push_back(fmt::format("the equations are solved to {:.1e} only after {} iterations", mbar_.gradient,
                                  mbar_.iterations));
    const double link = mbar_.weakest_link(counts_);
    if (link < small_overlap)
        all.push_back(
            fmt::format("states hang together by an overlap of {:.2g} only, and 0.03 is wanted: sample states "
                        "between them",
                        link));
    if (!ownership_.z && link >= no_overlap)
        all.emplace_back("whether samples are of their states could not be looked at: no two sampled states differ");
    if (!too_short())
        for (std::size_t k = 0; k < mbar_.series.size(); ++k)
            if (const auto& series = mbar_.series[k]; series.is_short())
                all.push_back(fmt::format("{} samples of state {} stand for some {:.0f} independent ones: the error "
                                          "bar is rough",
                                          counts_[k], names_[k], series.independent()));
    return all;
}

void MbarPart::write_summary(SummaryParts& summary) const {
    Json entry{{"unit", unit_.name},
               {"file", source_.file},
               {"states_by", source_.states},
               {"columns_not_used", source_.not_used},
               {"iterations", mbar_.iterations},
               {"weakest_overlap", mbar_.weakest_link(counts_)}};
    if (ownership_.z) {
        entry["ownership_z"] = *ownership_.z;
        entry["ownership_limit"] = ownership_.limit;
    }
    auto& states = entry["states"] = Json::array();
    for (std::size_t k = 0; k < names_.size(); ++k) {
        const auto i = static_cast<Index>(k);
        states.push_back({{"name", names_[k]},
                          {"samples", counts_[k]},
                          {"effective_samples", mbar_.effective_samples(i)},
                          {"free_energy", json_number(mbar_.free_energies(i) * unit_.per_nat)}});
        if (!mbar_.series.empty() && counts_[k] > 0) {
            states.back()["inefficiency"] = mbar_.series[k].inefficiency();
            states.back()["independent"] = mbar_.series[k].independent();
        }
        if (has_error(i))
            states.back()["standard_error"] = mbar_.standard_error(mbar_.reference, i) * unit_.per_nat;
    }
    summary.entries["mbar"] = std::move(entry);
    for (auto& warning : warnings())
        summary.warnings.push_back(std::move(warning));
}

/// Why the last state has no error bar; the first that applies.
std::vector<Finding> MbarPart::objections(Index last) const {
    constexpr auto weight = Finding::Weight::no_error_bar;
    if (!std::isfinite(mbar_.free_energies(last)))
        return {{"possible samples", Finding::Weight::no_value,
                 fmt::format("no sample is possible in state {}: sample it", names_[at(last)])}};
    if (mbar_.gradient >= unsolved)
        return {{"gradient", weight, "the equations are not solved", mbar_.gradient, unsolved}};
    if (const double link = mbar_.weakest_link(counts_); link < no_overlap)
        return {{"overlap of the states", weight, "states do not overlap: free energies between them mean nothing",
                 link, no_overlap}};
    if (!ownership_.passes())
        return {
            {"samples and their states", weight,
             fmt::format("the samples are not of the states that they are said to be of, or the potentials are not "
                         "theirs (score {:+.1f} standard deviations, limit {:.1f}): look at the order of the states "
                         "(N_k, the column of states), at the unit, which must be kT, and at the columns",
                         *ownership_.z, ownership_.limit),
             *ownership_.z, ownership_.limit}};
    if (const auto k = too_short())
        return {
            {"independent samples", weight,
             fmt::format("{} samples of state {} stand for {:.0f} independent ones (statistical inefficiency {:.0f}), "
                         "too few for an error bar; look whether all are of this state, sample longer, or "
                         "--independent if their order "
                         "means nothing",
                         counts_[*k], names_[*k], mbar_.series[*k].independent(), mbar_.series[*k].inefficiency()),
             mbar_.series[*k].independent(), estimator::least_independent}};
    if (!has_error(last))
        return {{"effective samples of the end states", weight,
                 "the first or the last state has too few effective samples"}};
    return {};
}

std::optional<Headline> MbarPart::headline() const {
    const Index last = mbar_.free_energies.size() - 1;
    Headline headline;
    headline.label =
        fmt::format("free energy of {} over {}, {}", names_.back(), names_[at(mbar_.reference)], unit_.name);
    headline.method = "MBAR, asymptotic";
    if (std::isfinite(mbar_.free_energies(last)))
        headline.value = mbar_.free_energies(last) * unit_.per_nat;
    headline.findings = objections(last);
    if (!headline.findings.empty())
        return headline;
    const double error = mbar_.standard_error(mbar_.reference, last) * unit_.per_nat;
    headline.standard_error = error;
    headline.interval95 = estimator::student_interval(*headline.value, error, degrees_);
    const bool is_short = std::ranges::any_of(mbar_.series, &estimator::SeriesVariance::is_short);
    headline.findings = {{"overlap of the states", Finding::Weight::note,
                          fmt::format("the states overlap{}{}; {}", is_short ? ", by few independent samples," : "",
                                      ownership_.z ? fmt::format(" and have the samples that are said to be theirs "
                                                                 "(score {:+.1f})",
                                                                 *ownership_.z)
                                                   : "",
                                      mbar_.series.empty() ? "the error bar supposes independent samples"
                                                           : "the error bar is that of the samples in their order"),
                          mbar_.weakest_link(counts_), no_overlap}};
    return headline;
}

namespace {

/// "  samples: u.csv, states by columns 'fep-lambda', not used: time".
std::string describe_samples(const Json& entry) {
    const auto not_used = entry.value("columns_not_used", std::vector<std::string>());
    return fmt::format("  samples: {}, {}{}\n", entry.value("file", ""), entry.value("states_by", ""),
                       not_used.empty() ? "" : fmt::format("; not used: {}", fmt::join(not_used, ", ")));
}

std::string describe_mbar(const Json& summary) {
    const auto found = summary.find("mbar");
    if (found == summary.end())
        return {};
    const auto& states = (*found)["states"];
    auto text = describe_samples(*found) + fmt::format("  {:<16} {:>9} {:>7} {:>11} {:>10} {:>14} {:>11}   ({})\n",
                                                       "state", "samples", "g", "independent", "effective",
                                                       "free energy", "error", found->value("unit", ""));
    const auto number = [](const Json& state, const char* key, int digits) {
        const double value = number_at(state, key);
        return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : std::string("none");
    };
    std::size_t lines = 0;
    for (const auto& state : states) {
        if (++lines > most_lines) {
            text += fmt::format("  ... {} more states in summary.json\n", states.size() - most_lines);
            break;
        }
        text += fmt::format("  {:<16} {:>9} {:>7} {:>11} {:>10} {:>14} {:>11}\n", state.value("name", ""),
                            whole_at(state, "samples"), number(state, "inefficiency", 2),
                            number(state, "independent", 0), number(state, "effective_samples", 1),
                            number(state, "free_energy", 5), number(state, "standard_error", 5));
    }
    return text;
}

} // namespace

PartKind mbar_kind() {
    return {nullptr, describe_mbar};
}

} // namespace pearlite::app
