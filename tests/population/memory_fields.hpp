#pragma once
/// Fields in memory, in the place of files: what a state lists is written here and read back by another.

#include "pearlite/core/sharded_field.hpp"
#include "pearlite/parallel/communicator.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace pearlite::testing_support {

/// What a state wrote: the bytes of every name; sharded fields as all ranks hold them together, in global order.
using Stored = std::map<std::string, std::vector<std::byte>>;

/// Both directions; `reading` says which.
class MemoryFields {
  public:
    MemoryFields(const parallel::Communicator& ranks, Stored& stored, bool reading)
        : ranks_(ranks), stored_(stored), reading_(reading) {}

    template <class T>
    void operator()(const std::string& name, T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes(name, std::as_writable_bytes(std::span(&value, 1)));
    }
    template <class T>
    void operator()(const std::string& name, std::vector<T>& values) {
        if (reading_)
            values.resize(stored_.at(prefix_ + name).size() / sizeof(T));
        bytes(name, std::as_writable_bytes(std::span(values)));
    }
    void operator()(const std::string& name, Matrix& matrix) {
        Index rows = matrix.rows(), columns = matrix.cols();
        (*this)(name + "-rows", rows);
        (*this)(name + "-columns", columns);
        matrix.resize(rows, columns);
        bytes(name, std::as_writable_bytes(std::span(matrix.data(), static_cast<std::size_t>(matrix.size()))));
    }
    void sharded(const std::string& name, const ShardedField& field) {
        std::vector<std::byte> local(static_cast<std::size_t>(field.local) * field.item_bytes);
        if (reading_) {
            const auto& all = stored_.at(prefix_ + name);
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
            stored_[prefix_ + name] = ranks_.all_gather(std::span<const std::byte>(local));
        }
    }
    void enter(const std::string& group) { prefix_ += group + "/"; }
    void leave() { prefix_.erase(prefix_.rfind('/', prefix_.size() - 2) + 1); }

  private:
    void bytes(const std::string& name, std::span<std::byte> value) {
        if (!reading_) {
            stored_[prefix_ + name].assign(value.begin(), value.end());
            return;
        }
        const auto& from = stored_.at(prefix_ + name);
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
    state.prepare();
}

} // namespace pearlite::testing_support
