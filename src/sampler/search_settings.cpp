#include "pearlite/sampler/search_settings.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::sampler {

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

} // namespace pearlite::sampler
