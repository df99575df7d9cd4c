#include "app/configured/same_inputs.hpp"

#include "app/program/build_info.hpp"
#include "io/files/digest.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pearlite::app {

namespace {

/// Takes the first line from a text, without its end. No stream does, because streams hide a lack of memory.
std::string_view next_line(std::string_view& text) {
    const auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

/// Lines that are alike where inputs are. The first word of a line says what it is about.
std::string lines_of(const Inputs& inputs) {
    auto text = fmt::format("build {}, {}\n", build_id(), library_versions());
    for (std::string_view configuration = inputs.configuration; !configuration.empty();)
        text += fmt::format("configuration {}\n", next_line(configuration));
    for (const auto& [key, path] : inputs.files)
        text += fmt::format("file {} ({}, SHA-256 {})\n", path.string(), key, io::sha256_of_file(path));
    return text + "model " + inputs.model_fingerprint + "\n";
}

/// The first line of each that the other does not have at its place.
std::pair<std::string, std::string> first_difference(const std::string& one, const std::string& other) {
    std::string_view ones = one, others = other, a, b;
    while (a == b && !(ones.empty() && others.empty())) {
        a = next_line(ones);
        b = next_line(others);
    }
    return {std::string(a), std::string(b)};
}

[[noreturn]] void refuse(const std::string& here, const std::string& of_root) {
    const auto [line, other] = first_difference(here, of_root);
    const auto is_about = [&line = line, &other = other](const char* word) {
        return line.starts_with(word) || other.starts_with(word);
    };
    const auto quoted = [](const std::string& text) {
        return text.empty() ? std::string("nothing") : '"' + text.substr(text.find(' ') + 1) + '"';
    };
    const char* what = is_about("build")           ? "runs another program than rank 0"
                       : is_about("configuration") ? "has read another configuration than rank 0"
                       : is_about("file")          ? "has read another file than rank 0"
                                                   : "has another model or other data than rank 0";
    throw InputError(fmt::format("this rank {}: {}, rank 0 has {}; expected the same on all ranks", what, quoted(line),
                                 quoted(other)));
}

} // namespace

std::string fingerprint_of(const BuiltModel& model) {
    io::Sha256 hash;
    model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
    model.fingerprint(sink);
    return hash.finish_hex();
}

void require_same_inputs(const parallel::Communicator& ranks, const Inputs& inputs) {
    if (ranks.size() == 1)
        return;
    std::string lines;
    // The numbers of a digest, and the same below 0: the largest of all ranks are opposite only if all have the same.
    std::array<double, 2 * std::tuple_size_v<io::Sha256::Digest>> ends{};
    const auto failure = parallel::failure_of([&] {
        lines = lines_of(inputs);
        io::Sha256 hash;
        hash.add(lines);
        const auto digest = hash.finish();
        for (std::size_t i = 0; i < digest.size(); ++i) {
            ends[2 * i] = std::to_integer<int>(digest[i]);
            ends[2 * i + 1] = -ends[2 * i];
        }
    });
    parallel::agree(ranks, failure, ends);
    bool are_same = true;
    for (std::size_t i = 0; i < ends.size(); i += 2)
        are_same = are_same && ends[i] == -ends[i + 1];
    if (are_same)
        return;
    const auto lines_of_root = ranks.broadcast(lines);
    parallel::together(ranks, [&] {
        if (lines != lines_of_root)
            refuse(lines, lines_of_root);
    });
}

} // namespace pearlite::app
