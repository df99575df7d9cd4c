#include "io/arrays/images.hpp"
#include "models/common/reading.hpp"
#include "models/image/image_space.hpp"
#include "models/registry.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

namespace pearlite::models {

namespace {

struct ImageRestorationKeys {
    DataFile image;
    ImageRestorationSettings settings; ///< but its image
    ImageSpaceSettings space;
    std::optional<double> noise, cluster_strength;
    std::uint64_t noise_seed = 1;

    void keys(Keys& k) {
        using Start = ImageSpaceSettings::Start;
        space.exact = true;
        k("image", image, about("the observed image, of two colours").must_be_given());
        k("data_weight", settings.data_weight, above(0), "energy of a pixel that agrees with the observed one");
        k("pair_weight", settings.pair_weight, above(0), "energy of two neighbours of one colour");
        k("noise", noise, within(0, 1), "probability with which each pixel of the image is flipped first");
        k.when_given("noise", [&] { k("noise_seed", noise_seed, "seed of the flipped pixels"); });
        k("rectangle_limit", space.rectangle_limit, at_least(1),
          about("longest side of a flipped rectangle").unit("pixels"));
        k("cluster_strength", cluster_strength, above(0),
          "strength of the bonds of flipped clusters; else pair_weight");
        k("start", space.start, {{"observed", Start::observed}, {"random", Start::random}}, "the first images");
        k("exact", space.exact, "find the exact minimum, for comparison");
    }
};

std::unique_ptr<BuiltModel> build_image(io::Configuration& configuration, io::Section& section) {
    auto keys = read_model<ImageRestorationKeys>(configuration);
    auto image = read_data(section, "image", keys.image, io::read_binary_image);
    if (configuration.has_errors() || !image)
        return nullptr;
    if (keys.noise)
        add_noise(image->pixels, *keys.noise, keys.noise_seed);
    if (keys.cluster_strength)
        keys.space.cluster_strength = *keys.cluster_strength;
    keys.settings.rows = image->rows;
    keys.settings.columns = image->columns;
    keys.settings.observed = std::move(image->pixels);
    const auto make_space = [model = ImageRestoration(std::move(keys.settings)),
                             space = keys.space](const model::OperationPlan& plan) {
        auto own = space;
        own.operations = plan.operations;
        return model::space_of(ImageSpace(model, own));
    };
    return model::searched_in(make_space, {{"pixel"}});
}

} // namespace

ModelEntry image_restoration_entry() {
    model::SearchTraits traits;
    traits.operations = ImageSpace::names();
    traits.default_operations = ImageSpaceSettings{}.operations;
    traits.crossovers = {"two-point-crossover"};
    return model::searched_entry("image-restoration", "restoration of an image of two colours; exact minimum", traits,
                                 build_image, list_keys<ImageRestorationKeys>);
}

} // namespace pearlite::models
