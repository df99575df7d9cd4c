#pragma once
/// The grid of settings that the table [sweep] of a configuration spans: keys with lists of values, and variants.

#include "io/configuration/sweep/sweep_figures.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::io {

/// A value of a swept key, or the name of a variant.
struct SweptValue {
    std::string text;                  ///< as tables show it
    std::optional<double> number = {}; ///< if it is one
    bool is_whole = false;             ///< the number is an integer of TOML
};

/// A dimension of the grid: a key ("algorithm.chains"), or a family of variants.
struct SweepAxis {
    std::string name;
    std::vector<SweptValue> values;
    bool is_of_models = false; ///< its values set keys of [model]
};

/// How the lists of keys go together. Variants are crossed with them in either case.
enum class SweepCombination { crossed, zipped };

class SweepGrid {
  public:
    /// Reads the entries of [sweep] that were not asked for before. InputError, with file, line and key, for an entry
    /// that is no list of values, no variant and no figure; for empty lists, zipped lists of different lengths, and
    /// keys that two entries set; and for figures against a key that is no axis.
    SweepGrid(const Configuration& configuration, SweepCombination combination);
    ~SweepGrid();
    SweepGrid(SweepGrid&&) noexcept;

    const std::vector<SweepAxis>& axes() const { return axes_; }
    Index settings() const { return settings_; }
    const std::vector<SweepFigure>& figures() const { return figures_; }
    /// The value that a setting has on an axis. The last axis runs fastest.
    const SweptValue& value(Index setting, std::size_t axis) const;
    /// The number of that value.
    std::size_t value_number(Index setting, std::size_t axis) const;
    /// The setting that has an axis's first value in place of this one's, and the same of all other axes. Zipped axes
    /// count as one, the first of them; for the others it is the setting itself.
    Index reference(Index setting, std::size_t axis) const;
    /// The least `replicates` of the setting's variants, if one of them has that key.
    std::optional<Index> most_replicates(Index setting) const;
    /// Whether a list or a variant sets this key.
    bool sets(const std::string& key) const;
    /// A mistake about a key of [sweep], "sweep.fit", with its file and line.
    InputError mistake(const std::string& key, const std::string& message) const;
    /// "algorithm.chains = 4, variant = VFSA".
    std::string describe(Index setting) const;
    /// The configuration of a setting, without [sweep]; `overrides` as for Configuration::load. Messages about swept
    /// values point to their lines.
    Configuration configuration(Index setting, const std::vector<std::string>& overrides = {}) const;

  private:
    struct Implementation;

    std::unique_ptr<Implementation> implementation_;
    std::vector<SweepAxis> axes_;
    std::vector<SweepFigure> figures_;
    std::vector<std::size_t> strides_; ///< of each axis in the number of a setting
    Index settings_ = 1;
};

} // namespace pearlite::io
