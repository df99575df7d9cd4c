#pragma once
/// Moments over replicates, and tables of them.

#include "pearlite/core/types.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::calibration {

struct Moments {
    Index n = 0;
    double mean = 0;
    double sd = 0; ///< of one value (n - 1)
};
Moments moments(std::span<const double> values);

/// Lines of a table under its head; prints as Markdown.
class Table {
  public:
    explicit Table(std::vector<std::string> head) : head_(std::move(head)) {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const;

  private:
    std::vector<std::string> head_;
    std::vector<std::vector<std::string>> rows_;
};

} // namespace pearlite::calibration
