#include "models/common/reading.hpp"
#include "models/functions/test_functions.hpp"
#include "models/registry.hpp"
#include "pearlite/kernel/detail/searched_energy.hpp"

namespace pearlite::models {

namespace {

struct TestFunctionKeys {
    TestFunctionSettings settings;
    std::optional<Index> rotation_seed = 1; ///< none: run.seed

    void keys(Keys& k) {
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
        k.when("rotated", settings.rotated, true, [&] {
            k.number_or("replicate", "rotation_seed", rotation_seed, at_least(0),
                        "seed of the rotation; \"replicate\": run.seed, so that each replicate of a sweep has another");
        });
    }
};

std::unique_ptr<BuiltModel> build_function(io::Configuration& configuration, io::Section&) {
    auto keys = read_model<TestFunctionKeys>(configuration);
    if (keys.rotation_seed)
        keys.settings.seed = static_cast<std::uint64_t>(*keys.rotation_seed);
    else
        keys.settings.seed = run_seed(configuration);
    return configuration.has_errors() ? nullptr : kernel::searched_box(TestFunction(keys.settings));
}

} // namespace

ModelEntry test_function_entry() {
    return model::searched_entry("test-function",
                                 "Rastrigin, Ackley, Griewank, Schwefel, Rosenbrock or Levy, rotated or not",
                                 kernel::box_search_traits(), build_function, list_keys<TestFunctionKeys>);
}

} // namespace pearlite::models
