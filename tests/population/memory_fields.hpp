#pragma once
/// Fields in memory in place of files: one state writes its fields, and another reads them.

#include "core/fields.hpp"
#include "parallel/communicator.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace pearlite::testing_support {

/// The fields of a state: bytes by name; sharded fields have the items of all ranks, in global order.
using Stored = std::map<std::string, std::vector<std::byte>>;

/// Both directions; `reading` says which.
class MemoryFields final : public Fields {
  public:
    MemoryFields(const parallel::Communicator& ranks, Stored& stored, bool reading)
        : ranks_(ranks), stored_(stored), reading_(reading) {}

    bool is_reading() const override { return reading_; }
    void operator()(std::string_view name, bool& value) override { number(name, value); }
    void operator()(std::string_view name, double& value) override { number(name, value); }
    void operator()(std::string_view name, std::int64_t& value) override { number(name, value); }
    void operator()(std::string_view name, std::uint64_t& value) override { number(name, value); }
    void operator()(std::string_view name, std::string& value) override { resizable(name, value); }
    void operator()(std::string_view name, std::vector<double>& values) override { resizable(name, values); }
    void operator()(std::string_view name, std::vector<std::int64_t>& values) override { resizable(name, values); }
    void operator()(std::string_view name, std::vector<std::string>& values) override {
        auto count = static_cast<std::int64_t>(values.size());
        enter(name);
        number("size", count);
        values.resize(static_cast<std::size_t>(count));
        for (std::size_t k = 0; k < values.size(); ++k)
            resizable(std::to_string(k), values[k]);
        leave();
    }
    void operator()(std::string_view name, Matrix& matrix) override {
        Index rows = matrix.rows(), columns = matrix.cols();
        number(std::string(name) + "-rows", rows);
        number(std::string(name) + "-columns", columns);
        matrix.resize(rows, columns);
        bytes(name, std::as_writable_bytes(std::span(matrix.data(), static_cast<std::size_t>(matrix.size()))));
    }
    void sharded(std::string_view name, const ShardedField& field) override {
        std::vector<std::byte> local(static_cast<std::size_t>(field.local) * field.item_bytes);
        if (reading_) {
            const auto& all = stored_.at(path_of(name));
            ASSERT_EQ(all.size(), static_cast<std::size_t>(field.items) * field.item_bytes);
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(field.first_local) *
                                                 static_cast<std::ptrdiff_t>(field.item_bytes);
            std::copy_n(first, local.size(), local.begin());
        }
        // In two parts, as a file's buffers may be.
        const Index half = field.local / 2;
        const std::span<std::byte> first = std::span(local).first(static_cast<std::size_t>(half) * field.item_bytes),
                                   second = std::span(local).subspan(first.size());
        if (reading_) {
            field.unpack(0, half, first);
            field.unpack(half, field.local - half, second);
        } else {
            field.pack(half, field.local - half, second);
            field.pack(0, half, first);
            stored_[path_of(name)] = ranks_.all_gather(std::span<const std::byte>(local));
        }
    }
    /// A field of any type has its items, or is not there.
    bool has_items(std::string_view name, std::int64_t /*items*/) override {
        return !reading_ || stored_.count(path_of(name)) > 0;
    }
    void enter(std::string_view group) override { prefix_ += std::string(group) + "/"; }
    void leave() override { prefix_.erase(prefix_.rfind('/', prefix_.size() - 2) + 1); }

  private:
    std::string path_of(std::string_view name) const { return prefix_ + std::string(name); }

    template <class T>
    void number(std::string_view name, T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(name, std::as_writable_bytes(std::span(&value, 1)));
    }
    template <class Values>
    void resizable(std::string_view name, Values& values) {
        if (reading_)
            values.resize(stored_.at(path_of(name)).size() / sizeof(values[0]));
        bytes(name, std::as_writable_bytes(std::span(values.data(), values.size())));
    }
    void bytes(std::string_view name, std::span<std::byte> value) {
        if (!reading_) {
            stored_[path_of(name)].assign(value.begin(), value.end());
            return;
        }
        const auto& from = stored_.at(path_of(name));
        ASSERT_EQ(from.size(), value.size()) << name;
        std::copy(from.begin(), from.end(), value.begin());
    }

    parallel::Communicator ranks_;
    Stored& stored_;
    bool reading_;
    std::string prefix_;
};

template <class State>
Stored store(const parallel::Communicator& ranks, State& state) {
    Stored stored;
    MemoryFields fields(ranks, stored, false);
    state.fields(fields);
    return stored;
}
template <class State>
void restore(const parallel::Communicator& ranks, Stored& stored, State& state) {
    MemoryFields fields(ranks, stored, true);
    state.fields(fields);
}

} // namespace pearlite::testing_support
