#pragma once
/// Errors at one of many points: thrown where only the point is known, completed where its particle or chain is.

#include "pearlite/core/error.hpp"

#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

namespace pearlite {

class PointError : public Error {
  public:
    /// `cause`: the message of the error. `point`: its index among the evaluated points. `coordinates`: "x = 1.2, y =
    /// 3".
    PointError(const ErrorReport& cause, Index point, const std::string& coordinates);
    Index point() const { return point_; }
    /// Throws the cause as "... at step 5, particle 17: x = 1.2, y = 3" for the place "step 5, particle 17".
    [[noreturn]] void throw_at(const std::string& place) const;

  private:
    std::string cause_, coordinates_;
    Index point_;
};

/// "x = 1.2, y = 3". In many dimensions the text has the first coordinates and the number of the others.
std::string named_coordinates(const std::vector<std::string>& names, std::span<const double> x);
/// "1.2, 3": the same without names.
std::string listed_coordinates(std::span<const double> x);

/// Calls visit(i) for the points 0 .. n - 1. Turns an exception into a PointError with coordinates(i), except for lack
/// of memory, which is no fault of a point.
template <class Visit, class Coordinates>
void at_each_point(Index n, const Visit& visit, const Coordinates& coordinates) {
    Index i = 0;
    try {
        for (; i < n; ++i)
            visit(i);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const PointError&) {
        throw;
    } catch (...) {
        throw PointError(describe(std::current_exception()), i, coordinates(i));
    }
}

} // namespace pearlite
