#include "io/files/whole_file.hpp"
#include "models/common/reading.hpp"
#include "models/joint/joint_density.hpp"
#include "models/registry.hpp"
#include "models/stan/stan_density.hpp"
#include "pearlite/path/tempered.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace pearlite::models {

namespace {

struct StanKeys {
    InputFile library;
    std::optional<InputFile> data;
    double start_scale = 2;
    bool generated_quantities = true;
    Index data_seed = 1;

    void keys(Keys& k) {
        k("library", library,
          about("the program as a shared library with BridgeStan's interface of version 2: pearlite stan makes it")
              .must_be_given());
        k("data", data, about("the data, JSON as CmdStan reads it").may_be_left_out());
        k("start_scale", start_scale, above(0),
          "scale of the wide Student t distribution around 0, in place of a prior, at which fits and descents begin; "
          "in unconstrained parameters");
        k("generated_quantities", generated_quantities,
          "whether the posterior also has the program's generated quantities");
        k("data_seed", data_seed, within(0, 4294967295), "seed of random numbers in the block transformed data");
    }
};

std::unique_ptr<BuiltModel> build_stan(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<StanKeys>(configuration);
    if (configuration.has_errors() || keys.library.path.empty())
        return nullptr;
    const auto read = [&](const char* key, const std::filesystem::path& file, const std::string& expected) {
        return file.empty() ? std::optional(std::string()) : read_data(section, key, file, [&](const auto& path) {
            return io::read_whole_file(path, expected);
        });
    };
    const auto library = read("library", keys.library.path, "a compiled Stan model");
    const auto data =
        read("data", keys.data ? keys.data->path : std::filesystem::path(), "the data of a Stan model, in JSON");
    if (!library || !data)
        return nullptr;
    try {
        auto program =
            std::make_shared<const StanProgram>(keys.library.path, *data, static_cast<unsigned>(keys.data_seed));
        return model::annealed(std::make_shared<const path::Tempered>(std::make_shared<const JointDensity>(
            std::make_shared<const StanDensity>(std::move(program), keys.generated_quantities,
                                                StanIdentity{*library, *data}),
            keys.start_scale)));
    } catch (const InputError& error) {
        section.error("library", error.what());
        return nullptr;
    }
}

} // namespace

ModelEntry stan_entry() {
    model::ModelTraits traits{"stan", 16, 4096, true, 1, true};
    traits.lacks_prior = true;
    return {std::move(traits), "any Stan program, compiled with BridgeStan's interface", build_stan,
            list_keys<StanKeys>};
}

} // namespace pearlite::models
