#include "app/works/result_of_files.hpp"

#include "app/program/build_info.hpp"
#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

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
    for (const auto& [name, works] : {std::pair("work/forward", &forward_), std::pair("work/reverse", &reverse_)})
        writer.sharded(name,
                       population::field_of(works->layout, [works = works](std::size_t i) { return works->here[i]; }));
}

void FreeEnergyPart::write_summary(SummaryParts& summary) const {
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

std::string describe_free_energy(const Json& summary) {
    const auto found = summary.find("free_energy_difference");
    if (found == summary.end())
        return {};
    auto text = fmt::format("  free energy difference: {:.4f}", found->value("value", 0.0));
    if (found->contains("standard_error"))
        text += fmt::format(" +- {:.4f}", found->value("standard_error", 0.0));
    return text + fmt::format(" {}   ({})\n", found->value("unit", ""), found->value("estimator", ""));
}

} // namespace

PartKind free_energy_kind() {
    return {nullptr, describe_free_energy};
}

} // namespace pearlite::app
