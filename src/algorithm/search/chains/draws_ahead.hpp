#pragma once
/// Random numbers of iterations to come.

#include "random/lanes.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// The first numbers of the streams with ids `id`, `id` + 1, ... at a step, drawn for some steps together: by
/// themselves they would take the latency of the generator in each iteration, and no time else.
class DrawsAhead {
  public:
    using Fill = void (*)(const random::Address& address, Index n, std::span<double> out);

    /// `n` streams, a multiple of lane_padding; `fill` is a function of random/lanes.hpp for many steps.
    DrawsAhead(Fill fill, const random::Address& address, Index n)
        : fill_(fill),
          address_(address),
          n_(n),
          steps_(std::clamp<Index>(most_numbers / std::max<Index>(n, 1), 1, most_steps)),
          numbers_(static_cast<std::size_t>(steps_ * n)) {}

    /// The numbers of a step, until the next call.
    std::span<const double> at(Index step) {
        if (step < first_ || step >= first_ + steps_) {
            first_ = step;
            address_.step = static_cast<std::uint32_t>(step);
            fill_(address_, n_, numbers_);
        }
        return std::span<const double>(numbers_).subspan(static_cast<std::size_t>((step - first_) * n_),
                                                         static_cast<std::size_t>(n_));
    }

  private:
    static constexpr Index most_numbers = 512, most_steps = 32;

    Fill fill_;
    random::Address address_;
    Index n_, steps_, first_ = -most_steps; ///< of the numbers that are there
    std::vector<double> numbers_;
};

} // namespace pearlite::algorithm
