#include "pearlite/path/detail/density_path.hpp"

#include "pearlite/core/error.hpp"

#include <string>

namespace pearlite::path {

namespace {

std::string complaint(const std::vector<std::string>& names, const Matrix& points, double log_prior,
                      double log_likelihood, Index i, const model::BlockStreams& streams) {
    std::string text = "log prior " + std::to_string(log_prior) + ", log likelihood " + std::to_string(log_likelihood) +
                       " at step " + std::to_string(streams.step) + ", particle " +
                       std::to_string(streams.first_slot + i) + ":";
    for (std::size_t k = 0; k < names.size(); ++k)
        text += " " + names[k] + " = " + std::to_string(points(static_cast<Index>(k), i));
    return text;
}

} // namespace

void DensityPath::require_numbers(const Matrix& points, Index n, const Vector& log_prior, const Vector& log_likelihood,
                                  const model::BlockStreams& streams) const {
    for (Index i = 0; i < n; ++i)
        if (!(log_likelihood(i) < infinity) || !(log_prior(i) < infinity))
            throw NumericalError(complaint(coordinate_names(), points, log_prior(i), log_likelihood(i), i, streams));
}

} // namespace pearlite::path
