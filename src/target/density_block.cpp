#include "pearlite/model/detail/density_block.hpp"

#include <map>

namespace pearlite::model {

std::shared_ptr<DensityScratch> DensityScratch::of_size(Index dimension, Index padded) {
    static std::map<std::pair<Index, Index>, std::weak_ptr<DensityScratch>> all;
    auto& entry = all[{dimension, padded}];
    auto scratch = entry.lock();
    if (!scratch) {
        const Matrix points = Matrix::Zero(dimension, padded);
        const Vector numbers = Vector::Zero(padded);
        scratch = std::make_shared<DensityScratch>(DensityScratch{points, points, numbers, numbers});
        entry = scratch;
    }
    return scratch;
}

} // namespace pearlite::model
