#include "algorithm/resample_move/parts.hpp"

#include "algorithm/common/streams.hpp"
#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::algorithm {

SlotsByPart slots_of_base(std::span<const Part> parts) {
    std::vector<std::int64_t> ends;
    for (const auto& part : parts)
        ends.push_back(part.end);
    return SlotsByPart(std::move(ends));
}

double WeightSums::log_mean() const {
    return log_scale + std::log(first);
}

double WeightSums::gamma() const {
    return first > 0 ? std::min(1.0, first * first / (weight * second)) : 0;
}

double WeightSums::ess() const {
    return first * first / squares;
}

WeightSums operator+(const WeightSums& a, const WeightSums& b) {
    return {a.log_scale,         a.particles + b.particles, {}, a.weight + b.weight, a.first + b.first,
            a.second + b.second, a.squares + b.squares};
}

std::vector<WeightSums> weight_sums_by_part(const parallel::Communicator& ranks,
                                            const population::Population& population,
                                            const std::vector<std::vector<double>>& log_smoothing,
                                            const std::vector<SlotsByPart>& slots,
                                            std::span<const Generations> generations_of_part) {
    const std::size_t parts = generations_of_part.size();
    Generations all = generations_of_part.front();
    for (const auto& of_part : generations_of_part)
        all = {std::min(all.begin, of_part.begin), std::max(all.end, of_part.end)};

    double log_max = log_zero;
    for (Index g = all.begin; g < all.end; ++g) {
        const auto& log_weights = population.generation(g).log_weights();
        for (std::size_t i = 0; i < log_weights.size(); ++i)
            if (log_weights[i] > log_zero)
                log_max = std::max(log_max, log_smoothing[at(g)][i]);
    }
    log_max = ranks.max(log_max);
    const double scale = log_max > log_zero ? log_max : 0;

    enum Sum : std::size_t { size, weight, first, second, squares, n_sums };
    const auto place = [&](Index g, std::size_t p) { return (at(g - all.begin) * parts + p) * n_sums; };
    population::BlockSums sums(at(all.end - all.begin) * parts * n_sums);
    std::vector<std::array<double, n_sums>> of_block(parts);
    for (Index g = all.begin; g < all.end; ++g) {
        const auto& particles = population.generation(g);
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const auto log_weights = particles.of_block(particles.log_weights(), b),
                       smoothing = particles.of_block(log_smoothing[at(g)], b);
            const Index slot = particles.layout().first_local_item() + particles.block_begin(b);
            of_block.assign(parts, {});
            for (std::size_t i = 0; i < log_weights.size(); ++i) {
                auto& sum = of_block[slots[at(g)].part_of(slot + static_cast<Index>(i), parts)];
                const double w = std::exp(log_weights[i]), smooth = std::exp(smoothing[i] - scale);
                sum[Sum::size] += 1;
                sum[Sum::weight] += w;
                sum[Sum::first] += w * smooth;
                sum[Sum::second] += w * smooth * smooth;
                sum[Sum::squares] += w * w * smooth * smooth;
            }
            for (std::size_t p = 0; p < parts; ++p)
                for (std::size_t k = 0; k < n_sums; ++k)
                    sums.add(place(g, p) + k, of_block[p][k]);
        }
    }
    const auto total = sums.total(ranks);

    std::vector<WeightSums> found(parts);
    for (std::size_t p = 0; p < parts; ++p) {
        auto& standing = found[p];
        const auto& generations = generations_of_part[p];
        standing.log_scale = scale;
        for (Index g = generations.begin; g < generations.end; ++g)
            standing.particles += total[place(g, p) + Sum::size];
        for (Index g = generations.begin; g < generations.end; ++g) {
            const double* of_generation = &total[place(g, p)];
            const double share = standing.shares.emplace_back(of_generation[Sum::size] / standing.particles);
            standing.weight += share * of_generation[Sum::weight];
            standing.first += share * of_generation[Sum::first];
            standing.second += share * of_generation[Sum::second];
            standing.squares += share * share * of_generation[Sum::squares];
        }
    }
    return found;
}

void weigh(population::Population& population, const std::vector<std::vector<double>>& log_smoothing,
           const std::vector<SlotsByPart>& slots, std::span<const Generations> generations_of_part,
           std::span<const WeightSums> parts, double log_mean) {
    for (Index g = 0; g < population.n_generations(); ++g) {
        auto& particles = population.generation(g);
        for (Index slot = 0; slot < particles.local_size(); ++slot) {
            const auto p = slots[at(g)].part_of(particles.layout().first_local_item() + slot, parts.size());
            double& log_weight = particles.log_weights()[at(slot)];
            const auto& generations = generations_of_part[p];
            if (!generations.has(g)) {
                log_weight = log_zero;
                continue;
            }
            const double share = parts[p].shares[at(g - generations.begin)];
            log_weight += std::log(share) + log_smoothing[at(g)][at(slot)] - log_mean;
        }
    }
}

namespace {

bool is_watched(const population::Generation& particles, Index b) {
    constexpr Index watched_particles = 1024;
    return particles.layout().first_local_item() + particles.block_begin(b) < watched_particles;
}

} // namespace

void SmoothingWatch::remember(const parallel::Communicator& ranks, const model::GrowingStage& stage,
                              population::Generation& particles, const random::Seed& seed, Index tick) {
    before_.assign(at(particles.local_size()), 0.0);
    parallel::together(ranks, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b)
            if (is_watched(particles, b))
                stage.smooth(particles.block(b), block_streams(particles, b, seed, tick),
                             particles.of_block(before_, b));
    });
}

double SmoothingWatch::mobility(const parallel::Communicator& ranks, const population::Generation& particles,
                                const std::vector<double>& log_weights) const {
    double log_max = log_zero;
    for (Index b = 0; b < particles.local_blocks(); ++b)
        if (is_watched(particles, b))
            for (const auto& log_w : {particles.of_block(before_, b), particles.of_block(log_weights, b)})
                log_max = std::max(log_max, *std::ranges::max_element(log_w));
    log_max = ranks.max(log_max);
    constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
    if (!std::isfinite(log_max))
        return unknown;
    population::BlockSums sums(4);
    for (Index b = 0; b < particles.local_blocks(); ++b) {
        if (!is_watched(particles, b))
            continue;
        const auto log_shares = particles.of_block(particles.log_weights(), b), of_x = particles.of_block(before_, b),
                   of_moved = particles.of_block(log_weights, b);
        double all = 0, first = 0, second = 0, jump = 0; // sums of W, W w', W w'^2, W (w' - w)^2
        for (std::size_t i = 0; i < of_x.size(); ++i) {
            const double share = std::exp(log_shares[i]), w = std::exp(of_moved[i] - log_max),
                         change = w - std::exp(of_x[i] - log_max);
            all += share;
            first += share * w;
            second += share * w * w;
            jump += share * change * change;
        }
        sums.add(0, all);
        sums.add(1, first);
        sums.add(2, second);
        sums.add(3, jump);
    }
    const auto total = sums.total(ranks);
    const double mean = total[1] / total[0], variance = total[2] / total[0] - mean * mean;
    constexpr double rounding = 1e-12; // of the mean's square
    return variance > rounding * mean * mean ? total[3] / total[0] / (2 * variance) : unknown;
}

} // namespace pearlite::algorithm
