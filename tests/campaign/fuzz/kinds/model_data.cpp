// Data files of models and algorithms, read by the configurations that name them: corpus/<kind>/ has the files, and
// corpus/model-data/<kind>.toml says, in its first line, under which name the configuration after it wants them.

#include "campaign/fuzz/input_kind.hpp"

#include "app/configured/prepare.hpp"
#include "pearlite/io/configuration.hpp"

#include <algorithm>

namespace pearlite::fuzz {

namespace fs = std::filesystem;

namespace {

/// A configuration that reads one data file.
struct Reading {
    std::string corpus; ///< of the files
    fs::path file;      ///< their name
    std::string text;   ///< of the configuration
};

/// "# CORPUS FILE" is the first line.
Reading read_reading(const fs::path& file) {
    Reading reading;
    reading.text = read_file(file);
    std::istringstream words(reading.text);
    std::string mark, name;
    if (!(words >> mark >> reading.corpus >> name) || mark != "#")
        throw InputError(file.string() + ":1: expected \"# CORPUS FILE\"");
    reading.file = name;
    return reading;
}

} // namespace

Kinds model_data_kinds(const fs::path& scratch, const fs::path& corpus) {
    const auto models = std::make_shared<const model::Catalogue>(app::built_in_models());
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(corpus / "model-data"))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    Kinds kinds;
    for (const auto& file : files) {
        const auto reading = read_reading(file);
        const auto name = "data-" + file.stem().string();
        const auto directory = scratch / name;
        fs::create_directory(directory);
        kinds.push_back({name, reading.corpus, [=](const std::string& input) {
                             write_file(directory / reading.file, input);
                             app::prepare(*models,
                                          io::Configuration::parse(reading.text, name, directory, {}, directory));
                         }});
    }
    return kinds;
}

} // namespace pearlite::fuzz
