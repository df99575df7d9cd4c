#include "models/mixed_logistic/mixed_logistic.hpp"

#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "models/mixed_logistic/mixed_logistic_kernels.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "simd/instructions.hpp"

#include <cmath>
#include <numeric>

namespace pearlite::models {

namespace {

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

model::DataDescription description(const MixedLogisticSettings& s) {
    const LabelledDimension rows = s.observed.dimension(s.response.size());
    LabelledArray subject{"subject", {rows}, {}, "label of the row's subject", true};
    subject.values.assign(s.subject.begin(), s.subject.end());
    auto response = labelled(s.observed.name, rows, s.response);
    response.is_whole = true;
    return {{std::move(response)},
            {std::move(subject), labelled("design", rows, {"coefficient", s.design.cols(), s.names}, s.design),
             labelled("effects_design", rows, {"effect", s.effects_design.cols(), s.effect_names}, s.effects_design)},
            s.observed.rows};
}

} // namespace

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
    if (s.constant_variance) {
        const auto& goal = *s.constant_variance;
        expect(goal.variance > 0 && std::isfinite(goal.variance), "a variance of the log likelihood above 0");
        expect(goal.smallest >= 1 && goal.smallest <= goal.largest && goal.largest <= 1'000'000,
               "samples by point between 1 <= smallest <= largest <= 1000000");
    }
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
    groups_ = detail::group_subjects(s, place_);
    set_particles(std::max(s.samples, s.constant_variance ? s.constant_variance->largest : 0)); // both in range
    set_particles(s.samples);
    constant_variance_ = s.constant_variance;
}

void MixedLogistic::set_particles(Index n) {
    PEARLITE_EXPECTS(n >= 1);
    n_fours_ = (n + 3) / 4;
    constant_variance_.reset();
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
Vector MixedLogistic::of_subjects(const Point& point, const Work& work) const {
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

/// N(theta)/4, and the proposals that its pilot has found.
struct MixedLogistic::Sized {
    Index n_fours;
    std::vector<detail::GroupProposal> proposals;
};

MixedLogistic::Sized MixedLogistic::sized(const Point& point, const random::Address& address) const {
    // With this number of draws the sum of the variances has an error of a few per cent.
    constexpr Index fours_of_all_subjects = 600, least_fours = 2;
    const Index pilot_fours = std::max(least_fours, (fours_of_all_subjects + n_subjects() - 1) / n_subjects());
    random::Address pilot = address;
    pilot.seed = random::derive_seed(address.seed, std::uint64_t{1} << 63);
    Sized result{0, std::vector<detail::GroupProposal>(static_cast<std::size_t>(groups_.n_groups()))};
    const Vector variances = simd::on_this_cpu([&]<class Cpu>(Cpu) {
        return of_subjects(point, [&](const detail::GroupAtPoint& at, Index group, auto out) {
            auto& proposal = result.proposals[static_cast<std::size_t>(group)];
            detail::find_proposal<Cpu>(at, n_effects_, proposal);
            detail::four_variances<Cpu>(at, n_effects_, proposal, group, pilot_fours, pilot, out);
        });
    });
    const double samples = 4 * std::accumulate(variances.begin(), variances.end(), 0.0) / constant_variance_->variance;
    const auto least = static_cast<double>(constant_variance_->smallest),
               most = static_cast<double>(constant_variance_->largest);
    result.n_fours = static_cast<Index>(std::ceil(std::clamp(samples, least, most) / 4));
    return result;
}

Vector MixedLogistic::log_estimates(std::span<const double> u, const random::Address& address) const {
    const Point point = natural(u);
    const Sized by_point = constant_variance_ ? sized(point, address) : Sized{n_fours_, {}};
    return simd::on_this_cpu([&]<class Cpu>(Cpu) {
        detail::GroupProposal own;
        return of_subjects(point, [&](const detail::GroupAtPoint& at, Index group, auto out) {
            if (!constant_variance_)
                detail::find_proposal<Cpu>(at, n_effects_, own);
            const auto& proposal =
                constant_variance_ ? by_point.proposals[static_cast<std::size_t>(group)] : std::as_const(own);
            detail::estimate_group<Cpu>(at, n_effects_, proposal, group, by_point.n_fours, address, out);
        });
    });
}

Index MixedLogistic::particles_at(std::span<const double> u, const random::Address& address) const {
    return constant_variance_ ? 4 * sized(natural(u), address).n_fours : particles();
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
    return simd::on_this_cpu([&]<class Cpu>(Cpu) {
        return of_subjects(natural(u), [&](const detail::GroupAtPoint& at, Index, auto out) {
            detail::integrate_group<Cpu>(at, n_effects_, out);
        });
    });
}

double MixedLogistic::exact_log_likelihood(std::span<const double> u) const {
    const Vector of_subjects = exact_log_likelihoods(u);
    return std::accumulate(of_subjects.begin(), of_subjects.end(), 0.0);
}

double MixedLogistic::exact_log_likelihood(std::span<const double> u, std::span<double> gradient) const {
    return integrate(u, gradient, detail::Quadrature::fine);
}

void MixedLogistic::exact_force(std::span<const double> u, std::span<double> force) const {
    integrate(u, force, detail::Quadrature::rough);
}

double MixedLogistic::integrate(std::span<const double> u, std::span<double> gradient,
                                detail::Quadrature quadrature) const {
    using Lanes = Eigen::Array<double, SubjectGroups::width, Eigen::Dynamic>;
    const Index p = n_coefficients_, q = n_effects_;
    const Point point = natural(u);
    detail::GroupSlopes slopes(groups_, q);
    Lanes coefficients = Lanes::Zero(SubjectGroups::width, p), factor = Lanes::Zero(SubjectGroups::width, q * q);
    const Vector log_integrals = of_subjects(point, [&](const detail::GroupAtPoint& at, Index group, auto out) {
        simd::on_this_cpu([&]<class Cpu>(Cpu) { detail::integrate_group<Cpu>(at, q, out, slopes, quadrature); });
        for (Index r = 0; r < at.rows; ++r) {
            const Index row = groups_.first_row[static_cast<std::size_t>(group)] + r;
            for (Index k = 0; k < p; ++k)
                coefficients.col(k) += groups_.design.col(row * p + k).array() * slopes.by_offsets.col(r).array();
            for (Index m = 0; m < q; ++m)
                for (Index k = 0; k <= m; ++k)
                    factor.col(k * q + m) +=
                        groups_.effects.col(row * q + m).array() * slopes.by_slopes.col(r * q + k).array();
        }
    });
    const Matrix by_factor = factor.colwise().sum().reshaped(q, q);
    chain(u, {coefficients.colwise().sum().transpose(), by_factor}, gradient);
    return std::accumulate(log_integrals.begin(), log_integrals.end(), 0.0);
}

void MixedLogistic::chain(std::span<const double> u, const Point& slopes, std::span<double> gradient) const {
    const Index p = n_coefficients_, q = n_effects_;
    Eigen::Map<Vector> by(gradient.data(), parameters_.size());
    by.head(p) = slopes.coefficients;
    by.segment(p, q) = slopes.factor.diagonal();
    if (correlated_) {
        const double deviation = parameters_.natural(p + 1, u[static_cast<std::size_t>(p + 1)]);
        const double correlation = parameters_.natural(p + 2, u[static_cast<std::size_t>(p + 2)]);
        const double root = std::sqrt((1 - correlation) * (1 + correlation));
        by(p + 1) = correlation * slopes.factor(1, 0) + root * slopes.factor(1, 1);
        by(p + 2) = deviation * slopes.factor(1, 0);
        if (root > 0)
            by(p + 2) -= deviation * correlation / root * slopes.factor(1, 1);
    }
    for (Index k = 0; k < by.size(); ++k)
        by(k) *= parameters_.slope(k, u[static_cast<std::size_t>(k)]);
}

void MixedLogistic::fingerprint(model::Fingerprint& fingerprint) const {
    const auto add = [&](const Matrix& m) {
        fingerprint.add(std::span<const double>(m.data(), static_cast<std::size_t>(m.size())));
    };
    fingerprint.add("mixed-logistic");
    parameters_.fingerprint(fingerprint);
    fingerprint.add(static_cast<double>(particles()));
    if (constant_variance_)
        fingerprint.add(constant_variance_->variance);
    fingerprint.add(static_cast<double>(n_subjects()));
    for (const Index row : groups_.first_row)
        fingerprint.add(static_cast<double>(row));
    add(groups_.design);
    add(groups_.effects);
    add(groups_.missing);
}

static_assert(model::HasEstimatorSize<MixedLogistic> && model::HasExactLikelihood<MixedLogistic>);

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> matrix(const LabelledArray& array) {
    return {array.values.data(), array.dimensions[0].size, array.dimensions[1].size};
}

/// The number of each row's subject, in order of first appearance.
std::vector<Index> subjects_of_rows(const LabelledArray& labels) {
    std::map<double, Index> numbers;
    std::vector<Index> subjects;
    for (const double label : labels.values)
        subjects.push_back(numbers.try_emplace(label, static_cast<Index>(numbers.size())).first->second);
    return subjects;
}

} // namespace

model::Prediction MixedLogistic::predict(std::span<const double> u, Index samples,
                                         const random::Address& address) const {
    const Point point = natural(u);
    const auto design = matrix(data_.constant[1]), effects_design = matrix(data_.constant[2]);
    const auto subjects = subjects_of_rows(data_.constant[0]);
    const Vector fixed = design * point.coefficients;
    random::Stream stream(address);
    const auto& observed = data_.observed.front();
    LabelledArray y{observed.name,
                    {model::sample_dimension(samples), observed.dimensions.front()},
                    {},
                    "responses of other subjects with the same covariates"};
    Matrix effects(n_effects_, n_subjects());
    for (Index s = 0; s < samples; ++s) {
        for (double& effect : effects.reshaped())
            effect = stream.normal();
        effects = product(1, point.factor, effects);
        for (Index row = 0; row < fixed.size(); ++row) {
            const Index subject = subjects[static_cast<std::size_t>(row)];
            const double predictor = fixed(row) + effects_design.row(row).dot(effects.col(subject));
            y.values.push_back(stream.uniform() < 1 / (1 + std::exp(-predictor)) ? 1 : 0);
        }
    }
    return {{std::move(y)}, {}};
}

} // namespace pearlite::models
