#pragma once
/// Mutations of bytes, by a stream of random numbers.

#include "pearlite/random/stream.hpp"

#include <string>
#include <vector>

namespace pearlite::fuzz {

/// One of `choices`, which are not empty.
template <class T>
const T& one_of(const std::vector<T>& choices, random::Stream& stream) {
    return choices[stream.index(choices.size())];
}

/// One to a few changes: bits, bytes, numbers in text, pieces cut, doubled, moved, or taken from `other`; or the end is
/// cut off. Often no change but of a number, which stays valid most often.
std::string mutated_bytes(std::string input, const std::string& other, random::Stream& stream);

/// A number as text that readers get wrong: too large, too long, not finite, nearly one.
std::string odd_number(random::Stream& stream);

} // namespace pearlite::fuzz
