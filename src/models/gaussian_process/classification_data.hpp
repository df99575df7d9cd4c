#pragma once
/// Points of two classes.

#include "models/common/table.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::models {

struct ClassifiedPoints {
    Matrix inputs;           ///< inputs x points
    Vector classes;          ///< 1 or -1
    std::vector<Index> rows; ///< the place of each point in its file, the first being 0
    Index size() const { return classes.size(); }
};

/// The training points and the held-out points.
struct ClassificationData {
    ClassifiedPoints training, test;
    Observed observed = {}; ///< the training points' classes
};

/// Transformation of the inputs.
enum class InputScaling {
    none,
    standardise, ///< mean 0 and variance 1 over the training points, each input
    symmetric    ///< 2 x - 1: of pixels in [0, 1]
};

struct ClassificationSettings {
    std::filesystem::path file;
    std::optional<std::filesystem::path> test_file; ///< a table beside a table: its rows are held out
    std::string label;                              ///< the column with the class; empty: class_role()
    std::vector<std::string> inputs;                ///< columns of a table; empty: all other defaults
    MissingKeys missing;                            ///< of tables
    std::vector<double> classes;                    ///< the two that count, the first being -1; empty: the file has two
    std::optional<Index> training_rows; ///< number of training rows, drawn at random; the others are held out
    std::uint64_t split_seed = 1;
    InputScaling scaling = InputScaling::standardise;
};

/// The column of the class where no key names it.
const Role& class_role();

/// A table with a header line (.csv), whose classes may be words; or an HDF5 file with `train/data` and
/// `train/target`, and perhaps `test/data` and `test/target`, whose rows are held out. With training_rows all rows of
/// the file, one part after the other, are dealt anew. InputError for files of another form.
/// `remarks`: sentences on the columns of a table that no key names.
ClassificationData read_classification(const ClassificationSettings& settings,
                                       std::vector<std::string>* remarks = nullptr);

/// Orders of the points, in which a model grows: the classes in turns; each next one the farthest from those before it.
std::vector<Index> alternating_order(const Vector& classes);
std::vector<Index> farthest_order(const Matrix& inputs);

} // namespace pearlite::models
