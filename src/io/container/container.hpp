#pragma once
/// HDF5 files that are whole or absent: results and checkpoints.
///
/// A container is written under a temporary name: rank 0 reserves the space, creates the file serially with contiguous,
/// early-allocated datasets and writes replicated fields; every rank writes its own items of the sharded fields with
/// pwrite at the dataset's offset and syncs; the ranks hash the file, rank 0 stamps it complete in the user block,
/// syncs, renames it into place and syncs the directory. An error on any rank leaves the old file as it was and is
/// thrown on all.
///
/// HDF5 itself never writes to the disk (it crashes if metadata cannot be written): it lays the file out in memory.
///
/// The stamp is the first 512 bytes (HDF5 user block) as text: magic, schema, kind, size in bytes, SHA-256 over these
/// lines and the rest of the file by 4 MiB pieces. It is checked before HDF5 sees the file, because HDF5 may crash on
/// damaged metadata. The same fields give the same file, byte for byte, for any number of ranks.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::io {

inline constexpr int container_schema = 1;

/// Collects named fields, then writes them in one commit(). Collective. A name may hold groups ("batch-3/log_weight");
/// replicated values are those of rank 0.
class Writer {
  public:
    explicit Writer(const parallel::Communicator& ranks);
    ~Writer();
    Writer(const Writer&) = delete;

    static constexpr bool reading = false;

    void operator()(std::string_view name, const std::string& value);
    void operator()(std::string_view name, const char* value) { (*this)(name, std::string(value)); }
    void operator()(std::string_view name, double value);
    void operator()(std::string_view name, std::int64_t value);
    void operator()(std::string_view name, std::uint64_t value);
    void operator()(std::string_view name, bool value);
    void operator()(std::string_view name, int value) { (*this)(name, static_cast<std::int64_t>(value)); }
    void operator()(std::string_view name, std::uint32_t value) { (*this)(name, static_cast<std::uint64_t>(value)); }
    void operator()(std::string_view name, const std::vector<double>& value);
    void operator()(std::string_view name, const std::vector<std::int64_t>& value);
    void operator()(std::string_view name, const std::vector<std::string>& value); ///< texts without zero bytes
    void operator()(std::string_view name, const Matrix& value);                   ///< stored row-major, rows x columns
    /// The field must stay valid until commit().
    void sharded(std::string_view name, const ShardedField& field);
    /// The items of several sharded fields of one type and size, the parts one after another: items x columns, or a
    /// vector if `columns` is 0. At least one part.
    void sharded_parts(std::string_view name, std::vector<ShardedField> parts, Index columns = 0);

    /// All names until leave() get this prefix and a slash.
    void enter(std::string_view group);
    void leave();

    /// kind is "checkpoint" or "results". FileError on every rank if it fails on any; `path` is then untouched (only if
    /// the very last step fails, the sync of the directory, is the new file already in place).
    void commit(const std::filesystem::path& path, std::string_view kind);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

/// Reads a verified container field by field, in the same calls by which it was written; collective. Every rank reads
/// the replicated values and its own items of the sharded ones. Missing names, other types or shapes are FileErrors
/// that name file and field.
class Reader {
  public:
    /// Verifies the stamp (the ranks share the hashing), then opens. FileError names the fault: absent, not a regular
    /// file, not a Pearlite container, schema newer or older than this program's, another kind, cut short, checksum
    /// differs.
    Reader(const parallel::Communicator& ranks, const std::filesystem::path& path, std::string_view kind);
    ~Reader();
    Reader(const Reader&) = delete;

    static constexpr bool reading = true;

    bool has(std::string_view name) const;
    void operator()(std::string_view name, std::string& value);
    void operator()(std::string_view name, double& value);
    void operator()(std::string_view name, std::int64_t& value);
    void operator()(std::string_view name, std::uint64_t& value);
    void operator()(std::string_view name, bool& value);
    void operator()(std::string_view name, int& value);
    void operator()(std::string_view name, std::uint32_t& value);
    void operator()(std::string_view name, std::vector<double>& value);
    void operator()(std::string_view name, std::vector<std::int64_t>& value);
    void operator()(std::string_view name, std::vector<std::string>& value);
    void operator()(std::string_view name, Matrix& value);
    /// Items, item_bytes and type must match what was written; reads this rank's items and unpacks them.
    void sharded(std::string_view name, const ShardedField& field);
    /// Whether the field exists and has this number of items.
    bool has_items(std::string_view name, std::int64_t items) const;
    void enter(std::string_view group);
    void leave();
    /// Calls in `read` are collective among `some` of the ranks, of which this rank is one.
    void among(const parallel::Communicator& some, const std::function<void()>& read);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

struct ContainerListing {
    std::string text;
    bool is_whole = false; ///< else the file is damaged, and the text says so
};

/// One line per field of a container (name, type, shape, a scalar's or short vector's value), for `pearlite show`. No
/// MPI.
ContainerListing describe_container(const std::filesystem::path& path);

// The fields of a state in a container.

/// Fields that go to, or come from, a container: C is Writer or Reader.
template <class C>
class ContainerFields final : public Fields {
  public:
    explicit ContainerFields(C& container) : container_(container) {}

    bool is_reading() const override { return C::reading; }
    void operator()(std::string_view name, bool& value) override { container_(name, value); }
    void operator()(std::string_view name, double& value) override { container_(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { container_(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { container_(name, value); }
    void operator()(std::string_view name, std::string& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<double>& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<std::int64_t>& value) override { container_(name, value); }
    void operator()(std::string_view name, std::vector<std::string>& value) override { container_(name, value); }
    void operator()(std::string_view name, Matrix& value) override { container_(name, value); }
    void sharded(std::string_view name, const ShardedField& field) override { container_.sharded(name, field); }
    bool has_items(std::string_view name, std::int64_t items) override {
        if constexpr (C::reading)
            return container_.has_items(name, items);
        else
            return true;
    }
    void read_among(const parallel::Communicator& some, const std::function<void()>& read) override {
        if constexpr (C::reading)
            container_.among(some, read);
        else
            read();
    }
    void enter(std::string_view group) override { container_.enter(group); }
    void leave() override { container_.leave(); }

  private:
    C& container_;
};

} // namespace pearlite::io
