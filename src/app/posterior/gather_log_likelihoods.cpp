#include "app/posterior/gather_posterior.hpp"

#include "parallel/agreement.hpp"
#include "pearlite/model/detail/log_likelihoods.hpp"

namespace pearlite::app {

namespace {

constexpr Index most_log_likelihoods = 5'000'000; ///< on rank 0, over all draws and data points
constexpr Index draws_abreast = 64;

/// The log likelihoods of some draws, one draw after another.
std::vector<double> log_likelihoods_of(const model::Target& target, const LocalDraws& draws,
                                       std::span<const Index> places) {
    std::vector<double> values;
    for (std::size_t first = 0; first < places.size(); first += draws_abreast) {
        const auto some = places.subspan(first, std::min(places.size() - first, std::size_t{draws_abreast}));
        const auto block = target.make_block(std::ssize(some));
        for (std::size_t i = 0; i < some.size(); ++i)
            draws.copy(some[i], *block, static_cast<Index>(i));
        const Matrix of_draws = target.offers<model::BlockLogLikelihoods>()->log_likelihoods(*block);
        values.insert(values.end(), of_draws.data(), of_draws.data() + of_draws.size());
    }
    return values;
}

/// The number of log likelihoods of one draw; 0 if this rank has no draw.
Index data_points_here(const model::Target& target, const std::vector<LocalDraws>& draws) {
    for (const auto& some : draws)
        if (!some.places.empty())
            return std::ssize(log_likelihoods_of(target, some, std::span(some.places).first(1)));
    return 0;
}

/// Every `thin`-th draw of a chain, counted from its first one.
std::vector<Index> every(Index thin, const LocalDraws& draws) {
    std::vector<Index> kept;
    for (std::size_t i = 0; i < draws.places.size(); ++i)
        if ((draws.begin + static_cast<Index>(i)) % thin == 0)
            kept.push_back(draws.places[i]);
    return kept;
}

} // namespace

LocalDraws draws_of_replicate(const parallel::Communicator& ranks, const algorithm::Found& found, Index replicate,
                              const SamplesPart& part, bool are_recorded, std::vector<Index> places) {
    const auto numbers = ranks.all_gather(std::ssize(places));
    LocalDraws draws{std::move(places), 0, {}};
    for (Index rank = 0; rank < ranks.rank(); ++rank)
        draws.begin += numbers[static_cast<std::size_t>(rank)];
    if (are_recorded) {
        draws.copy = [recorded = found.replicate(replicate).draws, n = part.layout.block()](Index place, Block& block,
                                                                                            Index slot) {
            recorded->unpack(place / n, place % n, block, slot);
        };
        return draws;
    }
    draws.copy = [share = shares_of(ranks, found, replicate).front()](Index place, Block& block, Index slot) {
        std::vector<std::byte> packed(share.particle_bytes());
        share.pack(place, packed);
        block.unpack(slot, packed);
    };
    return draws;
}

void gather_log_likelihoods(const parallel::Communicator& ranks, const model::Target& target,
                            const std::vector<LocalDraws>& draws, bool chains_are_whole, Posterior& result) {
    if (!target.offers<model::BlockLogLikelihoods>())
        return;
    Index here = 0;
    std::vector<std::vector<double>> values;
    parallel::together(ranks, [&] { here = data_points_here(target, draws); });
    const Index points = ranks.max(here);
    Index n = 0;
    for (const auto& some : draws)
        n += std::ssize(some.places);
    const Index all = ranks.sum(n) * points;
    const Index thin = result.log_likelihoods_every =
        std::max<Index>((all + most_log_likelihoods - 1) / most_log_likelihoods, 1);
    parallel::together(ranks, [&] {
        if (chains_are_whole)
            values.emplace_back();
        for (const auto& some : draws) {
            auto more = log_likelihoods_of(target, some, every(thin, some));
            if (chains_are_whole)
                values.front().insert(values.front().end(), more.begin(), more.end());
            else
                values.push_back(std::move(more));
        }
    });
    std::vector<double> gathered;
    for (const auto& of_chain : values) {
        const auto more = ranks.gather(std::span<const double>(of_chain));
        gathered.insert(gathered.end(), more.begin(), more.end());
    }
    if (!gathered.empty())
        result.log_likelihoods =
            Eigen::Map<const Matrix>(gathered.data(), points, static_cast<Index>(gathered.size()) / points);
}

} // namespace pearlite::app
