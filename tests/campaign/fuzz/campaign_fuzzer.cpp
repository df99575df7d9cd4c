// The same kinds for libFuzzer, which is guided by what the program's code does with an input:
//
//     campaign_fuzzer --kind=KIND --tally=FILE [--corpus=DIR] [libFuzzer's options] [directories of inputs]

#include "campaign/fuzz/input_kind.hpp"
#include "campaign/fuzz/mutation.hpp"
#include "campaign/fuzz/tally.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

namespace fs = std::filesystem;
using namespace pearlite;

struct Fuzzer {
    fuzz::InputKind kind;
    fuzz::Tally* tally = nullptr;
};
Fuzzer fuzzer; // libFuzzer hands nothing from call to call

std::string text_of(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// The value of "--name=value"; libFuzzer ignores such options.
std::string option(int argc, char** argv, const std::string& name, const std::string& otherwise) {
    for (int i = 1; i < argc; ++i)
        if (std::string_view(argv[i]).starts_with(name + "="))
            return argv[i] + name.size() + 1;
    return otherwise;
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    const auto name = option(*argc, *argv, "--kind", "");
    static const auto scratch = fs::temp_directory_path() / ("campaign-fuzzer-" + std::to_string(getpid()));
    fs::create_directory(scratch);
    std::atexit([] {
        std::error_code ignored;
        fs::remove_all(scratch, ignored);
    });
    const auto kinds =
        fuzz::all_kinds(scratch, option(*argc, *argv, "--corpus", PEARLITE_SOURCE_DIR "/tests/campaign/fuzz/corpus"));
    const auto found = std::ranges::find(kinds, name, &fuzz::InputKind::name);
    if (found == kinds.end()) {
        std::fprintf(stderr, "campaign_fuzzer: no kind '%s', expected --kind=KIND\n", name.c_str());
        std::exit(2);
    }
    fuzzer.kind = *found;
    fuzzer.tally = &fuzz::shared_tally(option(*argc, *argv, "--tally", scratch / "tally"), true);
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string message;
    const auto outcome = fuzz::attempt(fuzzer.kind, text_of(data, size), message);
    fuzzer.tally->add(outcome, message);
    if (outcome == fuzz::Outcome::failed) {
        std::fprintf(stderr, "campaign_fuzzer: %s\n", message.c_str());
        std::abort();
    }
    return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    random::Stream stream({seed, random::Purpose::test});
    if (stream.bernoulli(0.5))
        return LLVMFuzzerMutate(data, size, most);
    const auto input = text_of(data, size);
    const auto mutated =
        fuzzer.kind.mutate ? fuzzer.kind.mutate(input, stream) : fuzz::mutated_bytes(input, input, stream);
    const auto length = std::min(mutated.size(), most);
    std::memcpy(data, mutated.data(), length);
    return length;
}
