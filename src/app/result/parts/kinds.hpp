#pragma once
/// All kinds of parts, a line each.

#include "algorithm/common/training.hpp"
#include "algorithm/search/search.hpp"
#include "algorithm/spot_check/spot_check.hpp"
#include "app/posterior/gather_posterior.hpp"
#include "app/result/parts/part.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/model/detail/model_traits.hpp"

#include <optional>
#include <span>
#include <vector>

namespace pearlite::app {

/// A run as parts are made from it.
struct RunView {
    const parallel::Communicator& ranks;
    const model::Target* target; ///< that is annealed; null for searches and trainings
    algorithm::Sampler& sampler;
    algorithm::Found found; ///< by the sampler
    double inverse_temperature_end = 1;
    random::Seed seed = {};
    const algorithm::SearchPlan* search_plan = nullptr; ///< of a search
    bool checks_spots = true;                           ///< of a run that can be checked
    bool is_finished = true;
    algorithm::Outcome outcome = {};                    ///< of the sampler, or the judgment of its chains
    std::optional<algorithm::ChainOutcome> chains = {}; ///< where the draws are those of Markov chains
    std::optional<algorithm::SpotCheck> spot_check = {};
    std::optional<model::Rejections> rejections = {};      ///< on this rank, before results were made
    std::vector<double> log_ratios = {};                   ///< of replicates, where there are several
    std::optional<double> exact_log_ratio = {};            ///< on rank 0, where it is known
    std::shared_ptr<const Posterior> posterior = {};       ///< where the target reports parameters
    std::vector<model::Approximation> approximations = {}; ///< complete on rank 0, elsewhere names alone
    std::vector<std::string> remarks = {};                 ///< on parts that could not be made
};

struct PartKind {
    /// Collective. Makes the part of a run of the task; returns null if the run has none. The pointer is null for parts
    /// of commands without a run.
    std::unique_ptr<ResultPart> (*part_of)(RunView&);
    /// Lines for a person from summary.json, empty if it has none of this part; may be null.
    std::string (*describe)(const nlohmann::ordered_json& summary);
    model::Task task = model::Task::annealing;
    bool needs_end = true; ///< else there is a part of a run that is under way, too
    const char* name = ""; ///< of the part in messages, where a result can do without it; else empty
};

/// The parts of list_of_parts.inl, in its order.
std::span<const PartKind> kinds_of_parts();

/// Collective; the sampler has finished. A part that a result can do without, and that cannot be made, is left out with
/// a remark.
ResultParts parts_of(RunView& run);
/// Collective. The parts that need no end, of a sampler that has been flushed.
ResultParts partial_parts(RunView run);

#define PEARLITE_PART(name) PartKind name##_kind();
#include "app/result/parts/list_of_parts.inl"
#undef PEARLITE_PART
/// Lines on a search, from its summary.
std::string describe_search(const nlohmann::ordered_json& summary);

/// Final particles as pictures.
using model::Images;

/// Collective. The first hundred particles of a population that target the end of the path. Nothing elsewhere
/// than on rank 0. The target offers ParticleImages.
std::optional<Images> gather_images(const parallel::Communicator& ranks, const model::Target& target,
                                    const algorithm::Found& found, double inverse_temperature_end);

} // namespace pearlite::app
