#include "models/mixed_logistic/mixed_logistic_kernels.hpp"

#include <numeric>

namespace pearlite::models {

Index SubjectGroups::most_rows() const {
    return first_row.size() > 1 ? first_row[1] : 0;
}

namespace {

/// A predictor so large that its response is certain: exp(-700) is all that the arithmetic keeps.
constexpr double certain = 800;
/// Number of each row's subject in order of first appearance.
std::vector<Index> numbered_subjects(const std::vector<Index>& labels) {
    std::map<Index, Index> numbers;
    std::vector<Index> result;
    result.reserve(labels.size());
    for (const Index label : labels)
        result.push_back(numbers.try_emplace(label, static_cast<Index>(numbers.size())).first->second);
    return result;
}

std::vector<std::vector<Index>> rows_of_subjects(const std::vector<Index>& labels) {
    std::vector<std::vector<Index>> rows;
    const auto subjects = numbered_subjects(labels);
    for (std::size_t row = 0; row < subjects.size(); ++row) {
        rows.resize(std::max(rows.size(), static_cast<std::size_t>(subjects[row]) + 1));
        rows[static_cast<std::size_t>(subjects[row])].push_back(static_cast<Index>(row));
    }
    return rows;
}

/// Subjects by falling numbers of rows.
std::vector<std::size_t> sorted_subjects(const std::vector<std::vector<Index>>& rows) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return rows[a].size() > rows[b].size(); });
    return order;
}

SubjectGroups grouped(const MixedLogisticSettings& s, const std::vector<std::vector<Index>>& rows,
                      const std::vector<std::size_t>& order) {
    constexpr Index width = SubjectGroups::width;
    SubjectGroups groups;
    groups.n_subjects = static_cast<Index>(rows.size());
    groups.first_row = {0};
    for (Index first = 0; first < groups.n_subjects; first += width)
        groups.first_row.push_back(groups.first_row.back() +
                                   static_cast<Index>(rows[order[static_cast<std::size_t>(first)]].size()));
    const Index n = groups.first_row.back(), p = s.design.cols(), q = s.effects_design.cols();
    groups.design = Matrix::Zero(width, n * p);
    groups.effects = Matrix::Zero(width, n * q);
    groups.missing = Matrix::Constant(width, n, certain);
    for (Index place = 0; place < groups.n_subjects; ++place) {
        Index to = groups.first_row[static_cast<std::size_t>(place / width)];
        const Index lane = place % width;
        for (const Index row : rows[order[static_cast<std::size_t>(place)]]) {
            const double sign = 2 * s.response(row) - 1;
            for (Index k = 0; k < p; ++k)
                groups.design(lane, to * p + k) = sign * s.design(row, k);
            for (Index k = 0; k < q; ++k)
                groups.effects(lane, to * q + k) = sign * s.effects_design(row, k);
            groups.missing(lane, to++) = 0;
        }
    }
    return groups;
}

} // namespace

SubjectGroups detail::group_subjects(const MixedLogisticSettings& s, std::vector<Index>& place) {
    const auto rows = rows_of_subjects(s.subject);
    const auto order = sorted_subjects(rows);
    place.resize(order.size());
    for (std::size_t to = 0; to < order.size(); ++to)
        place[order[to]] = static_cast<Index>(to);
    return grouped(s, rows, order);
}

} // namespace pearlite::models
