#pragma once
/// The typed collectives over the byte forms. Included by communicator.hpp alone.

#include "parallel/communicator.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace pearlite::parallel {

namespace detail {

template <class T>
struct IsSpan : std::false_type {};
template <class T, std::size_t extent>
struct IsSpan<std::span<T, extent>> : std::true_type {};

/// Whether values of T can be sent: trivially copyable, and no address of this rank's memory.
template <class T>
inline constexpr bool is_plain_value = std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !IsSpan<T>::value;

template <class T>
std::vector<T> values_of(std::span<const std::byte> bytes) {
    PEARLITE_EXPECTS(bytes.size() % sizeof(T) == 0);
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty())
        std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

} // namespace detail

template <class T>
std::vector<T> Communicator::all_gather(const T& value) const {
    static_assert(detail::is_plain_value<T>, "ranks send values (for many of them, pass a std::span<const T>)");
    std::vector<T> all(static_cast<std::size_t>(size()));
    all_gather(std::span(&value, 1), std::span(all));
    return all;
}

template <class T>
std::vector<T> Communicator::all_gather(std::span<const T> values) const {
    static_assert(detail::is_plain_value<T>, "ranks send plain values");
    return detail::values_of<T>(all_gather_bytes(std::as_bytes(values)));
}

template <class T>
void Communicator::all_gather(std::span<const T> values, std::span<T> all) const {
    static_assert(detail::is_plain_value<T>, "ranks send plain values");
    all_gather_bytes(std::as_bytes(values), std::as_writable_bytes(all));
}

template <class T>
std::vector<T> Communicator::gather(std::span<const T> values, int root) const {
    static_assert(detail::is_plain_value<T>, "ranks send plain values");
    return detail::values_of<T>(gather_bytes(std::as_bytes(values), root));
}

template <class T>
std::vector<std::vector<T>> Communicator::all_to_all(const std::vector<std::vector<T>>& outgoing) const {
    static_assert(detail::is_plain_value<T>, "ranks send plain values");
    std::vector<std::span<const std::byte>> outgoing_bytes;
    outgoing_bytes.reserve(outgoing.size());
    for (const std::vector<T>& values : outgoing)
        outgoing_bytes.push_back(std::as_bytes(std::span(values)));
    std::vector<std::vector<T>> incoming;
    incoming.reserve(outgoing.size());
    for (const std::vector<std::byte>& bytes : all_to_all_bytes(outgoing_bytes))
        incoming.push_back(detail::values_of<T>(bytes));
    return incoming;
}

} // namespace pearlite::parallel
