#include "pearlite/sampler/replica_exchange.hpp"

#include "pearlite/core/contract.hpp"

#include <cmath>

namespace pearlite::sampler {

ExchangeDecision decide_exchange(std::span<const double> below, std::span<const double> above,
                                 const model::BlockStreams& streams) {
    PEARLITE_EXPECTS(below.size() == above.size());
    ExchangeDecision decision{std::vector<std::uint8_t>(below.size()), std::vector<double>(below.size())};
    for (std::size_t i = 0; i < below.size(); ++i) {
        const double log_alpha = below[i] + above[i];
        random::Stream stream(streams.at(random::Purpose::swap, static_cast<Index>(i)));
        decision.which[i] = std::log(stream.uniform()) < log_alpha;
        decision.probability[i] = log_alpha >= 0 ? 1 : std::exp(log_alpha);
    }
    return decision;
}

} // namespace pearlite::sampler
