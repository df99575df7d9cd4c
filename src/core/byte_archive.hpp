#pragma once
/// Fields in memory: a state's list of fields, written to bytes and read back in the same order.

#include "pearlite/core/detail/contract.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace pearlite {

/// Appends values; names and groups only document.
class ByteWriter {
  public:
    static constexpr bool reading = false;

    template <class T>
    void operator()(std::string_view, const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        append(std::as_bytes(std::span(&value, 1)));
    }
    template <class T>
    void operator()(std::string_view name, const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        (*this)(name, values.size());
        append(std::as_bytes(std::span(values)));
    }
    void enter(std::string_view) {}
    void leave() {}
    const std::vector<std::byte>& bytes() const { return bytes_; }

  private:
    void append(std::span<const std::byte> bytes) {
        const std::size_t before = bytes_.size();
        bytes_.resize(before + bytes.size());
        if (!bytes.empty())
            std::memcpy(bytes_.data() + before, bytes.data(), bytes.size());
    }
    std::vector<std::byte> bytes_;
};

/// Reads the bytes of a ByteWriter; ContractViolation beyond the end.
class ByteReader {
  public:
    static constexpr bool reading = true;

    explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    template <class T>
    void operator()(std::string_view, T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        take(std::as_writable_bytes(std::span(&value, 1)));
    }
    template <class T>
    void operator()(std::string_view name, std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        std::size_t size = 0;
        (*this)(name, size);
        PEARLITE_EXPECTS(size <= rest_.size() / sizeof(T));
        values.resize(size);
        take(std::as_writable_bytes(std::span(values)));
    }
    void enter(std::string_view) {}
    void leave() {}
    /// The number of bytes that have not been read.
    std::size_t left() const { return rest_.size(); }

  private:
    void take(std::span<std::byte> to) {
        PEARLITE_EXPECTS(to.size() <= rest_.size());
        if (!to.empty())
            std::memcpy(to.data(), rest_.data(), to.size());
        rest_ = rest_.subspan(to.size());
    }
    std::span<const std::byte> rest_;
};

} // namespace pearlite
