#pragma once
/// The verdict on works and its sentence. Internal to the layer.

#include "estimator/work/work.hpp"

#include <string>

namespace pearlite::estimator::detail {

/// Why the reverse trajectories cannot have started in equilibrium, or works of other programs contradict each other;
/// empty if nothing speaks against them.
std::string objection_to_start(const WorkAnalysis& analysis, const WorkFacts& facts);

/// By bounds, overlap, Crooks' check and series of the analysis.
WorkVerdict verdict_of(const WorkAnalysis& analysis, const std::string& objection);

/// The sentence of analysis.verdict. `advice`: advice_on_foreign(), of works of other programs.
std::string text_of(const WorkAnalysis& analysis, const WorkFacts& facts, const std::string& objection,
                    const std::string& advice);

} // namespace pearlite::estimator::detail
