#include "algorithm/resample_move/parts.hpp"

#include "core/log_space.hpp"
#include "population/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pearlite::algorithm {

SlotsByPart slots_of_base(std::span<const Part> parts) {
    std::vector<std::int64_t> ends;
    for (const auto& part : parts)
        ends.push_back(part.end);
    return SlotsByPart(std::move(ends));
}

double Standing::log_mean() const {
    return log_scale + std::log(first);
}

double Standing::gamma() const {
    return first > 0 ? std::min(1.0, first * first / (weight * second)) : 0;
}

double Standing::ess() const {
    return first * first / squares;
}

Standing operator+(const Standing& a, const Standing& b) {
    return {a.log_scale,         a.particles + b.particles, {}, a.weight + b.weight, a.first + b.first,
            a.second + b.second, a.squares + b.squares};
}

std::vector<Standing> standing_by_part(const parallel::Communicator& ranks, const population::Population& population,
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

    std::vector<Standing> found(parts);
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
           std::span<const Standing> parts, double log_mean) {
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

} // namespace pearlite::algorithm
