#pragma once
/// The fields that a state lists, on their way to ranks that do not hold the state.

#include "core/fields.hpp"

#include <variant>

namespace pearlite {

/// Remembers the fields that a state lists, and lists them again. As a state it can be stored and restored; for sharded
/// fields the restored list has type and size, but no items.
class FieldList final : public Fields {
  public:
    bool is_reading() const override { return false; }
    void operator()(std::string_view name, bool& value) override { add(name, value); }
    void operator()(std::string_view name, double& value) override { add(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { add(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { add(name, value); }
    void operator()(std::string_view name, std::string& value) override { add(name, value); }
    void operator()(std::string_view name, std::vector<double>& value) override { add(name, value); }
    void operator()(std::string_view name, std::vector<std::int64_t>& value) override { add(name, value); }
    void operator()(std::string_view name, std::vector<std::string>& value) override { add(name, value); }
    void operator()(std::string_view name, Matrix& value) override { add(name, value); }
    void sharded(std::string_view name, const ShardedField& field) override { add(name, field); }
    void enter(std::string_view group) override;
    void leave() override;

    /// Lists everything to `f`, in the same order, under full names.
    void list_to(Fields& f);
    void fields(Fields& f);

  private:
    using Value = std::variant<bool, double, std::int64_t, std::uint64_t, std::string, std::vector<double>,
                               std::vector<std::int64_t>, std::vector<std::string>, Matrix, ShardedField>;
    struct Entry {
        std::string name; ///< with its groups
        Value value;
    };
    template <class T>
    void add(std::string_view name, const T& value) {
        entries_.push_back({prefix_ + std::string(name), value});
    }

    std::vector<Entry> entries_;
    std::string prefix_;
};

} // namespace pearlite
