#pragma once
/// The fields of a state in the memory of a rank: on their way to a file that holds many states, or between ranks.

#include "core/byte_archive.hpp"
#include "core/fields.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pearlite {

/// Replicated values as bytes in the order in which they were listed, and of each sharded field this rank's items.
struct StoredFields {
    struct Shard {
        std::string name; ///< with its groups
        ItemType type = ItemType::bytes;
        std::size_t item_bytes = 0;
        Index items = 0, first_local = 0, local = 0;
        std::vector<std::byte> data; ///< local * item_bytes
    };
    std::vector<std::byte> values;
    std::vector<Shard> shards;
};

/// Stores the fields that a state lists.
class StoringFields final : public Fields {
  public:
    bool is_reading() const override { return false; }
    void operator()(std::string_view name, bool& value) override { writer_(name, value); }
    void operator()(std::string_view name, double& value) override { writer_(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { writer_(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { writer_(name, value); }
    void operator()(std::string_view name, std::string& value) override;
    void operator()(std::string_view name, std::vector<double>& value) override { writer_(name, value); }
    void operator()(std::string_view name, std::vector<std::int64_t>& value) override { writer_(name, value); }
    void operator()(std::string_view name, std::vector<std::string>& value) override;
    void operator()(std::string_view name, Matrix& value) override;
    void sharded(std::string_view name, const ShardedField& field) override;
    void enter(std::string_view group) override;
    void leave() override;

    StoredFields take();

  private:
    ByteWriter writer_;
    std::string prefix_;
    std::vector<StoredFields::Shard> shards_;
};

/// Gives a state that lists the same fields their values back. A shard's items may have been stored with more bytes
/// than are asked for: the first ones count. ContractViolation for a shard that was not stored, or was cut otherwise.
class RestoringFields final : public Fields {
  public:
    /// `stored` must outlive this object.
    explicit RestoringFields(const StoredFields& stored) : stored_(stored), reader_(stored.values) {}

    bool is_reading() const override { return true; }
    void operator()(std::string_view name, bool& value) override { reader_(name, value); }
    void operator()(std::string_view name, double& value) override { reader_(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { reader_(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { reader_(name, value); }
    void operator()(std::string_view name, std::string& value) override;
    void operator()(std::string_view name, std::vector<double>& value) override { reader_(name, value); }
    void operator()(std::string_view name, std::vector<std::int64_t>& value) override { reader_(name, value); }
    void operator()(std::string_view name, std::vector<std::string>& value) override;
    void operator()(std::string_view name, Matrix& value) override;
    void sharded(std::string_view name, const ShardedField& field) override;
    /// Values have no names: a state lists one that may be absent after all others.
    bool has_items(std::string_view /*name*/, std::int64_t /*items*/) override { return left() > 0; }
    void enter(std::string_view group) override;
    void leave() override;

    /// Bytes of replicated values that nobody asked for.
    std::size_t left() const { return reader_.left(); }

  private:
    const StoredFields& stored_;
    ByteReader reader_;
    std::string prefix_;
};

/// The fields of a state. Collective where the state's are.
template <class State>
StoredFields store(State& state) {
    StoringFields fields;
    state.fields(fields);
    return fields.take();
}
template <class State>
void restore(State& state, const StoredFields& stored) {
    RestoringFields fields(stored);
    state.fields(fields);
    PEARLITE_ENSURES(fields.left() == 0);
}

/// One after another in a longer run of bytes: each with its length before it.
void append_piece(std::vector<std::byte>& to, std::span<const std::byte> piece);
/// The first piece of `rest`, which then begins behind it. ContractViolation beyond the end.
std::span<const std::byte> take_piece(std::span<const std::byte>& rest);

/// Bytes as a replicated value, in whole 64-bit words.
void bytes_field(Fields& f, std::string_view name, std::vector<std::byte>& bytes);

} // namespace pearlite
