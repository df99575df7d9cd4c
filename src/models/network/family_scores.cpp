#include "models/network/family_scores.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace pearlite::models {

namespace {

/// Rows are counted eight words at a time, a register of 512 bits.
constexpr std::size_t chunk = 8;
constexpr std::size_t most_rise_values = std::size_t{1} << 23;

Index count(const std::uint64_t* rows, std::size_t words) {
    std::uint64_t total = 0;
    for (std::size_t w = 0; w < words; w += chunk)
        for (std::size_t i = 0; i < chunk; ++i)
            total += static_cast<std::uint64_t>(std::popcount(rows[w + i]));
    return static_cast<Index>(total);
}

Index count_common(const std::uint64_t* a, const std::uint64_t* b, std::size_t words) {
    std::uint64_t total = 0;
    for (std::size_t w = 0; w < words; w += chunk)
        for (std::size_t i = 0; i < chunk; ++i)
            total += static_cast<std::uint64_t>(std::popcount(a[w + i] & b[w + i]));
    return static_cast<Index>(total);
}

void check(const DiscreteTable& table, const NetworkSettings& settings) {
    const auto fail = [](const std::string& text) { throw InputError("Bayesian network: " + text); };
    if (table.rows() < 1 || table.variables() < 3 || table.variables() > FamilyScores::most_variables)
        fail(std::to_string(table.rows()) + " rows of " + std::to_string(table.variables()) +
             " variables, expected at least one row and 3 to 64 variables");
    if (table.levels.size() != static_cast<std::size_t>(table.variables()))
        fail("levels of " + std::to_string(table.levels.size()) + " variables, expected " +
             std::to_string(table.variables()));
    if (settings.parent_limit < 0 || settings.parent_limit > FamilyScores::most_parents)
        fail("parent limit " + std::to_string(settings.parent_limit) + ", expected 0 to 8");
    if (!(settings.edge_prior > 0 && settings.edge_prior < 1))
        fail("edge prior " + std::to_string(settings.edge_prior) + ", expected between 0 and 1");
    if (!(settings.equivalent_sample_size > 0 && std::isfinite(settings.equivalent_sample_size)))
        fail("equivalent sample size " + std::to_string(settings.equivalent_sample_size) + ", expected above 0");
}

/// The largest product of `n` of these.
double largest_product(std::vector<Index> levels, Index n) {
    std::sort(levels.begin(), levels.end(), std::greater<>());
    return std::accumulate(levels.begin(), levels.begin() + std::min(n, static_cast<Index>(levels.size())), 1.0,
                           [](double product, Index r) { return product * static_cast<double>(r); });
}

} // namespace

FamilyScores::FamilyScores(const DiscreteTable& table, const NetworkSettings& settings)
    : levels_(table.levels),
      settings_(settings),
      rows_(table.rows()),
      parent_limit_(std::min(settings.parent_limit, table.variables() - 1)),
      words_((static_cast<std::size_t>(table.rows()) + 64 * chunk - 1) / (64 * chunk) * chunk),
      log_odds_(std::log(settings.edge_prior) - std::log1p(-settings.edge_prior)) {
    check(table, settings);
    if (largest_product(levels_, parent_limit_ + 1) > 0x1p53)
        throw InputError("Bayesian network: too many levels for " + std::to_string(parent_limit_) +
                         " parents, expected at most 2^53 joint states of a family");
    set_up_ranks();
    set_up_rows(table);
    set_up_rises();
    set_up_quantum();
    const auto largest = static_cast<Index>(settings.table_bytes / sizeof(double));
    while (tabulated_parents_ < parent_limit_ && sets_up_to(tabulated_parents_ + 1) <= largest / variables())
        ++tabulated_parents_;
    if (tabulated_parents_ < 0)
        return;
    stride_ = sets_up_to(tabulated_parents_);
    table_.resize(static_cast<std::size_t>(stride_ * variables()));
    std::vector<States> states(static_cast<std::size_t>(tabulated_parents_) + 1);
    states[0] = all_rows();
    tabulate(states, 0, 0, 0);
}

void FamilyScores::set_up_ranks() {
    for (std::size_t n = 0; n < binomials_[0].size(); ++n) {
        binomials_[0][n] = 1;
        for (std::size_t k = 1; k < binomials_.size() && n > 0; ++k)
            binomials_[k][n] = binomials_[k][n - 1] + binomials_[k - 1][n - 1];
    }
    const auto others = static_cast<std::size_t>(variables() - 1);
    for (std::size_t k = 0; k < binomials_.size(); ++k)
        first_rank_[k + 1] = first_rank_[k] + binomials_[k][others];
}

void FamilyScores::set_up_rows(const DiscreteTable& table) {
    for (Index i = 0; i < variables(); ++i) {
        Words planes(words_ * static_cast<std::size_t>(levels_[static_cast<std::size_t>(i)]));
        for (Index row = 0; row < rows_; ++row)
            planes[words_ * table.values(row, i) + static_cast<std::size_t>(row / 64)] |= std::uint64_t{1} << row % 64;
        planes_.push_back(std::move(planes));
    }
}

/// Tables for every product of the levels of up to parent_limit() + 1 variables, which r q and q are.
void FamilyScores::set_up_rises() {
    std::vector<std::vector<double>> products(static_cast<std::size_t>(parent_limit_) + 2);
    products[0] = {1};
    for (const Index r : levels_)
        for (std::size_t k = products.size() - 1; k > 0; --k)
            for (const double product : std::vector<double>(products[k - 1])) {
                const double next = product * static_cast<double>(r);
                if (std::find(products[k].begin(), products[k].end(), next) == products[k].end())
                    products[k].push_back(next);
            }
    std::vector<double> all;
    for (const auto& of_size : products)
        all.insert(all.end(), of_size.begin(), of_size.end());
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    if (all.size() > most_rise_values / static_cast<std::size_t>(rows_ + 1))
        return;
    for (const double t : all) {
        Rises table{t, {}};
        for (Index c = 0; c <= rows_; ++c)
            table.values.push_back(rise(nullptr, t, c));
        rises_.push_back(std::move(table));
    }
}

/// A row's probability given the rows before it is at least a / (A + rows) = 1 / (r (1 + rows q / s)), and a score is
/// at least minus its edges' part: this bounds the sum of scores, and with it the differences of two, by half of 2^53
/// quanta.
void FamilyScores::set_up_quantum() {
    const double q = largest_product(levels_, parent_limit_), n = static_cast<double>(rows_);
    double bound = 1;
    for (const Index r : levels_)
        bound += n * (std::log(static_cast<double>(r)) + std::log1p(q * n / settings_.equivalent_sample_size)) +
                 static_cast<double>(parent_limit_) * std::abs(log_odds_);
    quantum_ = std::ldexp(1.0, std::ilogb(bound) + 2 - 53);
}

const FamilyScores::Rises* FamilyScores::rises(double t) const {
    const auto found =
        std::lower_bound(rises_.begin(), rises_.end(), t, [](const Rises& a, double b) { return a.t < b; });
    return found == rises_.end() ? nullptr : &*found;
}

double FamilyScores::rise(const Rises* known, double t, Index count) const {
    if (known != nullptr)
        return known->values[static_cast<std::size_t>(count)];
    const double a = settings_.equivalent_sample_size / t;
    return std::lgamma(a + static_cast<double>(count)) - std::lgamma(a);
}

FamilyScores::States FamilyScores::all_rows() const {
    States states{Words(words_), {rows_}, 1};
    for (Index row = 0; row < rows_; ++row)
        states.rows[static_cast<std::size_t>(row / 64)] |= std::uint64_t{1} << row % 64;
    return states;
}

void FamilyScores::split(const States& states, Index variable, States& result) const {
    const auto v = static_cast<std::size_t>(variable);
    const auto levels = static_cast<std::size_t>(levels_[v]);
    result.joint_states = states.joint_states * static_cast<double>(levels);
    result.counts.clear();
    result.rows.resize(states.counts.size() * levels * words_);
    for (std::size_t k = 0; k < states.counts.size(); ++k)
        for (std::size_t j = 0; j < levels; ++j) {
            const std::uint64_t* const from = states.rows.data() + k * words_;
            const std::uint64_t* const plane = planes_[v].data() + j * words_;
            std::uint64_t* const to = result.rows.data() + result.counts.size() * words_;
            for (std::size_t w = 0; w < words_; ++w)
                to[w] = from[w] & plane[w];
            if (const Index n = count(to, words_); n > 0)
                result.counts.push_back(n);
        }
}

double FamilyScores::score_of(Index node, Index parents, const States& states) const {
    const auto v = static_cast<std::size_t>(node);
    const auto last_level = static_cast<std::size_t>(levels_[v]) - 1;
    const double q = states.joint_states, rq = q * static_cast<double>(levels_[v]);
    const Rises *of_cell = rises(rq), *of_state = rises(q);
    double log_probability = static_cast<double>(parents) * log_odds_;
    for (std::size_t k = 0; k < states.counts.size(); ++k) {
        Index rest = states.counts[k];
        double term = -rise(of_state, q, rest);
        for (std::size_t j = 0; j < last_level; ++j) {
            const Index n = count_common(states.rows.data() + k * words_, planes_[v].data() + j * words_, words_);
            term += rise(of_cell, rq, n);
            rest -= n;
        }
        log_probability += term + rise(of_cell, rq, rest);
    }
    return std::nearbyint(-log_probability / quantum_) * quantum_;
}

double FamilyScores::direct(Index node, NodeSet parents) const {
    States states = all_rows(), next;
    for (NodeSet rest = parents; rest != 0; rest &= rest - 1) {
        split(states, std::countr_zero(rest), next);
        std::swap(states, next);
    }
    return score_of(node, std::popcount(parents), states);
}

/// Depth first, so that the rows are split only once for all supersets and for all nodes.
void FamilyScores::tabulate(std::vector<States>& states, NodeSet set, Index size, Index first) {
    const auto depth = static_cast<std::size_t>(size);
    for (Index node = 0; node < variables(); ++node)
        if ((set >> node & 1) == 0)
            table_[place(node, set)] = score_of(node, size, states[depth]);
    if (size == tabulated_parents_)
        return;
    for (Index v = first; v < variables(); ++v) {
        split(states[depth], v, states[depth + 1]);
        tabulate(states, set | NodeSet{1} << v, size + 1, v + 1);
    }
}

namespace {

constexpr Index most_levels = 256;

std::uint8_t level_of(const Matrix& values, Index row, Index column, Index levels) {
    const double value = values(row, column);
    if (!(value >= 0 && value < static_cast<double>(levels) && std::floor(value) == value))
        throw InputError("discrete table: row " + std::to_string(row + 1) + ", column " + std::to_string(column + 1) +
                         " is " + std::to_string(value) + ", expected a whole number from 0 to " +
                         std::to_string(levels - 1));
    return static_cast<std::uint8_t>(value);
}

/// Codes become the levels 0, 1, .. in their order; returns how many there are.
Index number_levels(Eigen::Ref<Eigen::Matrix<std::uint8_t, Eigen::Dynamic, 1>> codes) {
    std::array<bool, most_levels> occurs{};
    for (const auto code : codes)
        occurs[code] = true;
    std::array<std::uint8_t, most_levels> level{};
    Index count = 0;
    for (std::size_t code = 0; code < occurs.size(); ++code)
        if (occurs[code])
            level[code] = static_cast<std::uint8_t>(count++);
    for (auto& code : codes)
        code = level[code];
    return count;
}

} // namespace

DiscreteTable discrete_table(const Matrix& values, std::vector<std::string> names, std::vector<Index> levels) {
    const Index rows = values.rows(), variables = values.cols();
    const auto count = static_cast<std::size_t>(variables);
    if (rows == 0 || variables == 0)
        throw InputError("discrete table: no data, expected at least one row and one column");
    if (!names.empty() && names.size() != count)
        throw InputError("discrete table: " + std::to_string(names.size()) + " names, expected " +
                         std::to_string(variables));
    if (!levels.empty() && levels.size() != count)
        throw InputError("discrete table: " + std::to_string(levels.size()) + " numbers of levels, expected " +
                         std::to_string(variables));
    for (const Index r : levels)
        if (r < 1 || r > most_levels)
            throw InputError("discrete table: " + std::to_string(r) + " levels, expected 1 to 256");

    DiscreteTable table{{}, std::move(levels), std::move(names)};
    table.values.resize(rows, variables);
    const bool levels_are_given = !table.levels.empty(), names_are_given = !table.names.empty();
    for (Index i = 0; i < variables; ++i) {
        const Index allowed = levels_are_given ? table.levels[static_cast<std::size_t>(i)] : most_levels;
        for (Index row = 0; row < rows; ++row)
            table.values(row, i) = level_of(values, row, i, allowed);
        if (!levels_are_given)
            table.levels.push_back(number_levels(table.values.col(i)));
        if (!names_are_given)
            table.names.push_back("X" + std::to_string(i + 1));
    }
    return table;
}

} // namespace pearlite::models
