#include "campaign/fuzz/input_kind.hpp"

#include "io/files/posix_file.hpp"

#include <algorithm>
#include <fstream>

namespace pearlite::fuzz {

namespace fs = std::filesystem;

InputKind file_kind(const fs::path& scratch, const std::string& name, const std::string& extension,
                    const std::string& corpus, const std::function<void(const fs::path&)>& read) {
    const auto file = scratch / (name + extension);
    return {name, corpus, [=](const std::string& input) {
                write_file(file, input);
                read(file);
            }};
}

Outcome attempt(const InputKind& kind, const std::string& input, std::string& message) {
    try {
        kind.read(input);
        return Outcome::accepted;
    } catch (...) {
        const auto report = describe(std::current_exception());
        message = report.message;
        if (std::ranges::count(kind.refusals, report.kind) > 0 && !message.empty())
            return Outcome::refused;
        message = "status 1, " + (message.empty() ? "without a message" : message);
        return Outcome::failed;
    }
}

std::vector<InputKind> all_kinds(const fs::path& scratch, const fs::path& corpus) {
    std::vector<InputKind> all;
    for (auto&& some : {configuration_kinds(scratch, corpus), command_line_kinds(scratch), table_kinds(scratch),
                        numpy_kinds(scratch), image_kinds(scratch), hdf5_kinds(scratch),
                        model_data_kinds(scratch, corpus), run_file_kinds(scratch), checkpoint_kinds(scratch, corpus)})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

std::vector<std::string> seeds_of(const InputKind& kind, const fs::path& corpus) {
    const auto folder = corpus / kind.corpus;
    if (!fs::is_directory(folder))
        throw InputError(folder.string() + ": no such directory, expected valid inputs of kind " + kind.name);
    if (kind.seeds)
        return kind.seeds();
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.is_regular_file())
            files.push_back(entry.path());
    std::sort(files.begin(), files.end()); // the order of a directory is the disk's
    std::vector<std::string> seeds;
    for (const auto& file : files)
        seeds.push_back(read_file(file));
    if (seeds.empty())
        throw InputError(folder.string() + ": is empty, expected valid inputs of kind " + kind.name);
    return seeds;
}

void write_file(const fs::path& file, const std::string& contents) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    if (!out.flush())
        throw FileError(file.string() + ": cannot be written");
}

std::string read_file(const fs::path& file) {
    return io::read_whole_file(file, "an input of a campaign");
}

} // namespace pearlite::fuzz
