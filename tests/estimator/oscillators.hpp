#pragma once
/// Harmonic oscillators u_k(x) = (x - a_k)^2/(2 s_k^2) + c_k, whose free energies are known: f_k = c_k - log s_k.

#include "estimator/mbar/mbar.hpp"
#include "pearlite/random/stream.hpp"

#include <cmath>
#include <vector>

namespace pearlite::estimator::testing {

struct Oscillators {
    std::vector<double> centres, sds, offsets;
    std::vector<Index> samples;

    Index states() const { return std::ssize(centres); }
    double exact(Index k) const { return offsets[at(k)] - offsets[0] - std::log(sds[at(k)] / sds[0]); }

    /// Samples of all states, one state after another, dealt among these ranks.
    ReducedPotentials draw(std::uint64_t seed,
                           const parallel::Communicator& ranks = parallel::Communicator::alone()) const {
        std::vector<double> points;
        for (Index k = 0; k < states(); ++k) {
            random::Stream stream({seed, random::Purpose::test, static_cast<std::uint64_t>(k), 0});
            for (Index n = 0; n < samples[at(k)]; ++n)
                points.push_back(centres[at(k)] + sds[at(k)] * stream.normal());
        }
        ReducedPotentials data;
        data.ranks = ranks;
        data.layout = parallel::BlockLayout(std::ssize(points), mbar_block, ranks.size(), ranks.rank());
        data.counts = samples;
        data.here.resize(states(), data.layout.local_items());
        for (Index i = 0; i < data.here.cols(); ++i)
            for (Index k = 0; k < states(); ++k) {
                const double z = (points[at(data.layout.first_local_item() + i)] - centres[at(k)]) / sds[at(k)];
                data.here(k, i) = 0.5 * z * z + offsets[at(k)];
            }
        return data;
    }
};

/// Five of them, the last without samples.
inline Oscillators five_oscillators(Index n) {
    return {{0, 1, 2, 3, 2.5}, {1, 0.8, 1.2, 0.7, 0.9}, {0, 3, -20, 400, 1}, {n, n, 2 * n, n, 0}};
}

} // namespace pearlite::estimator::testing
