#include "models/gaussian_process/covariance.hpp"

#include <cmath>

namespace pearlite::models {

Matrix Covariance::between(const Matrix& a, const Matrix& b) const {
    Matrix values(a.cols(), b.cols());
    for (Index j = 0; j < b.cols(); ++j)
        for (Index i = 0; i < a.cols(); ++i) {
            const double square = (a.col(i) - b.col(j)).squaredNorm() / (length_scale * length_scale);
            double correlation = 0;
            switch (kind) {
            case Kind::squared_exponential:
                correlation = std::exp(-0.5 * square);
                break;
            case Kind::matern32: {
                const double r = std::sqrt(3 * square);
                correlation = (1 + r) * std::exp(-r);
                break;
            }
            case Kind::matern52: {
                const double r = std::sqrt(5 * square);
                correlation = (1 + r + r * r / 3) * std::exp(-r);
                break;
            }
            }
            values(i, j) = variance() * correlation;
        }
    return values;
}

} // namespace pearlite::models
