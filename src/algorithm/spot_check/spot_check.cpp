#include "algorithm/spot_check/spot_check.hpp"

#include "algorithm/pilot/peaks.hpp"
#include "algorithm/spot_check/population_view.hpp"
#include "algorithm/spot_check/spot_integrals.hpp"
#include "parallel/agreement.hpp"
#include "parallel/states.hpp"
#include "path/bridge/modes.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace pearlite::algorithm {

namespace {

using estimator::HalfMass;

constexpr Index most_starts = 16, most_spots = 8;
constexpr Index most_lines = 12, fewest_lines = 6;
constexpr Index calls_of_descent = 30; ///< of log f and its gradient, in most descents
constexpr int newton_steps = 3;
constexpr LbfgsLimits of_descent{300, 1e-7};
constexpr double share_of_descents = 0.5; ///< of the densities; the rest is for curvatures and draws

/// The run's own addresses are not used again.
constexpr std::uint64_t part_of_spot_checks = (std::uint64_t{1} << 63) + 3;

/// Numbers of densities that parts of a check take.
struct Costs {
    explicit Costs(const model::DensityFunctions& density) {
        const Index d = density.dimension();
        const bool has_gradient = density.offers<model::DensityGradient>() != nullptr;
        descent = calls_of_descent * (has_gradient ? 2 : 2 + 2 * d);
        curvature = (has_gradient ? 10 : 10 + d) * d;
    }
    Index descent, curvature;
};

/// Ids of streams for draws of the prior and in its middle; smaller ones are those of descents and of draws in spots.
constexpr Index first_of_prior = Index{1} << 20;

/// A state that travels between ranks.
struct Numbers {
    std::vector<double> values;
    Index evaluations = 0;
    void fields(Fields& f) {
        f("values", values);
        f("evaluations", evaluations);
    }
};

class Check {
  public:
    Check(const parallel::Communicator& ranks, const model::Target& target, const Found& found, double renewals,
          const SpotCheckSettings& settings)
        : ranks_(ranks),
          path_(*target.offers<path::DensityPath>()),
          density_(*target.offers<model::DensityFunctions>()),
          costs_(density_),
          population_(ranks, target, found, renewals),
          settings_{settings.densities, random::derive_seed(settings.seed, part_of_spot_checks)},
          integrals_(ranks_, density_, settings_.seed) {}

    SpotCheck run(double log_z, double log_z_error) {
        SpotCheck check;
        check.silence = objection_of_prior();
        if (check.silence.empty())
            check.silence = search(log_z);
        if (check.silence.empty())
            compare(log_z, log_z_error, check);
        check.densities = densities_ + integrals_.densities();
        return check;
    }

  private:
    /// Collective. A message if log_prior is not the density of the prior's draws: Z/Z_0 needs none, but Z_E does. An
    /// ellipsoid at the middle of the prior has Z_E of the prior alone, and a share of draws.
    std::string objection_of_prior() {
        constexpr Index of_fit = 200, of_share = 1000, of_integral = 15 * SpotIntegrals::draws_at_once;
        std::string objection;
        parallel::on_root(ranks_, [&] {
            const auto middle = middle_of(draws_from_start(0, of_fit));
            if (!middle)
                return;
            const HalfMass& ellipsoid = *middle;
            const Matrix draws = draws_from_start(of_fit, of_share);
            double share = 0;
            for (Index i = 0; i < of_share; ++i)
                share += ellipsoid.holds({draws.col(i).data(), at(draws.rows())}) ? 1.0 / of_share : 0;
            std::vector<double> log_ratios;
            for (Index first = 0; first < of_integral; first += SpotIntegrals::draws_at_once) {
                const auto [points, log_q] = integrals_.draws_in(ellipsoid, first_of_prior + first);
                Vector log_prior(log_q.size()), log_likelihood(log_q.size());
                density_.evaluate(points, points.cols(), {}, log_prior, log_likelihood);
                for (Index i = 0; i < log_q.size(); ++i)
                    log_ratios.push_back(log_prior(i) - log_q(i));
            }
            const auto integral = estimator::integral_of(log_ratios);
            const double log_excess =
                integral.log_value - density_.log_prior_normaliser().value_or(0) - std::log(share);
            const double error = std::hypot(integral.relative_error, std::sqrt((1 - share) / (share * of_share)));
            if (std::isfinite(log_excess) && integral.relative_error <= estimator::largest_spot_error &&
                std::abs(log_excess) > estimator::significant_difference * error)
                objection = fmt::format("log_prior exceeds the density of the prior's draws by {:.3g}: look at its "
                                        "constant",
                                        log_excess);
        });
        densities_ += of_integral;
        return ranks_.broadcast(objection);
    }
    /// A half-mass ellipsoid at the medians, by the quartiles of each coordinate; nothing if some are equal.
    static std::optional<HalfMass> middle_of(const Matrix& draws) {
        constexpr double of_sd = 1.349; // between a normal distribution's quartiles
        Vector middle(draws.rows()), scale(draws.rows());
        for (Index k = 0; k < draws.rows(); ++k) {
            Vector sorted = draws.row(k);
            std::ranges::sort(sorted);
            const auto quantile = [&](double p) {
                return sorted(static_cast<Index>(p * static_cast<double>(sorted.size())));
            };
            middle(k) = quantile(0.5);
            scale(k) = (quantile(0.75) - quantile(0.25)) / of_sd;
        }
        if (!(scale.minCoeff() > 0) || !scale.allFinite())
            return std::nullopt;
        return HalfMass(middle, scale.asDiagonal());
    }
    Matrix draws_from_start(Index first, Index n) const {
        Matrix draws(density_.dimension(), n);
        for (Index i = 0; i < n; ++i)
            draws.col(i) = draw_from_path(first_of_prior + first + i);
        return draws;
    }

    /// Collective. Finds peaks_; why there are none.
    std::string search(double log_z) {
        const auto n = std::min<Index>(
            most_starts,
            static_cast<Index>(share_of_descents * static_cast<double>(settings_.densities)) / costs_.descent);
        if (n < 1 || costs_.curvature > settings_.densities / 2)
            return fmt::format("descents in {} coordinates{} take more than {} densities", density_.dimension(),
                               density_.offers<model::DensityGradient>() ? "" : " without a gradient",
                               settings_.densities);
        find_peaks(descend(starts(n)));
        const auto is_small = [&](const path::Peak& peak) { return 0.5 * std::exp(log_mass(peak) - log_z) < 1e-3; };
        if (peaks_.empty())
            return "no descent ends at a maximum with a curvature";
        std::erase_if(peaks_, is_small);
        std::ranges::stable_sort(peaks_, std::greater{}, log_mass);
        if (peaks_.size() > at(most_spots))
            peaks_.resize(at(most_spots));
        return peaks_.empty() ? "next to nothing of the mass is around the maxima that descents find" : "";
    }

    /// Collective. Particles and draws from the start of the path, alternately.
    std::vector<Vector> starts(Index n) const {
        const Matrix particles = population_.starts((n + 1) / 2, settings_.seed);
        std::vector<Vector> starts;
        for (Index k = 0; k < n; ++k)
            if (k % 2 == 0 && k / 2 < particles.cols())
                starts.emplace_back(particles.col(k / 2));
            else
                starts.push_back(draw_from_path(k));
        return starts;
    }
    Vector draw_from_path(Index k) const {
        Vector x(density_.dimension());
        random::Stream stream({settings_.seed, random::Purpose::start, static_cast<std::uint64_t>(k), 0});
        path_.draw_prior(stream, {x.data(), at(x.size())});
        return x;
    }

    /// Collective. The ends of descents, start k by rank k mod their number.
    std::vector<path::Mode> descend(const std::vector<Vector>& starts) {
        const auto n = static_cast<Index>(starts.size());
        const auto each = static_cast<Index>(share_of_descents * static_cast<double>(settings_.densities)) / n;
        std::vector<double> here;
        parallel::together(ranks_, [&] {
            const path::JointDensity joint(density_);
            for (Index k = ranks_.rank(); k < n; k += ranks_.size()) {
                path::Mode end{starts[at(k)], -infinity};
                const Index before = joint.evaluations();
                if (std::isfinite(joint(std::span<const double>(end.x.data(), at(end.x.size())))))
                    end = path::climb(joint, end.x, of_descent, each);
                here.push_back(static_cast<double>(k));
                here.push_back(end.log_p);
                here.push_back(static_cast<double>(joint.evaluations() - before));
                here.insert(here.end(), end.x.begin(), end.x.end());
            }
        });
        std::vector<path::Mode> ends(at(n));
        const auto all = ranks_.all_gather(std::span<const double>(here));
        const auto d = at(density_.dimension());
        for (std::size_t first = 0; first < all.size(); first += 3 + d) {
            ends[static_cast<std::size_t>(all[first])] = {
                Eigen::Map<const Vector>(all.data() + first + 3, static_cast<Index>(d)), all[first + 1]};
            densities_ += static_cast<Index>(all[first + 2]);
        }
        return ends;
    }

    /// Collective. The maxima at these ends, each once.
    void find_peaks(std::vector<path::Mode> ends) {
        std::erase_if(ends, [](const path::Mode& end) { return end.log_p == -infinity; });
        std::ranges::stable_sort(ends, std::greater{}, &path::Mode::log_p);
        Numbers numbers;
        parallel::on_root(ranks_, [&] {
            const path::JointDensity joint(density_);
            const auto is_new = [&](const Vector& x) {
                return std::ranges::none_of(peaks_, [&](const path::Peak& peak) { return is_near(x, peak); });
            };
            for (auto& end : ends) {
                if (densities_ + joint.evaluations() + costs_.curvature > settings_.densities && !peaks_.empty())
                    break;
                if (!is_new(end.x))
                    continue;
                if (auto peak = climb_to_peak(joint, std::move(end), newton_steps);
                    peak && peak->is_mode && is_new(peak->component.mean))
                    peaks_.push_back(std::move(*peak));
            }
            numbers.evaluations = joint.evaluations();
            for (const auto& [component, log_p, is_mode] : peaks_) {
                numbers.values.push_back(component.weight);
                numbers.values.insert(numbers.values.end(), component.mean.begin(), component.mean.end());
                numbers.values.insert(numbers.values.end(), component.factor.data(),
                                      component.factor.data() + component.factor.size());
            }
        });
        parallel::broadcast_state(ranks_, numbers, 0); // ranks on other processors may round otherwise
        densities_ += numbers.evaluations;
        peaks_.clear();
        const Index d = density_.dimension();
        for (const double* next = numbers.values.data(); next < numbers.values.data() + numbers.values.size();) {
            path::Peak peak;
            peak.component.weight = *next++;
            peak.component.mean = Eigen::Map<const Vector>(next, d);
            peak.component.factor = Eigen::Map<const Matrix>(next + d, d, d);
            next += d + d * d;
            peaks_.push_back(std::move(peak));
        }
    }
    /// By Laplace's method.
    static double log_mass(const path::Peak& peak) {
        return peak.component.weight +
               0.5 * static_cast<double>(peak.component.mean.size()) * std::log(2 * std::numbers::pi);
    }

    /// To a thousandth of the peak's standard deviations.
    static Vector rounded_centre(const path::Peak& peak) {
        const Vector unit = 1e-3 * peak.component.factor.rowwise().norm();
        return (peak.component.mean.array() / unit.array()).round() * unit.array();
    }

    void compare(double log_z, double log_z_error, SpotCheck& check) {
        std::vector<HalfMass> ellipsoids;
        for (const auto& peak : peaks_)
            ellipsoids.emplace_back(peak.component.mean, peak.component.factor);
        const auto integrals = integrals_.within(ellipsoids);
        const auto shares = population_.shares(ellipsoids);
        for (std::size_t k = 0; k < ellipsoids.size(); ++k)
            check.spots.push_back({describe_place(rounded_centre(peaks_[k]), path_),
                                   estimator::compare_spot(integrals[k], shares.shares[k], shares.variances[k],
                                                           shares.families, log_z, log_z_error),
                                   shares.families_inside[k]});
        if (const Index lines = lines_beyond(ellipsoids.front()); lines >= fewest_lines)
            check.spots.front().beyond =
                estimator::compare_spot(integrals_.beyond(ellipsoids.front(), lines), 1 - shares.shares.front(),
                                        shares.variances.front(), shares.families, log_z, log_z_error);
        const auto says_nothing = [](const CheckedSpot& spot) {
            return spot.comparison.says == estimator::SpotComparison::Says::nothing;
        };
        if (std::ranges::all_of(check.spots, says_nothing))
            check.silence =
                "the ellipsoids at the maxima hold next to nothing of the mass, or a part that is known too badly";
    }

    /// As many as the densities that are left allow.
    Index lines_beyond(const HalfMass& ellipsoid) const {
        const Index left = settings_.densities - densities_ - integrals_.densities();
        return std::min(most_lines, left / ellipsoid.points_of_line(SpotIntegrals::draws_at_once));
    }

    const parallel::Communicator& ranks_;
    const path::DensityPath& path_;
    const model::DensityFunctions& density_;
    Costs costs_;
    PopulationView population_;
    SpotCheckSettings settings_;
    SpotIntegrals integrals_;
    std::vector<path::Peak> peaks_;
    Index densities_ = 0; ///< but those of integrals
};

} // namespace

namespace {

std::vector<SpotCheck::Finding> compared_of(const std::vector<CheckedSpot>& spots) {
    std::vector<SpotCheck::Finding> compared;
    for (const auto& spot : spots) {
        if (spot.comparison.is_compared)
            compared.push_back({&spot, false});
        if (spot.beyond && spot.beyond->is_compared)
            compared.push_back({&spot, true});
    }
    return compared;
}

} // namespace

SpotCheck::Finding SpotCheck::worst() const {
    const auto compared = compared_of(spots);
    const auto worst =
        std::ranges::max_element(compared, {}, [](const Finding& finding) { return finding.comparison().deviations; });
    return worst == compared.end() ? Finding{} : *worst;
}

bool SpotCheck::contradicts() const {
    const auto finding = worst();
    return finding.spot && finding.comparison().says == estimator::SpotComparison::Says::contradiction;
}

bool SpotCheck::doubts() const {
    constexpr double false_alarms = 0.006;
    const auto compared = compared_of(spots);
    if (compared.empty())
        return false;
    const double by_chance = 0.5 * std::erfc(worst().comparison().deviations / std::numbers::sqrt2);
    return by_chance * static_cast<double>(compared.size()) < false_alarms;
}

double SpotCheck::held() const {
    double held = 0;
    for (const auto& spot : spots)
        if (spot.comparison.says == estimator::SpotComparison::Says::agreement)
            held += spot.comparison.wanted;
    return held;
}

std::string objection_to_spot_check(const model::Target& target, const Found& found, double inverse_temperature_end) {
    const auto* path = target.offers<path::DensityPath>();
    if (!path || !target.offers<model::DensityFunctions>())
        return "the model is no density of points";
    if (path->is_estimated())
        return "the likelihood is estimated";
    if (inverse_temperature_end != 1)
        return "the path ends at another inverse temperature than 1";
    if (!target.log_normaliser_start())
        return "the integral of the prior is not known";
    if (found.growth || !found.population || (found.first_wanted_slot > 0 && !found.draws))
        return "the run leaves no particles at the end of the path";
    return {};
}

SpotCheck spot_check(const parallel::Communicator& ranks, const model::Target& target, const Found& found,
                     const Outcome& outcome, const SpotCheckSettings& settings) {
    std::array<double, 3> known{std::numeric_limits<double>::quiet_NaN(), 1,
                                0}; // log Z, its error, renewals of a chain
    if (!outcome.log_ratio.empty()) {
        known[0] = outcome.log_ratio.front().value + *target.log_normaliser_start();
        known[1] = outcome.log_ratio.front().standard_error.value_or(1);
    }
    for (const auto& diagnostic : outcome.diagnostics)
        if (diagnostic.name == "passages_per_system")
            known[2] = diagnostic.value;
    ranks.broadcast(std::span<double>(known));
    if (!std::isfinite(known[0])) {
        SpotCheck check;
        check.silence = "there is no estimate to compare with";
        return check;
    }
    return Check(ranks, target, found, known[2], settings).run(known[0], known[1]);
}

} // namespace pearlite::algorithm
