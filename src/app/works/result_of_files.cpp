#include "app/works/result_of_files.hpp"

#include "app/program/build_info.hpp"
#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

#include <fmt/ranges.h>

#include <cstdio>

namespace pearlite::app {

void ResultOfFiles::take_directory(bool overwrite) {
    if (directory_)
        parallel::on_root(ranks_, [&] { lock_ = make_run_directory(*directory_, overwrite); });
}

void ResultOfFiles::write(RunFacts facts, const RunResult& result, const std::string& command, Index items) const {
    facts.ranks = ranks_.size();
    facts.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    facts.updates_per_second = static_cast<double>(items) / std::max(facts.wall_seconds, 1e-9);
    facts.resources = resources_of(ranks_);
    std::string summary;
    parallel::on_root(ranks_, [&] { summary = summary_text(facts, result); });
    if (directory_) {
        io::Writer writer(ranks_);
        writer("configuration", "# pearlite " + command + "\n");
        writer("build/version", build_id());
        writer("build/compiler", compiler());
        writer("build/libraries", library_versions());
        for (const auto& part : result.parts)
            part->write_fields(writer);
        writer.commit(*directory_ / "results.h5", "results");
        parallel::on_root(ranks_, [&] { write_summary(*directory_, summary); });
    }
    if (ranks_.is_root())
        std::fputs(describe_text(summary).c_str(), stdout);
}

void FreeEnergyPart::write_fields(io::Writer& writer) {
    for (const auto& [name, works] :
         {std::pair("work/forward", &forward_.works), std::pair("work/reverse", &reverse_.works)})
        writer.sharded(name,
                       population::field_of(works->layout, [works = works](std::size_t i) { return works->here[i]; }));
}

Json FreeEnergyPart::entry_of(const Direction& direction, const std::string& name) const {
    Json entry{{"file", direction.source},
               {"column", direction.read.column},
               {"columns_not_used", direction.read.not_used},
               {"unit", unit_.name},
               {"sign", "of the " + direction.sign + " process"},
               {"works", direction.works.size()},
               {"infinite", direction.read.infinite}};
    for (const char* figure : {"inefficiency", "independent"}) {
        const auto found = std::ranges::find(diagnostics_, name + "_" + figure, &algorithm::Diagnostic::name);
        if (found != diagnostics_.end())
            entry[figure] = json_number(found->value);
    }
    return entry;
}

void FreeEnergyPart::write_summary(SummaryParts& summary) const {
    summary.entries["works"] = {{"forward", entry_of(forward_, "forward")}, {"reverse", entry_of(reverse_, "reverse")}};
    if (!headline_ || !std::isfinite(headline_->value))
        return;
    Json entry{
        {"value", 0 - headline_->value * unit_.per_nat}, {"unit", unit_.name}, {"estimator", headline_->estimator}};
    if (headline_->standard_error)
        entry["standard_error"] = *headline_->standard_error * unit_.per_nat;
    if (headline_->interval95)
        entry["interval95"] = {-headline_->interval95->high * unit_.per_nat,
                               -headline_->interval95->low * unit_.per_nat};
    summary.entries["free_energy_difference"] = std::move(entry);
}

namespace {

/// "forward: a.csv, column 2 ('work') (not used: column 1 ('time')), 2000 works in kT, 10 of weight 0; statistical
/// inefficiency 1.10: 1818 independent".
std::string describe_works(const std::string& direction, const Json& entry) {
    const auto not_used = entry.value("columns_not_used", std::vector<std::string>());
    auto text = fmt::format("  {}: {}, {}{}, {} works in {}, sign {}", direction, entry.value("file", ""),
                            entry.value("column", ""),
                            not_used.empty() ? "" : fmt::format(" (not used: {})", fmt::join(not_used, ", ")),
                            whole_at(entry, "works"), entry.value("unit", ""), entry.value("sign", ""));
    if (const auto infinite = whole_at(entry, "infinite"); infinite > 0)
        text += fmt::format(", {} of them infinite: of weight 0", infinite);
    if (const double g = number_at(entry, "inefficiency"); std::isfinite(g))
        text +=
            fmt::format("; statistical inefficiency {:.2f}: {:.0f} independent", g, number_at(entry, "independent"));
    return text + "\n";
}

std::string describe_free_energy(const Json& summary) {
    std::string text;
    if (const auto works = summary.find("works"); works != summary.end())
        for (const char* direction : {"forward", "reverse"})
            text += describe_works(direction, works->value(direction, Json::object()));
    const auto found = summary.find("free_energy_difference");
    if (found == summary.end())
        return text;
    text += fmt::format("  free energy difference: {:.4f}", found->value("value", 0.0));
    if (found->contains("standard_error"))
        text += fmt::format(" +- {:.4f}", found->value("standard_error", 0.0));
    return text + fmt::format(" {}   ({})\n", found->value("unit", ""), found->value("estimator", ""));
}

} // namespace

PartKind free_energy_kind() {
    return {nullptr, describe_free_energy};
}

} // namespace pearlite::app
