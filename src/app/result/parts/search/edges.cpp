#include "app/result/parts/search/edges.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pearlite::app {

namespace {

using algorithm::SearchOutcome;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The number of edges in the summary; edges.csv has all of them.
constexpr std::size_t most_edges = 30;
constexpr double probable = 0.5;

/// Means of the features of all replicates, and their standard errors.
std::pair<Vector, Vector> combine(const std::vector<SearchOutcome>& replicates) {
    const auto n = static_cast<Index>(replicates.size());
    const auto features = static_cast<Index>(replicates.front().averages.means.size());
    Matrix means(n, features);
    Vector squares = Vector::Zero(features);
    bool chains_differ = true;
    for (Index r = 0; r < n; ++r) {
        const auto& averages = replicates[static_cast<std::size_t>(r)].averages;
        PEARLITE_EXPECTS(static_cast<Index>(averages.means.size()) == features);
        means.row(r) = Eigen::Map<const Vector>(averages.means.data(), features).transpose();
        if (averages.errors.empty())
            chains_differ = false;
        else
            squares += Eigen::Map<const Vector>(averages.errors.data(), features).cwiseAbs2();
    }
    Vector mean = means.colwise().mean().transpose();
    const auto number = static_cast<double>(n);
    if (chains_differ)
        return {mean, squares.cwiseSqrt() / number};
    if (n == 1)
        return {mean, Vector::Constant(features, std::numeric_limits<double>::quiet_NaN())};
    const Matrix residuals = means.rowwise() - mean.transpose();
    return {mean, (residuals.colwise().squaredNorm().transpose() / (number * (number - 1))).cwiseSqrt()};
}

Matrix symmetric(const Eigen::Ref<const Vector>& upper, Index n) {
    const Matrix half = Eigen::Map<const RowMajor>(upper.data(), n, n);
    Matrix whole = half + half.transpose();
    whole.diagonal().setZero();
    return whole;
}

std::string quoted(const std::string& name) {
    if (name.find_first_of(",\"\r\n") == std::string::npos)
        return name;
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? "\"\"" : std::string(1, c);
    return text + "\"";
}

std::string number(double value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "";
}

} // namespace

EdgeProbabilities edge_probabilities(const std::vector<SearchOutcome>& replicates, std::vector<std::string> nodes) {
    EdgeProbabilities edges;
    if (nodes.empty() || replicates.empty() || replicates.front().averages.means.empty())
        return edges;
    edges.nodes = std::move(nodes);
    const auto n = static_cast<Index>(edges.nodes.size());
    const auto [mean, error] = combine(replicates);
    PEARLITE_EXPECTS(mean.size() == 2 * n * n);
    edges.probability = Eigen::Map<const RowMajor>(mean.data(), n, n);
    edges.standard_error = Eigen::Map<const RowMajor>(error.data(), n, n);
    edges.standard_error.diagonal().setZero();
    edges.adjacent = symmetric(mean.tail(n * n), n);
    edges.adjacent_standard_error = symmetric(error.tail(n * n), n);
    edges.replicates.resize(static_cast<Index>(replicates.size()), n * n);
    for (const auto& replicate : replicates) {
        edges.replicates.row(static_cast<Index>(edges.effective_states.size())) =
            Eigen::Map<const Vector>(replicate.averages.means.data(), n * n).transpose();
        edges.effective_states.push_back(replicate.averages.effective_states);
    }
    return edges;
}

std::vector<std::pair<Index, Index>> EdgeProbabilities::by_probability() const {
    std::vector<std::pair<Index, Index>> pairs;
    for (Index i = 0; i < probability.rows(); ++i)
        for (Index j = 0; j < probability.cols(); ++j)
            if (probability(i, j) > 0)
                pairs.emplace_back(i, j);
    std::ranges::stable_sort(pairs, std::greater<>(),
                             [&](const auto& pair) { return probability(pair.first, pair.second); });
    return pairs;
}

std::string EdgeProbabilities::csv() const {
    std::string text = "parent,child,probability,standard_error,adjacent,adjacent_standard_error\n";
    for (const auto& [i, j] : by_probability())
        text +=
            fmt::format("{},{},{},{},{},{}\n", quoted(nodes[static_cast<std::size_t>(i)]),
                        quoted(nodes[static_cast<std::size_t>(j)]), number(probability(i, j)),
                        number(standard_error(i, j)), number(adjacent(i, j)), number(adjacent_standard_error(i, j)));
    return text;
}

nlohmann::json EdgeProbabilities::summary() const {
    nlohmann::json rows = nlohmann::json::array();
    const bool has_errors = !std::isnan(standard_error(0, nodes.size() > 1 ? 1 : 0));
    const auto pairs = by_probability();
    for (std::size_t k = 0; k < std::min(pairs.size(), most_edges); ++k) {
        const auto [i, j] = pairs[k];
        nlohmann::json row{{"parent", nodes[static_cast<std::size_t>(i)]},
                           {"child", nodes[static_cast<std::size_t>(j)]},
                           {"probability", probability(i, j)},
                           {"adjacent", adjacent(i, j)}};
        if (has_errors) {
            row["standard_error"] = standard_error(i, j);
            row["adjacent_standard_error"] = adjacent_standard_error(i, j);
        }
        rows.push_back(std::move(row));
    }
    Index adjacencies = 0;
    for (Index i = 0; i < adjacent.rows(); ++i)
        adjacencies += (adjacent.row(i).tail(adjacent.cols() - i).array() > probable).count();
    return {{"strongest", rows},
            {"expected_number", probability.sum()},
            {"probably_adjacent", adjacencies},
            {"effective_states", effective_states}};
}

void EdgeProbabilities::write(io::Writer& writer) const {
    writer("edges/nodes", nodes);
    writer("edges/probability", probability);
    writer("edges/standard_error", standard_error);
    writer("edges/adjacent", adjacent);
    writer("edges/adjacent_standard_error", adjacent_standard_error);
    writer("edges/replicates", replicates);
    writer("edges/effective_states", effective_states);
}

} // namespace pearlite::app
