#pragma once
/// Evidences of finished runs side by side, if they are of the same observations. Private to this layer.

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// A table for a person: log evidences with their errors, the best first; log Bayes factors of the best over each
/// other, with the errors of independent runs; and the probabilities of the models, equally probable before the data.
/// InputError for fewer than two directories, for one that has no finished run, or a run without an evidence; and for
/// runs of other observations, or of a tempered likelihood beside a whole one.
std::string compare_runs(const std::vector<std::filesystem::path>& directories);

} // namespace pearlite::app
