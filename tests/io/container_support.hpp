#pragma once
/// Tools for tests of containers: sample populations, whole files as bytes, failures on demand.

#include "io/input_files.hpp"

#include "io/container/container.hpp"
#include "parallel/layout.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <bit>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace pearlite::io::testing {

inline std::string file_bytes(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::remove(path); // ext4 syncs a file that is overwritten through truncation, which takes its time
    std::ofstream(path, std::ios::binary) << bytes;
}

/// Names in a directory, hidden ones too.
inline std::vector<std::string> names_in(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

/// The message of the FileError that `action` throws; a failure of the test if it throws none.
template <class Action>
std::string file_error(const Action& action) {
    try {
        action();
    } catch (const FileError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no FileError was thrown";
    return "";
}

/// This rank's items of a sharded field as bytes; item i of the whole holds numbers that only i (and `seed`) decides.
class SampleField {
  public:
    SampleField(ItemType type, std::size_t item_bytes, const parallel::BlockLayout& layout, std::uint64_t seed = 1)
        : type_(type), item_bytes_(item_bytes), layout_(layout), bytes_(expected(seed)) {}

    /// The right bytes of the local items.
    std::vector<std::byte> expected(std::uint64_t seed) const {
        std::vector<std::byte> bytes(static_cast<std::size_t>(layout_.local_items()) * item_bytes_);
        const std::size_t first = static_cast<std::size_t>(layout_.first_local_item()) * item_bytes_;
        for (std::size_t i = 0; i < bytes.size(); ++i)
            bytes[i] = byte_at(first + i, seed);
        return bytes;
    }
    void clear() { std::fill(bytes_.begin(), bytes_.end(), std::byte{0}); }
    std::vector<std::byte>& bytes() { return bytes_; }

    ShardedField view() {
        ShardedField field;
        field.type = type_;
        field.item_bytes = item_bytes_;
        field.items = layout_.size();
        field.first_local = layout_.first_local_item();
        field.local = layout_.local_items();
        field.pack = [this](Index first, Index count, std::span<std::byte> out) {
            ASSERT_EQ(out.size(), static_cast<std::size_t>(count) * item_bytes_);
            std::memcpy(out.data(), bytes_.data() + static_cast<std::size_t>(first) * item_bytes_, out.size());
        };
        field.unpack = [this](Index first, Index count, std::span<const std::byte> in) {
            ASSERT_EQ(in.size(), static_cast<std::size_t>(count) * item_bytes_);
            std::memcpy(bytes_.data() + static_cast<std::size_t>(first) * item_bytes_, in.data(), in.size());
        };
        return field;
    }

  private:
    // Bits of a multiplicative hash (Knuth): no two neighbouring items are alike, so misplaced ones are seen.
    static std::byte byte_at(std::size_t position, std::uint64_t seed) {
        return static_cast<std::byte>(((position + 1) * 0x9E3779B97F4A7C15U + seed * 0xD1B54A32D192ED03U) >> 56);
    }

    ItemType type_;
    std::size_t item_bytes_;
    parallel::BlockLayout layout_;
    std::vector<std::byte> bytes_;
};

/// A population of every item type, and the values that go with it.
struct SamplePopulation {
    SamplePopulation(const parallel::Communicator& ranks, Index items, Index block, std::uint64_t sample_seed = 1)
        : seed(sample_seed),
          layout(items, block, ranks.size(), ranks.rank()),
          states(ItemType::bytes, 17, layout, seed),
          log_weights(ItemType::float64, 8, layout, seed + 1),
          angles(ItemType::float64, 24, layout, seed + 2),
          ancestors(ItemType::int64, 8, layout, seed + 3) {}

    template <class Fields>
    void fields(Fields& f) {
        f("seed", seed);
        f.enter("population");
        f.sharded("states", states.view());
        f.sharded("log_weights", log_weights.view());
        f.sharded("angles", angles.view());
        f.sharded("ancestors", ancestors.view());
        f.leave();
        f("temperatures", temperatures);
    }

    void clear() {
        for (SampleField* field : {&states, &log_weights, &angles, &ancestors})
            field->clear();
        seed = 0;
        temperatures.clear();
    }

    /// Whether everything is what a population of this seed holds, bit for bit.
    bool is_sample(std::uint64_t expected_seed) {
        return seed == expected_seed && states.bytes() == states.expected(expected_seed) &&
               log_weights.bytes() == log_weights.expected(expected_seed + 1) &&
               angles.bytes() == angles.expected(expected_seed + 2) &&
               ancestors.bytes() == ancestors.expected(expected_seed + 3) && temperatures == sample_temperatures;
    }

    void commit(const parallel::Communicator& ranks, const std::filesystem::path& path) {
        Writer writer(ranks);
        fields(writer);
        writer.commit(path, "checkpoint");
    }
    /// Reads the file into cleared fields.
    void read(const parallel::Communicator& ranks, const std::filesystem::path& path) {
        clear();
        Reader reader(ranks, path, "checkpoint");
        fields(reader);
    }

    static inline const std::vector<double> sample_temperatures{1.0, 0.5, 1.0 / 3};
    std::uint64_t seed;
    parallel::BlockLayout layout;
    SampleField states;
    SampleField log_weights;
    SampleField angles;
    SampleField ancestors;
    std::vector<double> temperatures = sample_temperatures;
};

/// While it lives, this process cannot write beyond `bytes` of any file: writes fail with EFBIG.
class FileSizeLimit {
  public:
    explicit FileSizeLimit(std::uint64_t bytes) {
        old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &old_limit_);
        const rlimit limit{bytes, old_limit_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() {
        setrlimit(RLIMIT_FSIZE, &old_limit_);
        std::signal(SIGXFSZ, old_handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

  private:
    void (*old_handler_)(int) = nullptr;
    rlimit old_limit_{};
};

} // namespace pearlite::io::testing
