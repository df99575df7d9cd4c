#pragma once
/// Final particles as pictures.

#include "pearlite/app/model_offers.hpp"
#include "pearlite/app/run.hpp"

#include <algorithm>

namespace pearlite::app {

/// Collective. The first hundred particles of a sampler's population; of parallel tempering, of those at the last
/// temperature. Nothing elsewhere than on rank 0.
template <HasImages M, class Sampler>
std::optional<Images> gather_images(const parallel::Communicator& ranks, const M& model, Sampler& sampler,
                                    double inverse_temperature_end) {
    constexpr Index most = 100;
    auto& particles = sampler.population().generation(0);
    Index first = 0;
    if constexpr (requires { sampler.first_wanted_slot(); })
        first = sampler.first_wanted_slot();
    std::vector<double> local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const Index place = particles.layout().first_local_item() + particles.block_begin(b) - first;
        const Index left = most - place;
        if (place < 0)
            continue;
        if (left <= 0)
            break;
        const Matrix images = model.images(particles.block(b), inverse_temperature_end);
        const Index n = std::min(left, images.cols());
        local.insert(local.end(), images.data(), images.data() + n * images.rows());
    }
    const auto all = ranks.gather(std::span<const double>(local));
    if (!ranks.is_root() || all.empty())
        return {};
    const Index n_pixels = model.image_rows() * model.image_columns();
    const Eigen::Map<const Matrix> columns(all.data(), n_pixels, static_cast<Index>(all.size()) / n_pixels);
    return Images{columns.transpose(), model.image_rows(), model.image_columns()};
}

} // namespace pearlite::app
