/// Committing a checkpoint of one sharded field of 256 MiB, against writing and syncing the same bytes to a plain file
/// in the same iteration. Counters: `plain_seconds`, and `times_plain`, the ratio. Files go to the working directory.

#include "io/container/container.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::ShardedField;

constexpr std::size_t item_bytes = 4096;
constexpr std::size_t buffer_bytes = std::size_t{4} << 20;

double seconds_of(const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

ShardedField view_of(const std::vector<std::byte>& bytes) {
    ShardedField field;
    field.item_bytes = item_bytes;
    field.items = field.local = static_cast<Index>(bytes.size() / item_bytes);
    field.pack = [&bytes](Index first, Index, std::span<std::byte> out) {
        std::memcpy(out.data(), bytes.data() + static_cast<std::size_t>(first) * item_bytes, out.size());
    };
    return field;
}

void write_plainly(const std::filesystem::path& path, const std::vector<std::byte>& bytes) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (std::size_t at = 0; at < bytes.size(); at += buffer_bytes)
        if (::write(file, bytes.data() + at, buffer_bytes) != static_cast<ssize_t>(buffer_bytes))
            throw std::runtime_error("the plain file cannot be written");
    ::fsync(file);
    ::close(file);
}

void commit_checkpoint(benchmark::State& state) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(state.range(0)) << 20);
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<std::byte>(i * 0x9E3779B97F4A7C15U >> 56);
    const std::filesystem::path plain = "benchmark.plain";
    const std::filesystem::path container = "benchmark.h5";
    double plain_seconds = 0;
    double container_seconds = 0;
    for ([[maybe_unused]] const auto iteration : state) {
        // Both files are new each time, so that neither finds its blocks already there.
        std::filesystem::remove(plain);
        std::filesystem::remove(container);
        plain_seconds += seconds_of([&] { write_plainly(plain, bytes); });
        const double seconds = seconds_of([&] {
            pearlite::io::Writer writer(pearlite::parallel::Communicator::alone());
            writer.sharded("states", view_of(bytes));
            writer.commit(container, "checkpoint");
        });
        container_seconds += seconds;
        state.SetIterationTime(seconds);
    }
    std::filesystem::remove(plain);
    std::filesystem::remove(container);
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
    state.counters["plain_seconds"] = plain_seconds / static_cast<double>(state.iterations());
    state.counters["times_plain"] = container_seconds / plain_seconds;
}
BENCHMARK(commit_checkpoint)->Arg(256)->ArgName("MiB")->Iterations(5)->UseManualTime()->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
