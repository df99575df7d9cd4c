#pragma once
/// Logarithms of products over the units of a layer, sixteen chains at a time.

#include "models/rbm/kernels/kernels.hpp"
#include "pearlite/core/types.hpp"

#include <cmath>

namespace pearlite::models {

/// A product of factors between 1 and 2^64 by lane, as a logarithm.
class LogProduct {
  public:
    void multiply(const float (&factors)[rbm_kernels::tile_chains]) {
        for (Index lane = 0; lane < rbm_kernels::tile_chains; ++lane)
            product_[lane] *= static_cast<double>(factors[lane]);
        if (++n_ == 15) // 2^960
            fold();
    }
    /// Log of the product of all factors so far.
    double at(Index lane) {
        if (n_ > 0)
            fold();
        return sum_[lane];
    }

  private:
    void fold() {
        for (Index lane = 0; lane < rbm_kernels::tile_chains; ++lane) {
            sum_[lane] += std::log(product_[lane]);
            product_[lane] = 1;
        }
        n_ = 0;
    }

    double product_[rbm_kernels::tile_chains] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
           sum_[rbm_kernels::tile_chains] = {};
    int n_ = 0;
};

} // namespace pearlite::models
