#include "models/rbm/rbm_keys.hpp"

#include <algorithm>

namespace pearlite::models {

void RbmKeys::keys(Keys& k) {
    from_file = k.has("weights") || !k.has("random_hidden");
    k.when("random_hidden is not given", from_file,
           [&] { k("weights", weights, about("trained weights and biases").must_be_given()); });
    k.when("weights is not given", !from_file, [&] {
        k("random_visible", random_visible, within(1, 100000), "visible units of a random machine");
        k("random_hidden", random_hidden, within(1, 100000), about("hidden units of a random machine").must_be_given());
        k("random_weight_sd", random_weight_sd, at_least(0), "standard deviation of random weights");
        k("random_bias_sd", random_bias_sd, at_least(0), "standard deviation of random biases");
        k("random_seed", random_seed, "seed of random weights and biases");
    });
    k("base_rates", base_rates, "training images whose rates of pixels are the start of the path");
    k("images", images, "images that reverse trajectories may start from");
    k.when_given("images", [&] { k("n_images", n_images, within(1, 1'000'000), "images read at most"); });
}

void JointRbmKeys::keys(Keys& k) {
    has_base_rates = k.has("base_rates"); // resolved configurations print it first
    machine.keys(k);
}

void HiddenRbmKeys::keys(Keys& k, Index n_hidden) {
    using Update = HiddenRbmSettings::Update;
    k("update", settings.update,
      {{"sweep", Update::sweep, "every unit once in order"},
       {"random-unit", Update::random_unit, "units drawn with replacement"}},
      "the hidden units that a move updates");
    k.when("update", settings.update, Update::random_unit, [&] {
        settings.flips = std::max<Index>(n_hidden, 1);
        k("flips", settings.flips, within(1, HiddenRbm::largest_flips),
          about("updates of a move").default_is("the number of hidden units"));
    });
}

} // namespace pearlite::models
