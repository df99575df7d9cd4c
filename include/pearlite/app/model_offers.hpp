#pragma once
/// What models and samplers may offer to the results of a run beyond particles and weights.

#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/data_description.hpp"
#include "pearlite/model/density_block.hpp"
#include "pearlite/model/predictive.hpp"

#include <concepts>
#include <type_traits>

namespace pearlite::app {

/// The model's particles are points with densities, which are packed with them.
template <class M>
concept HasDensityPoints = std::same_as<typename M::Block, model::DensityBlock>;

/// The model's particles are parameters with names, so that there is a posterior to summarise: points with densities,
/// or parameters(block), parameters x block size.
template <class M>
concept HasParameters = requires(const M& model, const typename M::Block& block) {
    model.parameter_names();
    requires HasDensityPoints<M> || requires {
        { model.parameters(block) } -> std::convertible_to<Matrix>;
    };
};

/// The model says by name what its data are.
template <class M>
concept HasDescribedData = model::HasDataDescription<M> || requires(const M& model) {
    requires model::HasDataDescription<std::remove_cvref_t<decltype(model.density())>>;
};

/// The model is a density that says what its parameters predict.
template <class M>
concept Predicts = HasDensityPoints<M> && requires(const M& model) {
    requires model::HasPrediction<std::remove_cvref_t<decltype(model.density())>>;
};

/// The model can draw its particles: images(block, b), pixels x block size, of image_rows() x image_columns().
template <class M>
concept HasImages = requires(const M& model, const typename M::Block& block, double b) {
    { model.images(block, b) } -> std::convertible_to<Matrix>;
    { model.image_rows() } -> std::convertible_to<Index>;
    { model.image_columns() } -> std::convertible_to<Index>;
};

/// The draws are Markov chains, not a final population.
template <class S>
concept HasChains = requires(S& sampler) {
    sampler.batch(0).chain_outcome();
}
|| requires(S& sampler) {
    sampler.main().batch(0).chain_outcome();
};

} // namespace pearlite::app
