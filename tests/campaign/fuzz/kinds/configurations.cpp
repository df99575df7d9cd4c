// Configurations, up to the model and the plan that a run would begin with; sweeps among them.

#include "campaign/fuzz/input_kind.hpp"
#include "campaign/fuzz/kinds/drawn_keys.hpp"
#include "campaign/fuzz/mutation.hpp"

#include "app/commands/describe_configuration.hpp"
#include "app/configured/prepare.hpp"
#include "app/sweep/sweep.hpp"
#include "pearlite/io/configuration.hpp"

#include <algorithm>

namespace pearlite::fuzz {

namespace fs = std::filesystem;

namespace {

/// Copies a valid file of every kind that models read into a directory; their names.
std::vector<std::string> copy_data(const fs::path& corpus, const fs::path& directory) {
    fs::create_directory(directory);
    std::vector<std::string> names;
    for (const auto& folder : fs::directory_iterator(corpus))
        if (folder.path().filename().string().starts_with("data-") && folder.is_directory())
            for (const auto& file : fs::directory_iterator(folder)) {
                names.push_back(file.path().filename().string());
                fs::copy_file(file, directory / names.back(), fs::copy_options::overwrite_existing);
            }
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

Kinds configuration_kinds(const fs::path& scratch, const fs::path& corpus) {
    const auto models = std::make_shared<const model::Catalogue>(app::built_in_models());
    const auto directory = scratch / "configuration";
    const auto keys =
        std::make_shared<const DrawnKeys>(app::describe_configuration(*models), copy_data(corpus, directory));
    const auto read = [=](const std::string& input) {
        auto configuration = io::Configuration::parse(input, "configuration", directory, {}, directory);
        if (app::is_sweep(configuration))
            app::describe_sweep(app::Sweep(parallel::Communicator::alone(), *models, std::move(configuration)));
        else
            app::prepare(*models, std::move(configuration));
    };
    const auto mutate = [=](const std::string& input, random::Stream& stream) {
        auto text = stream.bernoulli(0.5) ? keys->configuration(stream) : input;
        return stream.bernoulli(0.7) ? keys->edited(text, stream) : text;
    };
    return {{"configuration", "configuration", read, mutate}, {"sweep", "sweep", read, mutate}};
}

} // namespace pearlite::fuzz
