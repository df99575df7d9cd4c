#pragma once
/// Kinds of input that a person, or a disk, hands to the program, each with a function that reads it as the program
/// does.

#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace pearlite::fuzz {

/// A kind of input, such as "csv". attempt() judges the exceptions of `read`.
struct InputKind {
    std::string name;
    std::string corpus; ///< the folder of inputs, valid ones and some that did harm once, mutations of which are tried
    /// Reads an input and discards its contents.
    std::function<void(const std::string& input)> read;
    /// A mutation that knows the grammar; bytes are mutated for all kinds (mutation.hpp).
    std::function<std::string(const std::string& input, random::Stream& stream)> mutate = {};
    /// The kinds of errors that refuse an input in the right way.
    std::vector<ErrorKind> refusals = {ErrorKind::input};
    /// Makes the inputs that are mutated; if it is empty, they are the files of the corpus.
    std::function<std::vector<std::string>()> seeds = {};
};

/// A kind that `read` takes from a file of this name in `scratch`.
InputKind file_kind(const std::filesystem::path& scratch, const std::string& name, const std::string& extension,
                    const std::string& corpus, const std::function<void(const std::filesystem::path&)>& read);

enum class Outcome { accepted, refused, failed };

/// Tries an input. `message` becomes the refusal that the program prints, or a description of the failure.
Outcome attempt(const InputKind& kind, const std::string& input, std::string& message);

/// All kinds. They read files in `scratch`, a directory that they may fill as they like; `corpus` has a folder for each
/// name that their members `corpus` give.
std::vector<InputKind> all_kinds(const std::filesystem::path& scratch, const std::filesystem::path& corpus);

/// The inputs from which mutations of a kind begin. InputError if there are none.
std::vector<std::string> seeds_of(const InputKind& kind, const std::filesystem::path& corpus);

/// The kinds of a source in kinds/.
using Kinds = std::vector<InputKind>;
Kinds table_kinds(const std::filesystem::path& scratch);
Kinds numpy_kinds(const std::filesystem::path& scratch);
Kinds image_kinds(const std::filesystem::path& scratch);
Kinds hdf5_kinds(const std::filesystem::path& scratch);
Kinds model_data_kinds(const std::filesystem::path& scratch, const std::filesystem::path& corpus);
Kinds configuration_kinds(const std::filesystem::path& scratch, const std::filesystem::path& corpus);
Kinds command_line_kinds(const std::filesystem::path& scratch);
Kinds checkpoint_kinds(const std::filesystem::path& scratch, const std::filesystem::path& corpus);
Kinds run_file_kinds(const std::filesystem::path& scratch);

/// A file with these contents in place of what it had.
void write_file(const std::filesystem::path& file, const std::string& contents);
/// All bytes of a file; InputError if it cannot be read.
std::string read_file(const std::filesystem::path& file);

} // namespace pearlite::fuzz
