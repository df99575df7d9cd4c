#include "pearlite/core/detail/point_error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pearlite {

namespace {

constexpr std::size_t most_listed = 12;

template <class Element>
std::string listed(std::size_t n, const Element& element) {
    std::string text;
    for (std::size_t k = 0; k < std::min(n, most_listed); ++k)
        text += (k == 0 ? "" : ", ") + element(k);
    return n > most_listed ? text + fmt::format(" and {} more", n - most_listed) : text;
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
    return listed(std::min(names.size(), x.size()),
                  [&](std::size_t k) { return fmt::format("{} = {:.9g}", names[k], x[k]); });
}

std::string listed_coordinates(std::span<const double> x) {
    return listed(x.size(), [&](std::size_t k) { return fmt::format("{:.9g}", x[k]); });
}

} // namespace pearlite
