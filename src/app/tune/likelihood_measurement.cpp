#include "app/tune/likelihood_measurement.hpp"

#include "algorithm/pilot/piloted.hpp"
#include "core/log_space.hpp"
#include "kernel/density/random_walk.hpp"
#include "parallel/agreement.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <numeric>

namespace pearlite::app {

namespace {

/// Parts of the seed that a run does not use.
constexpr std::uint64_t parts_from = std::uint64_t{1} << 62;
constexpr std::uint64_t part_of_choice = parts_from, part_of_variance = parts_from + 1, part_of_times = parts_from + 2,
                        part_of_pilots = parts_from + 16;

double processor_seconds() {
    timespec now;
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The places of the largest values, the largest first; equal ones in their order.
std::vector<Index> largest(const Vector& values, Index count) {
    std::vector<Index> order(static_cast<std::size_t>(values.size()));
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return values(a) > values(b); });
    order.resize(std::min(order.size(), static_cast<std::size_t>(count)));
    return order;
}

struct Spread {
    double variance, standard_error;
};
Spread spread_of(const auto& values) {
    const auto n = static_cast<double>(values.size());
    const double mean = values.mean();
    if (!std::isfinite(mean))
        return {infinity, 0};
    const auto squares = (values.array() - mean).square();
    const double variance = squares.sum() / (n - 1);
    return {variance, std::sqrt(std::max(0.0, squares.square().mean() - variance * variance) / n)};
}

} // namespace

random::Seed Measurement::seed_of_pilot(std::uint64_t attempt) const {
    return random::derive_seed(seed_, part_of_pilots + attempt);
}

Matrix Measurement::log_estimates(const Matrix& points, Index estimates, std::uint64_t part) const {
    const Index k = points.cols();
    std::vector<double> mine;
    parallel::together(ranks_, [&] {
        Vector log_prior(k), log_likelihood(k);
        for (Index r = ranks_.rank(); r < estimates; r += ranks_.size()) {
            const model::BlockStreams streams{.seed = random::derive_seed(seed_, part),
                                              .step = static_cast<std::uint32_t>(r)};
            likelihood_.estimate(points, streams, log_prior, log_likelihood);
            mine.insert(mine.end(), log_likelihood.begin(), log_likelihood.end());
        }
    });
    const auto all = ranks_.all_gather(std::span<const double>(mine));
    Matrix ordered(k, estimates);
    const double* from = all.data();
    for (Index rank = 0; rank < ranks_.size(); ++rank)
        for (Index r = rank; r < estimates; r += ranks_.size(), from += k)
            ordered.col(r) = Eigen::Map<const Vector>(from, k);
    return ordered;
}

NearMode Measurement::best_points(const LikelihoodPilot& pilot, double b, Index candidates, Index count) const {
    constexpr Index estimates = 16;
    const Vector seen = pilot.log_prior + b * pilot.log_likelihood;
    const auto chosen = largest(seen, candidates);
    Matrix points(pilot.points.rows(), static_cast<Index>(chosen.size()));
    for (Index i = 0; i < points.cols(); ++i)
        points.col(i) = pilot.points.col(chosen[static_cast<std::size_t>(i)]);
    const Matrix fresh = log_estimates(points, estimates, part_of_choice);
    Vector log_density(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
        const Vector of_point = fresh.row(i);
        log_density(i) = pilot.log_prior(chosen[static_cast<std::size_t>(i)]) +
                         b * log_mean_exp({of_point.data(), static_cast<std::size_t>(estimates)});
    }
    const auto best = largest(log_density, count);
    NearMode near_mode{Matrix(points.rows(), static_cast<Index>(best.size())), log_density(best.front())};
    for (std::size_t i = 0; i < best.size(); ++i)
        near_mode.points.col(static_cast<Index>(i)) = points.col(best[i]);
    return near_mode;
}

LogVariance Measurement::log_variance(const Matrix& points, Index estimates) const {
    const Matrix values = log_estimates(points, estimates, part_of_variance);
    LogVariance result{.least = infinity};
    double squares = 0;
    const auto k = static_cast<double>(points.cols());
    for (Index i = 0; i < points.cols(); ++i) {
        const Spread at = spread_of(values.row(i));
        result.mean += at.variance / k;
        squares += at.standard_error * at.standard_error;
        result.least = std::min(result.least, at.variance);
        result.most = std::max(result.most, at.variance);
    }
    result.standard_error = std::sqrt(squares) / k;
    return result;
}

Stopwatch::Stopwatch(const parallel::Communicator& ranks, TunableLikelihood& likelihood, const Matrix& points,
                     Index block)
    : ranks_(ranks), likelihood_(likelihood), points_(points.rows(), block) {
    for (Index i = 0; i < block; ++i)
        points_.col(i) = points.col(i % points.cols());
}

double Stopwatch::seconds() const {
    constexpr int least_calls = 7;
    constexpr double least_seconds = 0.1, seconds_a_call = 2e-4;
    std::vector<double> times;
    parallel::together(ranks_, [&] {
        Vector log_prior(points_.cols()), log_likelihood(points_.cols());
        model::BlockStreams streams{.seed = part_of_times};
        const auto time_of = [&](Index calls) {
            const double begin = processor_seconds();
            for (Index c = 0; c < calls; ++c, ++streams.step)
                likelihood_.estimate(points_, streams, log_prior, log_likelihood);
            return (processor_seconds() - begin) / static_cast<double>(calls);
        };
        // The first call finds memory and caches cold.
        const auto calls = std::max<Index>(1, static_cast<Index>(seconds_a_call / std::max(time_of(1), 1e-7)));
        for (double sum = 0; times.size() < least_calls || sum < least_seconds;) {
            times.push_back(time_of(calls));
            sum += times.back() * static_cast<double>(calls) + 1e-6;
        }
    });
    return median(ranks_.all_gather(median(times))) / static_cast<double>(points_.cols());
}

estimator::TimeLine Stopwatch::line_from(Index first, Index most) const {
    constexpr double growth = 4, least_growth = 2; // times of a busy machine vary by a third
    constexpr std::size_t least_sizes = 5;
    std::vector<double> sizes, times;
    for (Index n = first; sizes.size() < least_sizes || times.back() < growth * times.front(); n *= 2) {
        if (n > most)
            break;
        likelihood_.set_particles(n);
        sizes.push_back(static_cast<double>(likelihood_.particles()));
        times.push_back(seconds());
    }
    if (sizes.size() < 2 || times.back() < least_growth * times.front())
        throw InputError(
            fmt::format("the time of an estimated likelihood does not grow with its number of particles (up "
                        "to {}): there is nothing to choose, many of them cost no more than few",
                        sizes.back()));
    return estimator::fit_time(sizes, times);
}

std::unique_ptr<TunableLikelihood> TunableLikelihood::of(const model::Target* target) {
    const auto* size = target ? target->offers<model::EstimatorSize>() : nullptr;
    if (!size)
        return nullptr;
    return std::unique_ptr<TunableLikelihood>(
        new TunableLikelihood(std::make_shared<const path::Tempered>(size->with_particles(size->particles()))));
}

void TunableLikelihood::set_particles(Index n) {
    const Index abreast = size().particles_abreast();
    n = (n + abreast - 1) / abreast * abreast;
    path_ = std::make_shared<const path::Tempered>(size().with_particles(n));
}

void TunableLikelihood::estimate(const Matrix& points, const model::BlockStreams& streams, Vector& log_prior,
                                 Vector& log_likelihood) const {
    path_->density().evaluate(points, points.cols(), streams, log_prior, log_likelihood);
}

LikelihoodPilot TunableLikelihood::pilot(const parallel::Communicator& ranks,
                                         const LikelihoodPilotSettings& settings) const {
    const auto sampler = algorithm::annealed_population(ranks, path_, settings.schedule,
                                                        kernel::RandomWalk(path_, settings.moves), settings.population);
    sampler->begin();
    while (!sampler->finished())
        sampler->step();
    const auto& particles = sampler->found().population->generation(0);
    std::vector<double> points, log_prior, log_likelihood;
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        const auto& block = path::points_of(particles.block(b));
        points.insert(points.end(), block.points.data(), block.points.data() + block.size() * block.points.rows());
        log_prior.insert(log_prior.end(), block.log_prior.begin(), block.log_prior.begin() + block.size());
        log_likelihood.insert(log_likelihood.end(), block.log_likelihood.begin(),
                              block.log_likelihood.begin() + block.size());
    }
    const auto everywhere = [&](const std::vector<double>& local) {
        return ranks.all_gather(std::span<const double>(local));
    };
    const auto all_points = everywhere(points), all_priors = everywhere(log_prior),
               all_likelihoods = everywhere(log_likelihood);
    const Index m = settings.population.particles;
    return {Eigen::Map<const Matrix>(all_points.data(), path_->dimension(), m),
            Eigen::Map<const Vector>(all_priors.data(), m), Eigen::Map<const Vector>(all_likelihoods.data(), m),
            path::Schedule(sampler->found().trace->inverse_temperature)};
}

} // namespace pearlite::app
