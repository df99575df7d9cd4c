#include "algorithm/search/search_settings.hpp"

namespace pearlite::algorithm {

double TemperatureLadder::operator()(Index t) const {
    switch (kind) {
    case Kind::square_root:
        return high * std::sqrt(static_cast<double>(n) / static_cast<double>(std::max(t, n))) + low;
    case Kind::geometric:
        return n <= 1 || t >= n ? low
                                : high * std::pow(low / high, static_cast<double>(t - 1) / static_cast<double>(n - 1));
    case Kind::constant:
        break;
    }
    return low;
}

double GainFactor::operator()(Index t) const {
    return t <= n ? 1 : std::pow(static_cast<double>(n) / static_cast<double>(t), beta);
}

void SearchSettings::check() const {
    PEARLITE_EXPECTS(chains >= 1 && iterations >= 1 && sync_every >= 1 && average_every >= 1);
    PEARLITE_EXPECTS(partition || range_iterations >= 2);
    PEARLITE_EXPECTS(!average_from || (sync_every == 1 && bias != Bias::own && !aleph));
    PEARLITE_EXPECTS(!resample_below || (*resample_below > 0 && *resample_below <= 1 && sync_every == 1 &&
                                         bias != Bias::own && !aleph && !average_from));
    PEARLITE_EXPECTS(fixed_theta.empty() ||
                     (partition && static_cast<Index>(fixed_theta.size()) == partition->regions()));
}

} // namespace pearlite::algorithm
