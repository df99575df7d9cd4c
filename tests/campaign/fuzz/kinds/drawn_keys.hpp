#pragma once
/// Configurations from the list of keys: `pearlite keys` as a grammar.

#include "io/configuration/key_description.hpp"
#include "pearlite/random/stream.hpp"

#include <string>
#include <vector>

namespace pearlite::fuzz {

class DrawnKeys {
  public:
    /// `files` are the names of data files that exist.
    DrawnKeys(io::ConfigurationDescription all, std::vector<std::string> files);

    /// A configuration of a model and an algorithm that suits it, with some of their keys and few mistakes.
    std::string configuration(random::Stream& stream) const;
    /// Some lines of a configuration with other values, or away, or new.
    std::string edited(const std::string& configuration, random::Stream& stream) const;

  private:
    std::string line(const io::KeyDescription& key, random::Stream& stream) const;
    std::string value(const io::KeyDescription& key, random::Stream& stream) const;
    /// The same for a key of that name in any table.
    std::string value_of(const std::string& name, random::Stream& stream) const;

    io::ConfigurationDescription all_;
    std::vector<std::string> files_;
};

} // namespace pearlite::fuzz
