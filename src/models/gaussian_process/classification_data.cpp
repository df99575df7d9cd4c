#include "models/gaussian_process/classification_data.hpp"

#include "models/common/orders.hpp"
#include "pearlite/io/arrays.hpp"

#include <fmt/format.h>

#include <set>

namespace pearlite::models {

namespace {

/// Points x inputs, and a label each; the first n_training are learnt from.
struct LabelledRows {
    Matrix inputs;
    Vector labels;
    Index n_training = labels.size();
    Observed observed = {}; ///< the rows to learn from, if they are of a table
};

/// The columns of a table that are read, and remarks on them.
struct ChosenColumns {
    std::string label;
    std::vector<std::string> inputs, remarks;
};

ChosenColumns chosen_columns(const io::Frame& frame, const ClassificationSettings& settings) {
    auto columns = columns_of(frame);
    ChosenColumns chosen{settings.label, settings.inputs, std::move(columns.remarks)};
    if (chosen.label.empty()) {
        const auto candidates = without(columns.defaults, settings.inputs);
        const auto found = class_role().default_of(columns, candidates);
        if (!found)
            throw InputError("model.label: " + class_role().objection(columns, candidates));
        chosen.label = *found;
        chosen.remarks.push_back(
            fmt::format("the column '{}' of {} has the classes, since no key names one", *found, columns.source));
    }
    if (chosen.inputs.empty())
        chosen.inputs = without(columns.defaults, std::vector{chosen.label});
    if (chosen.inputs.empty())
        throw InputError(fmt::format("{}: 1 column, expected a class and at least one input", frame.source()));
    return chosen;
}

/// Classes that are words are 0, 1, ... in the order of `words`, which are those of the first table.
LabelledRows labelled_rows(io::Frame frame, const ClassificationSettings& settings, const ChosenColumns& columns,
                           std::vector<std::string>& words) {
    const auto& [label, inputs, remarks] = columns;
    auto needed = inputs;
    needed.push_back(label);
    auto table = settings.missing.apply(frame, needed);
    LabelledRows rows{
        Matrix(frame.rows(), std::ssize(inputs)), Vector(frame.rows()), frame.rows(), {label, std::move(table)}};
    if (words.empty() && frame.is_numeric(frame.column(label))) {
        rows.labels = frame.numbers(label);
    } else {
        if (words.empty())
            words = frame.levels(label);
        const auto codes = frame.codes(label, words);
        std::ranges::transform(codes, rows.labels.begin(), [](Index code) { return static_cast<double>(code); });
    }
    for (std::size_t k = 0; k < inputs.size(); ++k)
        rows.inputs.col(static_cast<Index>(k)) = frame.numbers(inputs[k]);
    return rows;
}

/// The rows of `more`, which are not learnt from, under the others.
LabelledRows with_held_out(const LabelledRows& rows, const LabelledRows& more) {
    LabelledRows all{Matrix(rows.inputs.rows() + more.inputs.rows(), rows.inputs.cols()),
                     Vector(rows.labels.size() + more.labels.size()), rows.labels.size(), rows.observed};
    all.inputs << rows.inputs, more.inputs;
    all.labels << rows.labels, more.labels;
    return all;
}

LabelledRows read_tables(const ClassificationSettings& settings, std::vector<std::string>* remarks) {
    const auto table = io::Frame::read(settings.file);
    const auto columns = chosen_columns(table, settings);
    if (remarks)
        *remarks = columns.remarks;
    std::vector<std::string> words;
    auto rows = labelled_rows(table, settings, columns, words);
    if (!settings.test_file)
        return rows;
    const auto other = io::Frame::read(*settings.test_file);
    if (other.names() != table.names())
        throw InputError(fmt::format("{}: other columns than in {}; expected the same names in the same order",
                                     other.source(), table.source()));
    return with_held_out(rows, labelled_rows(other, settings, columns, words));
}

LabelledRows read_groups(const std::filesystem::path& file) {
    constexpr Index most = Index{1} << 24;
    const auto read = [&](const std::string& group) {
        LabelledRows rows{io::read_hdf5_rows(file, group + "/data", most),
                          io::read_hdf5_rows(file, group + "/target", most).col(0)};
        if (rows.inputs.rows() != rows.labels.size())
            throw InputError(fmt::format("{}: {}/data has {} rows and {}/target {}, expected as many", file.string(),
                                         group, rows.inputs.rows(), group, rows.labels.size()));
        return rows;
    };
    auto rows = read("train");
    try {
        const auto more = read("test");
        if (more.inputs.cols() != rows.inputs.cols())
            throw InputError(fmt::format("{}: rows of {} numbers in train/data and {} in test/data", file.string(),
                                         rows.inputs.cols(), more.inputs.cols()));
        rows = with_held_out(rows, more);
    } catch (const InputError& error) {
        if (std::string(error.what()).find("is missing") == std::string::npos)
            throw;
    }
    return rows;
}

/// The rows of the two classes, with the place of each among all rows.
ClassifiedPoints points_of_classes(const LabelledRows& rows, std::vector<double> classes, const std::string& source) {
    if (classes.empty()) {
        const std::set<double> found(rows.labels.begin(), rows.labels.end());
        if (found.size() != 2)
            throw InputError(
                fmt::format("{}: {} classes, expected two; model.classes can name two of them", source, found.size()));
        classes.assign(found.begin(), found.end());
    }
    std::vector<Index> kept;
    for (Index i = 0; i < rows.labels.size(); ++i)
        if (rows.labels(i) == classes[0] || rows.labels(i) == classes[1])
            kept.push_back(i);
    ClassifiedPoints points{Matrix(rows.inputs.cols(), std::ssize(kept)), Vector(std::ssize(kept)), kept};
    for (std::size_t k = 0; k < kept.size(); ++k) {
        points.inputs.col(static_cast<Index>(k)) = rows.inputs.row(kept[k]).transpose();
        points.classes(static_cast<Index>(k)) = rows.labels(kept[k]) == classes[1] ? 1 : -1;
    }
    if (points.size() == 0 || points.classes.maxCoeff() == points.classes.minCoeff())
        throw InputError(fmt::format("{}: no row of class {:g}, or of class {:g}", source, classes[0], classes[1]));
    return points;
}

ClassifiedPoints chosen(const ClassifiedPoints& points, std::span<const Index> which) {
    ClassifiedPoints some{Matrix(points.inputs.rows(), std::ssize(which)), Vector(std::ssize(which)), {}};
    for (std::size_t k = 0; k < which.size(); ++k) {
        some.inputs.col(static_cast<Index>(k)) = points.inputs.col(which[k]);
        some.classes(static_cast<Index>(k)) = points.classes(which[k]);
        some.rows.push_back(points.rows[at(which[k])]);
    }
    return some;
}

void scale(ClassificationData& data, InputScaling scaling) {
    if (scaling == InputScaling::symmetric)
        for (auto* points : {&data.training, &data.test})
            points->inputs = (2 * points->inputs.array() - 1).matrix();
    if (scaling != InputScaling::standardise)
        return;
    const Vector mean = data.training.inputs.rowwise().mean();
    const Matrix centred = data.training.inputs.colwise() - mean;
    Vector sd = (centred.rowwise().squaredNorm() / static_cast<double>(data.training.size())).cwiseSqrt();
    for (double& one : sd)
        one = one > 0 ? one : 1; // an input that does not vary says nothing
    for (auto* points : {&data.training, &data.test})
        points->inputs = sd.cwiseInverse().asDiagonal() * (points->inputs.colwise() - mean);
}

} // namespace

const Role& class_role() {
    static const Role role{"label", {"label", "class", "y", "response", "outcome", "target"}};
    return role;
}

ClassificationData read_classification(const ClassificationSettings& settings, std::vector<std::string>* remarks) {
    const auto extension = settings.file.extension();
    const bool has_groups = extension == ".h5" || extension == ".hdf5";
    if (has_groups && settings.test_file)
        throw InputError(fmt::format("{}: an HDF5 file contains its test part, expected no other test data",
                                     settings.file.string()));
    const auto rows = has_groups ? read_groups(settings.file) : read_tables(settings, remarks);
    const auto points = points_of_classes(rows, settings.classes, settings.file.string());
    Index learnt = std::ranges::lower_bound(points.rows, rows.n_training) - points.rows.begin();
    auto order = given_order(points.size());
    if (settings.training_rows) {
        learnt = *settings.training_rows;
        if (learnt > points.size())
            throw InputError(fmt::format("{}: {} rows of the two classes, of which {} cannot be learnt from",
                                         settings.file.string(), points.size(), learnt));
        order = random_order(points.size(), settings.split_seed);
        std::sort(order.begin(), order.begin() + learnt);
        std::sort(order.begin() + learnt, order.end());
    }
    const std::span<const Index> all(order);
    ClassificationData data{chosen(points, all.first(at(learnt))), chosen(points, all.subspan(at(learnt)))};
    if (data.training.size() == 0)
        throw InputError(fmt::format("{}: no row of the two classes to learn from", settings.file.string()));
    if (settings.test_file)
        for (Index& row : data.test.rows)
            row -= rows.n_training;
    scale(data, settings.scaling);
    data.observed = rows.observed;
    if (auto& table = data.observed.rows) {
        std::vector<Index> used;
        for (const Index row : data.training.rows)
            if (row < std::ssize(table->used)) // else it is of the other table
                used.push_back(table->used[at(row)]);
        if (used.size() == data.training.rows.size())
            table->used = std::move(used);
        else
            table.reset();
    }
    return data;
}

std::vector<Index> alternating_order(const Vector& classes) {
    std::vector<Index> positive, negative, order;
    for (Index i = 0; i < classes.size(); ++i)
        (classes(i) > 0 ? positive : negative).push_back(i);
    for (std::size_t k = 0; k < std::max(positive.size(), negative.size()); ++k)
        for (const auto* list : {&positive, &negative})
            if (k < list->size())
                order.push_back((*list)[k]);
    return order;
}

std::vector<Index> farthest_order(const Matrix& inputs) {
    const Index n = inputs.cols();
    Vector nearest = Vector::Constant(n, infinity); // square distance to those before
    std::vector<Index> order;
    Index next = 0;
    while (std::ssize(order) < n) {
        order.push_back(next);
        nearest = nearest.cwiseMin((inputs.colwise() - inputs.col(next)).colwise().squaredNorm().transpose());
        nearest(next) = -1;
        nearest.maxCoeff(&next);
    }
    return order;
}

} // namespace pearlite::models
