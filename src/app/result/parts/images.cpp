#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

std::optional<Images> gather_images(const parallel::Communicator& ranks, const model::Target& target,
                                    const algorithm::Found& found, double inverse_temperature_end) {
    constexpr Index most = 100;
    const auto& pictures = *target.offers<model::ParticleImages>();
    const auto particles = shares_of(ranks, found, 0).front();
    const Index first = found.first_wanted_slot;
    std::vector<double> local;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const Index place = particles.layout().first_local_item() + particles.block_begin(b) - first;
        const Index left = most - place;
        if (place < 0)
            continue;
        if (left <= 0)
            break;
        const Matrix images = pictures.images(particles.block(b), inverse_temperature_end);
        const Index n = std::min(left, images.cols());
        local.insert(local.end(), images.data(), images.data() + n * images.rows());
    }
    const auto all = ranks.gather(std::span<const double>(local));
    if (!ranks.is_root() || all.empty())
        return {};
    const Index n_pixels = pictures.image_rows() * pictures.image_columns();
    const Eigen::Map<const Matrix> columns(all.data(), n_pixels, static_cast<Index>(all.size()) / n_pixels);
    return Images{columns.transpose(), pictures.image_rows(), pictures.image_columns()};
}

namespace {

class ImagesPart final : public ResultPart {
  public:
    /// `sheet`: rank 0's; `has_images`: whether it has any.
    ImagesPart(Images sheet, bool has_images) : sheet_(std::move(sheet)), has_images_(has_images) {}

    void write_fields(io::Writer& writer) override {
        if (!has_images_)
            return;
        writer("images/pixels", sheet_.pixels);
        writer("images/rows", sheet_.rows);
        writer("images/columns", sheet_.columns);
    }

  private:
    Images sheet_;
    bool has_images_;
};

std::unique_ptr<ResultPart> images_part(RunView& run) {
    if (!run.target->offers<model::ParticleImages>())
        return nullptr;
    auto sheet = gather_images(run.ranks, *run.target, run.found, run.inverse_temperature_end);
    const bool has_images = run.ranks.max(Index{sheet ? 1 : 0}) > 0;
    return std::make_unique<ImagesPart>(sheet.value_or(Images{}), has_images);
}

} // namespace

PartKind images_kind() {
    return {images_part, nullptr, model::Task::annealing, true, "images of particles"};
}

} // namespace pearlite::app
