#include "estimator/quantiles.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace pearlite::estimator {

double normal_quantile(double p) {
    return boost::math::quantile(boost::math::normal(), p);
}

double student_quantile(double degrees, double p) {
    return boost::math::quantile(boost::math::students_t(degrees), p);
}

} // namespace pearlite::estimator
