#include "app/works/free_energy.hpp"

#include "app/result/parts/kinds.hpp"
#include "app/result/parts/summary_parts.hpp"

#include <cmath>

namespace pearlite::app {

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

std::string describe_free_energy(const Json& summary) {
    const auto found = summary.find("free_energy_difference");
    if (found == summary.end())
        return {};
    auto text = fmt::format("  free energy difference: {:.4f}", found->value("value", 0.0));
    if (found->contains("standard_error"))
        text += fmt::format(" +- {:.4f}", found->value("standard_error", 0.0));
    return text + fmt::format(" {}   ({})\n", found->value("unit", ""), found->value("estimator", ""));
}

} // namespace pearlite::app
