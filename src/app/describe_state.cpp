#include "pearlite/app/describe_state.hpp"

namespace pearlite::app {

BestState describe_state(const models::ImageSpace& space, std::span<const std::byte> packed) {
    auto chains = space.make_chains(1);
    chains.unpack(0, packed);
    const auto pixels = chains.pixels(0);
    const auto& settings = space.model().settings();
    BestState best;
    best.values.assign(pixels.begin(), pixels.end());
    Images images{Matrix(2, static_cast<Index>(pixels.size())), settings.rows, settings.columns};
    for (std::size_t k = 0; k < pixels.size(); ++k) {
        images.pixels(0, static_cast<Index>(k)) = pixels[k];
        images.pixels(1, static_cast<Index>(k)) = settings.observed[k];
    }
    best.images = std::move(images);
    return best;
}

BestState describe_state(const models::NetworkSpace& space, std::span<const std::byte> packed) {
    const auto dag = space.model().unpack(packed);
    BestState best;
    for (const auto& [parent, child] : dag.edges()) {
        best.values.push_back(static_cast<double>(parent));
        best.values.push_back(static_cast<double>(child));
    }
    best.graph = space.model().to_dot(dag);
    return best;
}

} // namespace pearlite::app
