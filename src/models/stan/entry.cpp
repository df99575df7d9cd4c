#include "io/files/posix_file.hpp"
#include "io/files/text_file.hpp"
#include "models/common/reading.hpp"
#include "models/joint/joint_density.hpp"
#include "models/registry.hpp"
#include "models/stan/stan_density.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pearlite::models {

namespace {

constexpr auto in_characters = io::TextColumns::characters;

struct StanKeys {
    InputFile library;
    std::optional<InputFile> data, prior_data;
    std::optional<std::string> prior_flag;
    double start_scale = 2;
    bool generated_quantities = true;
    Index data_seed = 1;

    void keys(Keys& k) {
        k("library", library,
          about("the program as a shared library with BridgeStan's interface of version 2: pearlite stan makes it")
              .must_be_given());
        k("data", data, about("the data, JSON as CmdStan reads it").may_be_left_out());
        k("prior_flag", prior_flag,
          about("name of a whole number in the data, 0 there, with which the program leaves out its likelihood when it "
                "is 1 (brms writes prior_only): the path then begins near the prior")
              .may_be_left_out());
        k("prior_data", prior_data,
          about("in place of prior_flag: data with which the program is its prior, over the same parameters")
              .may_be_left_out());
        k("start_scale", start_scale, above(0),
          "scale of the wide Student t distribution around 0, in place of a prior, at which fits and descents begin; "
          "in unconstrained parameters");
        k("generated_quantities", generated_quantities,
          "whether the posterior also has the program's generated quantities");
        k("data_seed", data_seed, within(0, 4294967295), "seed of random numbers in the block transformed data");
    }
};

/// The data with this flag raised. InputError if there is no such flag, or if it is raised already.
std::string with_flag(const std::string& data, const std::string& flag, const std::string& source) {
    auto json = nlohmann::json::parse(data, nullptr, false);
    if (!json.is_object() || !json.contains(flag))
        throw InputError(fmt::format("{}: no \"{}\" in the data, expected a whole number, 0", source, flag));
    if (json[flag] != 0)
        throw InputError(
            fmt::format("{}: \"{}\" is {}, expected 0: the data of the posterior", source, flag, json[flag].dump()));
    json[flag] = 1;
    return json.dump();
}

/// The data with which the program is its prior; none if no key asks for it, or if they cannot be had, which is a
/// mistake of the key.
std::optional<std::string> read_prior_data(const StanKeys& keys, io::Section& section, const std::string& data) {
    const auto expected = "the data of a Stan model, in JSON";
    if (keys.prior_flag && keys.prior_data)
        section.error("prior_data", "got prior_flag, too, expected one of them");
    else if (keys.prior_data)
        return read_data(section, "prior_data", std::optional(keys.prior_data->path),
                         [&](const auto& path) { return io::read_text_file(path, expected, in_characters); });
    else if (keys.prior_flag)
        return read_data(section, "prior_flag", std::optional(keys.data ? keys.data->path : std::filesystem::path()),
                         [&](const auto& path) { return with_flag(data, *keys.prior_flag, path.string()); });
    return {};
}

std::unique_ptr<BuiltModel> build_stan(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<StanKeys>(configuration);
    if (configuration.has_errors() || keys.library.path.empty())
        return nullptr;
    const auto read = [&](const char* key, const std::filesystem::path& file, const std::string& expected,
                          const auto& read_file) {
        return file.empty()
                   ? std::optional(std::string())
                   : read_data(section, key, file, [&](const auto& path) { return read_file(path, expected); });
    };
    const auto library = read("library", keys.library.path, "a compiled Stan model", io::read_whole_file);
    const auto data =
        read("data", keys.data ? keys.data->path : std::filesystem::path(), "the data of a Stan model, in JSON",
             [](const auto& path, const auto& expected) { return io::read_text_file(path, expected, in_characters); });
    if (!library || !data)
        return nullptr;
    const auto density = [&](const char* key, const std::string& its_data) -> std::shared_ptr<const StanDensity> {
        try {
            auto program =
                std::make_shared<const StanProgram>(keys.library.path, its_data, static_cast<unsigned>(keys.data_seed));
            return std::make_shared<const StanDensity>(std::move(program), keys.generated_quantities,
                                                       StanIdentity{*library, its_data});
        } catch (const InputError& error) {
            section.error(key, error.what());
            return nullptr;
        }
    };
    const auto posterior = density("library", *data);
    std::shared_ptr<const StanDensity> prior;
    if (const auto prior_data = read_prior_data(keys, section, *data); posterior && prior_data) {
        prior = density(keys.prior_flag ? "prior_flag" : "prior_data", *prior_data);
        if (prior && prior->coordinate_names() != posterior->coordinate_names())
            section.error("prior_data",
                          fmt::format("{} parameters with these data and {} with those of the posterior, "
                                      "expected the same",
                                      prior->coordinate_names().size(), posterior->coordinate_names().size()));
    }
    if (configuration.has_errors())
        return nullptr;
    return model::annealed(std::make_shared<const path::Tempered>(
        std::make_shared<const JointDensity>(posterior, keys.start_scale, prior)));
}

} // namespace

ModelEntry stan_entry() {
    model::ModelTraits traits{"stan", 16, 4096, true, 1, true};
    traits.lacks_prior = true;
    return {std::move(traits), "any Stan program, compiled with BridgeStan's interface", build_stan,
            list_keys<StanKeys>};
}

} // namespace pearlite::models
