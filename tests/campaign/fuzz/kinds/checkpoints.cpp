// Checkpoints of small runs: the corpus has the configurations, and the runs are made here. A run resumed from a
// damaged one is refused, or ends with the bits of the run that was not disturbed.

#include "campaign/fuzz/input_kind.hpp"

#include "app/commands/command.hpp"
#include "app/commands/run_command.hpp"
#include "app/result/parts/part.hpp"
#include "io/container/checkpoints.hpp"
#include "io/files/stamp.hpp"
#include "pearlite/app/command_line.hpp"

#include <algorithm>
#include <fcntl.h>
#include <memory>
#include <span>

namespace pearlite::fuzz {

namespace fs = std::filesystem;

namespace {

const parallel::Communicator& alone() {
    static const auto ranks = parallel::Communicator::alone();
    return ranks;
}

/// The directory of a run, made anew.
fs::path new_directory(const fs::path& directory) {
    fs::remove_all(directory);
    fs::create_directories(directory);
    return directory;
}

std::string digest_in(const fs::path& directory) {
    return app::Json::parse(read_file(directory / "summary.json")).at("digest");
}

/// Resumes a run and goes on to its end; its digest. Errors are those of the program.
std::string digest_from(const std::string& checkpoint, const fs::path& directory) {
    new_directory(directory);
    write_file(io::checkpoint_path(directory, 1), checkpoint);
    app::ResumeOptions options;
    options.directory = directory;
    const int status = app::resume_command(alone(), app::built_in_models(), options);
    if (status != app::exit_finished)
        throw Error(ErrorKind::other, "status " + std::to_string(status));
    return digest_in(directory);
}

/// The checkpoint of each configuration of a folder after two steps.
std::vector<std::string> make_checkpoints(const fs::path& folder, const fs::path& directory) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<std::string> checkpoints;
    for (const auto& file : files) {
        app::RunOptions options;
        options.configuration = file;
        options.directory = new_directory(directory);
        options.step_limit = 2;
        if (app::run_command(alone(), app::built_in_models(), options) != app::exit_stopped)
            throw Error(ErrorKind::other, file.string() + ": has no third step");
        checkpoints.push_back(read_file(io::list_checkpoints(directory).front()));
    }
    return checkpoints;
}

/// The file with a stamp that says what it now holds.
std::string stamped(std::string checkpoint, const fs::path& scratch) {
    if (checkpoint.size() < io::stamp_bytes)
        checkpoint.resize(io::stamp_bytes);
    const auto file = scratch / "stamped.h5";
    write_file(file, checkpoint);
    io::Stamp stamp{io::container_schema, "checkpoint", checkpoint.size(), ""};
    stamp.sha256 = io::container_checksum(alone(), io::PosixFile(file, O_RDONLY), stamp);
    const auto bytes = io::render(stamp);
    std::copy(bytes.begin(), bytes.end(), std::as_writable_bytes(std::span(checkpoint)).begin());
    return checkpoint;
}

/// Checkpoints of the runs of a folder and the digests with which these end, once they are asked for.
class Undisturbed {
  public:
    Undisturbed(fs::path folder, fs::path directory) : folder_(std::move(folder)), directory_(std::move(directory)) {}

    const std::vector<std::string>& checkpoints() {
        if (checkpoints_.empty())
            checkpoints_ = make_checkpoints(folder_, directory_);
        return checkpoints_;
    }
    bool has(const std::string& digest) {
        if (digests_.empty())
            for (const auto& checkpoint : checkpoints())
                digests_.push_back(digest_from(checkpoint, directory_));
        return std::ranges::count(digests_, digest) > 0;
    }

  private:
    fs::path folder_, directory_;
    std::vector<std::string> checkpoints_, digests_;
};

} // namespace

Kinds checkpoint_kinds(const fs::path& scratch, const fs::path& corpus) {
    const auto directory = scratch / "run";
    const auto undisturbed = std::make_shared<Undisturbed>(corpus / "checkpoint", scratch / "undisturbed");
    const auto seeds = [=] { return undisturbed->checkpoints(); };
    InputKind damaged{"checkpoint", "checkpoint", [=](const std::string& input) {
                          const auto digest = digest_from(input, directory);
                          if (!undisturbed->has(digest))
                              throw Error(ErrorKind::other, "resumed a damaged checkpoint, to digest " + digest);
                      }};
    damaged.seeds = seeds;
    // Damage under a valid checksum is accepted: numbers may be wrong, but their sizes and places must be possible.
    InputKind forged{"checkpoint-stamped", "checkpoint",
                     [=](const std::string& input) { digest_from(stamped(input, scratch), directory); }};
    forged.seeds = seeds;
    forged.refusals = {ErrorKind::input, ErrorKind::file, ErrorKind::numerical};
    InputKind shown{"show-stamped", "checkpoint", [=](const std::string& input) {
                        write_file(scratch / "shown.h5", stamped(input, scratch));
                        app::show_command(scratch / "shown.h5");
                    }};
    shown.seeds = seeds;
    return {damaged, forged, shown};
}

} // namespace pearlite::fuzz
