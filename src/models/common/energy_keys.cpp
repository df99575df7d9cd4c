#include "models/common/energy_keys.hpp"

namespace pearlite::models {

void TestFunctionKeys::keys(Keys& k) {
    using Kind = TestFunctionSettings::Kind;
    settings.dimension = 30;
    settings.rotated = true;
    k("function", settings.kind,
      {{"rastrigin", Kind::rastrigin},
       {"ackley", Kind::ackley},
       {"griewank", Kind::griewank},
       {"schwefel", Kind::schwefel},
       {"rosenbrock", Kind::rosenbrock},
       {"levy", Kind::levy}},
      "the function to minimise");
    k("dimension", settings.dimension,
      within({settings.kind == Kind::rosenbrock ? 2 : 1, "1 (rosenbrock: 2)"}, TestFunction::largest_dimension),
      "coordinates");
    k("rotated", settings.rotated, "turn the function about its minimiser");
    k.when("rotated", settings.rotated, true, [&] { k("rotation_seed", settings.seed, "seed of the rotation"); });
}

void AbProteinKeys::keys(Keys& k) {
    using Energy = AbProteinSettings::Energy;
    using Angles = AbProteinSettings::Angles;
    k("energy", settings.energy,
      {{"planar", Energy::planar, "in the plane"},
       {"stillinger", Energy::stillinger, "in space"},
       {"irback", Energy::irback, "in space"},
       {"azimuth", Energy::azimuth, "in space, the bend term of azimuths"}},
      "the energy to minimise");
    k.when("energy", settings.energy, {Energy::planar, Energy::stillinger, Energy::irback}, [&] {
        k("angles", settings.angles,
          {{"internal", Angles::internal, "angles between neighbouring bonds"},
           {"directions", Angles::directions, "directions of the bonds"}},
          "the coordinates of a state");
    });
    k("sequence", sequence, "the monomers, A or B");
    k.unless_given("sequence", [&] {
        k("length", length, within(3, AbProtein::longest), about("length of the Fibonacci sequence").unit("monomers"));
    });
}

void ModeMixtureKeys::keys(Keys& k) {
    k("modes", modes, "a table with the columns mu1 and mu2");
    k("variance", variance, above(0), "variance of every component");
}

void ImageRestorationKeys::keys(Keys& k) {
    using Start = ImageSpaceSettings::Start;
    space.exact = true;
    k("image", image, about("the observed image, of two colours").must_be_given());
    k("data_weight", settings.data_weight, above(0), "energy of a pixel that agrees with the observed one");
    k("pair_weight", settings.pair_weight, above(0), "energy of two neighbours of one colour");
    k("noise", noise, within(0, 1), "probability with which each pixel of the image is flipped first");
    k.when_given("noise", [&] { k("noise_seed", noise_seed, "seed of the flipped pixels"); });
    k("rectangle_limit", space.rectangle_limit, at_least(1),
      about("longest side of a flipped rectangle").unit("pixels"));
    k("cluster_strength", cluster_strength, above(0), "strength of the bonds of flipped clusters; else pair_weight");
    k("start", space.start, {{"observed", Start::observed}, {"random", Start::random}}, "the first images");
    k("exact", space.exact, "find the exact minimum, for comparison");
}

void BayesianNetworkKeys::keys(Keys& k) {
    k("data", data, "a table of levels, a row an observation");
    k("header", has_header, "the tables begin with a line of names");
    k("more_data", more_data, "a table whose rows are added");
    k("levels", levels, "the number of levels of each column; else the codes that occur");
    k("parent_limit", settings.parent_limit, within(0, 8), "most parents of a node");
    k("edge_prior", settings.edge_prior, between(0, 1), "prior probability of an edge");
    k("equivalent_sample_size", settings.equivalent_sample_size, above(0),
      "equivalent sample size of the Dirichlet priors");
    k("exact", exact, "find the exact minimum, for comparison, if the network is small");
}

} // namespace pearlite::models
