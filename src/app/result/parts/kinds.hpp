#pragma once
/// All kinds of parts, a line each.

#include "algorithm/common/sampler.hpp"
#include "app/posterior/gather_posterior.hpp"
#include "app/result/parts/part.hpp"
#include "parallel/communicator.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/energy/detail/space.hpp"
#include "pearlite/model/target.hpp"
#include "pearlite/random/detail/generator.hpp"

#include <optional>
#include <span>

namespace pearlite::app {

/// A sampler at its end, from which the parts of an annealing run are made.
struct FinishedRun {
    const parallel::Communicator& ranks;
    const model::Target& target;
    algorithm::Sampler& sampler;
    double inverse_temperature_end;
    random::Seed seed = {};
    algorithm::Outcome outcome = {};                       ///< of the sampler, or the judgment of its chains
    std::optional<algorithm::ChainOutcome> chains = {};    ///< where the draws are those of Markov chains
    std::vector<double> log_ratios = {};                   ///< of replicates, where there are several
    std::optional<double> exact_log_ratio = {};            ///< on rank 0, where it is known
    std::shared_ptr<const Posterior> posterior = {};       ///< where the target reports parameters
    std::vector<model::Approximation> approximations = {}; ///< complete on rank 0, elsewhere names alone
};

struct PartKind {
    /// Collective. Makes the part of a finished run; returns null if the run has none. The pointer is null for parts of
    /// searches and trainings, whose runs make them.
    std::unique_ptr<ResultPart> (*part_of)(FinishedRun&);
    /// Lines for a person from summary.json, empty if it has none of this part; may be null.
    std::string (*describe)(const nlohmann::ordered_json& summary);
};

/// In the order in which results are made and written.
std::span<const PartKind> kinds_of_parts();

/// Collective; the sampler has finished.
ResultParts parts_of(FinishedRun run);

// Functions that the list names, each in the source file of its part.
std::unique_ptr<ResultPart> particles_part(FinishedRun& run);
std::unique_ptr<ResultPart> outcome_part(FinishedRun& run);
std::unique_ptr<ResultPart> evidence_part(FinishedRun& run);
std::unique_ptr<ResultPart> approximations_part(FinishedRun& run);
std::unique_ptr<ResultPart> test_likelihood_part(FinishedRun& run);
std::unique_ptr<ResultPart> trace_part(FinishedRun& run);
std::unique_ptr<ResultPart> schedule_part(FinishedRun& run);
std::unique_ptr<ResultPart> growth_part(FinishedRun& run);
std::unique_ptr<ResultPart> posterior_part(FinishedRun& run);
std::unique_ptr<ResultPart> chains_part(FinishedRun& run);
std::unique_ptr<ResultPart> rejections_part(FinishedRun& run);
std::unique_ptr<ResultPart> predictions_part(FinishedRun& run);
std::unique_ptr<ResultPart> class_predictions_part(FinishedRun& run);
std::unique_ptr<ResultPart> images_part(FinishedRun& run);
std::string describe_search(const nlohmann::ordered_json& summary);
std::string describe_training(const nlohmann::ordered_json& summary);
std::string describe_evidence(const nlohmann::ordered_json& summary);
std::string describe_approximations(const nlohmann::ordered_json& summary);
std::string describe_class_predictions(const nlohmann::ordered_json& summary);
std::string describe_schedule(const nlohmann::ordered_json& summary);
std::string describe_growth(const nlohmann::ordered_json& summary);
std::string describe_test_likelihood(const nlohmann::ordered_json& summary);
std::string describe_free_energy(const nlohmann::ordered_json& summary);
std::string describe_mbar(const nlohmann::ordered_json& summary);
std::string describe_rejections(const nlohmann::ordered_json& summary);
std::string describe_posterior(const nlohmann::ordered_json& summary);
std::string describe_chains(const nlohmann::ordered_json& summary);
std::string describe_outcome(const nlohmann::ordered_json& summary);

/// Final particles as pictures.
using model::Images;

/// Collective. The first hundred particles of a sampler's population that target the end of the path. Nothing elsewhere
/// than on rank 0. The target offers ParticleImages.
std::optional<Images> gather_images(const parallel::Communicator& ranks, const model::Target& target,
                                    algorithm::Sampler& sampler, double inverse_temperature_end);

} // namespace pearlite::app
