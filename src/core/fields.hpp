#pragma once
/// The visitor to which a state lists its fields, once: it writes them, or reads them back.

#include "pearlite/core/types.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite::parallel {
class Communicator;
}

namespace pearlite {

/// The type of an item's bytes, so that other programs can read the files: `bytes` is opaque.
enum class ItemType { bytes, float64, int64 };

/// A field that the ranks hold together, in the form that files need: items of equal size, of which each rank holds a
/// contiguous run. Items 0 .. items-1 in global order, of which this rank holds [first_local, first_local + local). The
/// functions copy `count` items from local position `first` (0-based on this rank) to or from `count * item_bytes`
/// bytes.
struct ShardedField {
    ItemType type = ItemType::bytes;
    std::size_t item_bytes = 0; ///< bytes of an item; for float64 and int64 a multiple of 8
    Index items = 0;
    Index first_local = 0;
    Index local = 0;
    std::function<void(Index first, Index count, std::span<std::byte> out)> pack;
    std::function<void(Index first, Index count, std::span<const std::byte> in)> unpack;
};

/// Replicated values are those of rank 0 when written, and the same on every rank once read. All calls are collective
/// where files are.
class Fields {
  public:
    virtual ~Fields() = default;
    virtual bool is_reading() const = 0;

    virtual void operator()(std::string_view name, bool& value) = 0;
    virtual void operator()(std::string_view name, double& value) = 0;
    virtual void operator()(std::string_view name, std::int64_t& value) = 0;
    virtual void operator()(std::string_view name, std::uint64_t& value) = 0;
    virtual void operator()(std::string_view name, std::string& value) = 0;
    virtual void operator()(std::string_view name, std::vector<double>& value) = 0;
    virtual void operator()(std::string_view name, std::vector<std::int64_t>& value) = 0;
    virtual void operator()(std::string_view name, std::vector<std::string>& value) = 0;
    virtual void operator()(std::string_view name, Matrix& value) = 0; ///< rows x columns

    /// Items of which each rank holds a contiguous run. When written, the field must stay valid until all are.
    virtual void sharded(std::string_view name, const ShardedField& field) = 0;
    /// Whether the file being read has a field of that name with this number of items; true when written.
    virtual bool has_items(std::string_view /*name*/, std::int64_t /*items*/) { return true; }

    /// Reading by some of the ranks, of which this rank is one: the calls in `read` are collective among these.
    virtual void read_among(const parallel::Communicator& /*some*/, const std::function<void()>& read) { read(); }

    /// All names until leave() belong to this group.
    virtual void enter(std::string_view group) = 0;
    virtual void leave() = 0;
};

/// A part of a state, which lists its own fields, in a group.
template <class Part>
void group(Fields& f, std::string_view name, Part& part) {
    f.enter(name);
    part.fields(f);
    f.leave();
}

} // namespace pearlite
