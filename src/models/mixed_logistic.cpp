#include "pearlite/models/mixed_logistic.hpp"

#include "mixed_logistic_kernels.hpp"
#include "pearlite/core/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/core/log_space.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace pearlite::models {

namespace {

/// A predictor so large that its response is certain: exp(-700) is all that the arithmetic keeps.
constexpr double certain = 800;
/// Beyond it products of parameters, covariates and effects might overflow.
constexpr double largest_parameter = 1e100;
constexpr double largest_covariate = 1e50;

void expect(bool condition, const std::string& what) {
    if (!condition)
        throw InputError("mixed logistic regression: " + what);
}

void check_priors(const std::vector<model::Prior>& priors, Index n, const std::string& what) {
    expect(priors.size() == 1 || static_cast<Index>(priors.size()) == n,
           std::to_string(priors.size()) + " priors of " + what + ", expected one, or one for each of " +
               std::to_string(n));
}

bool finite(const Matrix& m) {
    return (m.array().abs() <= largest_covariate).all(); // false for NaN
}

/// Number of each row's subject in order of first appearance.
std::vector<Index> numbered_subjects(const std::vector<Index>& labels) {
    std::map<Index, Index> numbers;
    std::vector<Index> result;
    result.reserve(labels.size());
    for (const Index label : labels)
        result.push_back(numbers.try_emplace(label, static_cast<Index>(numbers.size())).first->second);
    return result;
}

model::DataDescription description(const MixedLogisticSettings& s) {
    const LabelledDimension rows{"row", s.response.size()};
    LabelledArray subject{"subject", {rows}, {}, "label of the row's subject"};
    subject.values.assign(s.subject.begin(), s.subject.end());
    return {{labelled("y", rows, s.response)},
            {std::move(subject), labelled("design", rows, {"coefficient", s.design.cols(), s.names}, s.design),
             labelled("effects_design", rows, {"effect", s.effects_design.cols(), s.effect_names}, s.effects_design)}};
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

SubjectGroups group_subjects(const MixedLogisticSettings& s, const std::vector<std::vector<Index>>& rows,
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

Index SubjectGroups::most_rows() const {
    return first_row.size() > 1 ? first_row[1] : 0;
}

void check(const MixedLogisticSettings& s) {
    const Index n = s.response.size(), p = s.design.cols(), q = s.effects_design.cols();
    expect(n >= 1, "no observations");
    expect(static_cast<Index>(s.subject.size()) == n && s.design.rows() == n && s.effects_design.rows() == n,
           "subjects, designs and responses of different lengths");
    expect(static_cast<Index>(s.names.size()) == p && static_cast<Index>(s.effect_names.size()) == q,
           "names that do not match the columns of the designs");
    expect(q >= 1 && q <= 4, std::to_string(q) + " random effects, expected 1 to 4");
    expect((s.response.array() == 0 || s.response.array() == 1).all(), "responses other than 0 and 1");
    expect(finite(s.design) && finite(s.effects_design), "covariates that are no numbers, or beyond 1e50");
    expect(s.samples >= 1 && s.samples <= 1'000'000, "samples: expected 1 to 1000000");
    check_priors(s.coefficient_priors, p, "coefficients");
    check_priors(s.deviation_priors, q, "standard deviations");
    for (const auto& prior : s.deviation_priors)
        expect(prior.lower() >= 0, "a standard deviation with the prior " + prior.text() + ", expected none below 0");
    if (s.correlation_prior) {
        expect(q == 2, "a correlation between " + std::to_string(q) + " random effects, expected 2");
        expect(s.correlation_prior->lower() >= -1 && s.correlation_prior->upper() <= 1,
               "a correlation with the prior " + s.correlation_prior->text() + ", expected one within [-1, 1]");
    }
}

MixedLogistic::MixedLogistic(MixedLogisticSettings s)
    : n_coefficients_(s.design.cols()), n_effects_(s.effects_design.cols()), correlated_(s.correlation_prior) {
    check(s);
    const auto prior_of = [](const std::vector<model::Prior>& priors, Index k) {
        return priors[priors.size() == 1 ? 0 : static_cast<std::size_t>(k)];
    };
    for (Index k = 0; k < n_coefficients_; ++k)
        parameters_.add(s.names[static_cast<std::size_t>(k)], prior_of(s.coefficient_priors, k));
    for (Index k = 0; k < n_effects_; ++k)
        parameters_.add("sd_" + s.effect_names[static_cast<std::size_t>(k)], prior_of(s.deviation_priors, k));
    if (correlated_)
        parameters_.add("correlation", *s.correlation_prior);
    data_ = description(s);
    const auto rows = rows_of_subjects(s.subject);
    const auto order = sorted_subjects(rows);
    groups_ = group_subjects(s, rows, order);
    place_.resize(order.size());
    for (std::size_t place = 0; place < order.size(); ++place)
        place_[order[place]] = static_cast<Index>(place);
    set_particles(s.samples);
}

void MixedLogistic::set_particles(Index n) {
    PEARLITE_EXPECTS(n >= 1);
    n_fours_ = (n + 3) / 4;
    // Counters of four words each: 32 bits of them.
    PEARLITE_EXPECTS(groups_.n_groups() * n_fours_ * detail::uniforms_of_four(n_effects_) * 4 <
                     std::numeric_limits<std::uint32_t>::max());
}

MixedLogistic::Point MixedLogistic::natural(std::span<const double> u) const {
    PEARLITE_EXPECTS(static_cast<Index>(u.size()) == parameters_.size());
    const auto value = [&](Index k) {
        return std::clamp(parameters_.natural(k, u[static_cast<std::size_t>(k)]), -largest_parameter,
                          largest_parameter);
    };
    Point point{Vector(n_coefficients_), Matrix::Zero(n_effects_, n_effects_)};
    for (Index k = 0; k < n_coefficients_; ++k)
        point.coefficients(k) = value(k);
    for (Index k = 0; k < n_effects_; ++k)
        point.factor(k, k) = value(n_coefficients_ + k);
    if (correlated_) {
        const double correlation = value(n_coefficients_ + 2), deviation = point.factor(1, 1);
        point.factor(1, 0) = correlation * deviation;
        point.factor(1, 1) = deviation * std::sqrt((1 - correlation) * (1 + correlation));
    }
    return point;
}

namespace detail {

void GroupAtPoint::set(const SubjectGroups& groups, Index group, const Vector& coefficients, const Matrix& factor) {
    using Lanes = Eigen::Array<double, SubjectGroups::width, 1>;
    const auto lanes = [](const Matrix& m, Index column) {
        return Eigen::Map<const Lanes, Eigen::Aligned64>(&m(0, column));
    };
    const Index p = coefficients.size(), q = factor.rows();
    const Index first = groups.first_row[static_cast<std::size_t>(group)];
    rows = groups.first_row[static_cast<std::size_t>(group) + 1] - first;
    for (Index r = 0; r < rows; ++r) {
        const Index row = first + r;
        Lanes offset = lanes(groups.missing, row);
        for (Index k = 0; k < p; ++k)
            offset += coefficients(k) * lanes(groups.design, row * p + k);
        offsets.col(r) = offset;
        for (Index k = 0; k < q; ++k) {
            Lanes slope = factor(k, k) * lanes(groups.effects, row * q + k);
            for (Index m = k + 1; m < q; ++m)
                slope += factor(m, k) * lanes(groups.effects, row * q + m);
            slopes.col(r * q + k) = slope;
        }
    }
}

} // namespace detail

/// work(group at the point, group, out) fills the lanes of every group; the result is in the order of subjects.
template <class Work>
Vector MixedLogistic::of_subjects(std::span<const double> u, const Work& work) const {
    const Point point = natural(u);
    detail::GroupAtPoint at(groups_, n_effects_);
    Vector lanes(groups_.n_groups() * SubjectGroups::width);
    for (Index group = 0; group < groups_.n_groups(); ++group) {
        at.set(groups_, group, point.coefficients, point.factor);
        work(at, group,
             std::span<double, SubjectGroups::width>(&lanes(group * SubjectGroups::width), SubjectGroups::width));
    }
    Vector result(n_subjects());
    for (Index s = 0; s < n_subjects(); ++s)
        result(s) = lanes(place_[static_cast<std::size_t>(s)]);
    return result;
}

Vector MixedLogistic::log_estimates(std::span<const double> u, const random::Address& address) const {
    return of_subjects(u, [&](const detail::GroupAtPoint& at, Index group, auto out) {
        detail::estimate_group(at, n_effects_, group, n_fours_, address, out);
    });
}

void MixedLogistic::estimate(const Matrix& points, const model::BlockStreams& streams, std::span<double> log_prior,
                             std::span<double> log_likelihood) const {
    PEARLITE_EXPECTS(points.rows() == parameters_.size() && log_prior.size() == log_likelihood.size() &&
                     static_cast<Index>(log_prior.size()) <= points.cols());
    for (std::size_t i = 0; i < log_prior.size(); ++i) {
        const auto slot = static_cast<Index>(i);
        const std::span<const double> u(points.col(slot).data(), static_cast<std::size_t>(points.rows()));
        log_prior[i] = parameters_.log_prior(u);
        log_likelihood[i] = log_zero;
        if (log_prior[i] == log_zero)
            continue;
        const Vector of_subjects = log_estimates(u, streams.at(model::likelihood_draws, slot));
        log_likelihood[i] = std::accumulate(of_subjects.begin(), of_subjects.end(), 0.0);
    }
}

Vector MixedLogistic::exact_log_likelihoods(std::span<const double> u) const {
    return of_subjects(
        u, [&](const detail::GroupAtPoint& at, Index, auto out) { detail::integrate_group(at, n_effects_, out); });
}

double MixedLogistic::exact_log_likelihood(std::span<const double> u) const {
    const Vector of_subjects = exact_log_likelihoods(u);
    return std::accumulate(of_subjects.begin(), of_subjects.end(), 0.0);
}

void MixedLogistic::fingerprint(model::Fingerprint& fingerprint) const {
    const auto add = [&](const Matrix& m) {
        fingerprint.add(std::span<const double>(m.data(), static_cast<std::size_t>(m.size())));
    };
    fingerprint.add("mixed-logistic");
    parameters_.fingerprint(fingerprint);
    fingerprint.add(static_cast<double>(particles()));
    fingerprint.add(static_cast<double>(n_subjects()));
    for (const Index row : groups_.first_row)
        fingerprint.add(static_cast<double>(row));
    add(groups_.design);
    add(groups_.effects);
    add(groups_.missing);
}

static_assert(model::HasEstimatorSize<MixedLogistic> && model::HasExactLikelihood<MixedLogistic>);

} // namespace pearlite::models
