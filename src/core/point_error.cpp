#include "pearlite/core/detail/point_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite {

namespace {

constexpr std::size_t most_told = 12;

template <class Tell>
std::string told(std::size_t n, const Tell& tell) {
    std::string text;
    for (std::size_t k = 0; k < std::min(n, most_told); ++k)
        text += (k == 0 ? "" : ", ") + tell(k);
    return n > most_told ? text + fmt::format(" and {} more", n - most_told) : text;
}

} // namespace

PointError::PointError(const ErrorReport& cause, Index point, const std::string& coordinates)
    : Error(cause.kind, cause.message + (coordinates.empty() ? "" : ": " + coordinates)),
      cause_(cause.message),
      coordinates_(coordinates),
      point_(point) {}

void PointError::throw_at(const std::string& place) const {
    throw_error(kind(), cause_ + " at " + place + (coordinates_.empty() ? "" : ": " + coordinates_));
}

std::string named_coordinates(const std::vector<std::string>& names, std::span<const double> x) {
    return told(std::min(names.size(), x.size()),
                [&](std::size_t k) { return fmt::format("{} = {:.9g}", names[k], x[k]); });
}

std::string listed_coordinates(std::span<const double> x) {
    return told(x.size(), [&](std::size_t k) { return fmt::format("{:.9g}", x[k]); });
}

} // namespace pearlite
