#include "algorithm/spot_check/population_view.hpp"

#include "algorithm/common/recorded_draws.hpp"
#include "core/log_space.hpp"
#include "parallel/agreement.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <cmath>
#include <numeric>

namespace pearlite::algorithm {

std::span<const double> PopulationView::Part::point(Index local) const {
    const Matrix& points = particles ? path::points_of(particles->block(local / layout.block())).points : draws;
    const Index column = particles ? local % layout.block() : local;
    return {points.col(column).data(), at(points.rows())};
}

PopulationView::PopulationView(const parallel::Communicator& ranks, const model::Target& target, const Found& found,
                               double renewals)
    : ranks_(ranks),
      dimension_(target.offers<path::DensityPath>()->dimension()),
      renewals_(renewals),
      shares_of_weight_(at(found.n_replicates()), 1.0) {
    if (found.n_replicates() > 1) {
        const double log_sum = log_sum_exp(found.log_ratios);
        std::transform(found.log_ratios.begin(), found.log_ratios.end(), shares_of_weight_.begin(),
                       [log_sum](double log_ratio) { return std::exp(log_ratio - log_sum); });
    }
    for (Index r = 0; r < found.n_replicates(); ++r) {
        if (found.draws)
            add_draws(target, found, r);
        else
            add_particles(found, r);
        auto& part = parts_.back();
        const double shift =
            std::log(shares_of_weight_[at(r)]) - population::summarise(ranks_, part.layout, part.log_weights).log_sum;
        for (double& log_weight : part.log_weights)
            log_weight += shift;
    }
}

void PopulationView::add_particles(const Found& found, Index replicate) {
    const auto particles = shares_of(ranks_, found, replicate).front();
    const auto log_weights = particles.log_weights();
    Part part{particles.layout(),
              particles,
              {},
              {log_weights.begin(), log_weights.end()},
              particles.here() ? particles.here()->eves() : std::vector<std::int64_t>(),
              particles.size()};
    parts_.push_back(std::move(part));
}

void PopulationView::add_draws(const model::Target& target, const Found& found, Index replicate) {
    const auto* draws = found.has_replicate(replicate) ? found.replicate(replicate).draws : nullptr;
    const auto layout = layout_of_draws(ranks_, draws);
    Part part{layout,
              {},
              Matrix(dimension_, layout.local_items()),
              std::vector<double>(at(layout.local_items()), 0.0),
              std::vector<std::int64_t>(at(layout.local_items())),
              layout.blocks()};
    parallel::together(ranks_, [&] {
        const auto block = target.make_block(1);
        for (Index i = 0; i < layout.local_items(); ++i) {
            draws->unpack(i / layout.block(), i % layout.block(), *block, 0);
            part.draws.col(i) = path::points_of(*block).points.col(0);
            part.families[at(i)] = (layout.first_local_item() + i) / layout.block();
        }
    });
    parts_.push_back(std::move(part));
}

Matrix PopulationView::starts(Index n, const random::Seed& seed) const {
    // The n largest of log W + g, g from Gumbel's distribution, are draws by W without replacement.
    struct Item {
        double key;
        std::size_t part;
        Index local;
    };
    std::vector<Item> items;
    for (std::size_t r = 0; r < parts_.size(); ++r)
        for (Index i = 0; i < parts_[r].layout.local_items(); ++i)
            if (const double log_weight = parts_[r].log_weights[at(i)]; log_weight > log_zero) {
                random::Stream stream({seed, random::Purpose::posterior_draw,
                                       random::slot_id(static_cast<Index>(r), parts_[r].layout.first_local_item() + i),
                                       0});
                items.push_back({log_weight - std::log(stream.exponential()), r, i});
            }
    const auto kept = std::min(n, static_cast<Index>(items.size()));
    std::partial_sort(items.begin(), items.begin() + kept, items.end(),
                      [](const Item& a, const Item& b) { return a.key > b.key; });
    std::vector<double> keys, numbers;
    for (const auto& item : std::span(items).first(at(kept))) {
        keys.push_back(item.key);
        const auto point = parts_[item.part].point(item.local);
        numbers.insert(numbers.end(), point.begin(), point.end());
    }
    keys = ranks_.all_gather(std::span<const double>(keys));
    numbers = ranks_.all_gather(std::span<const double>(numbers));
    std::vector<std::size_t> order(keys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, std::greater{}, [&](std::size_t k) { return keys[k]; });
    order.resize(std::min(order.size(), at(n)));
    Matrix points(dimension_, static_cast<Index>(order.size()));
    for (Index k = 0; k < points.cols(); ++k)
        points.col(k) = Eigen::Map<const Vector>(numbers.data() + at(dimension_) * order[at(k)], dimension_);
    return points;
}

estimator::SpotShares PopulationView::shares(std::span<const estimator::HalfMass> ellipsoids) const {
    std::vector<estimator::SpotShares> of_parts;
    for (const auto& part : parts_) {
        Matrix inside(static_cast<Index>(ellipsoids.size()), part.layout.local_items());
        for (Index i = 0; i < inside.cols(); ++i)
            for (Index k = 0; k < inside.rows(); ++k)
                inside(k, i) = ellipsoids[at(k)].holds(part.point(i)) ? 1 : 0;
        const population::Families families(ranks_, part.n_families, part.families);
        of_parts.push_back(estimator::spot_shares(ranks_, part.layout, part.log_weights, families, inside));
    }
    auto all = estimator::combined(of_parts, shares_of_weight_);
    all.families *= std::max(renewals_, 1.0);
    return all;
}

} // namespace pearlite::algorithm
