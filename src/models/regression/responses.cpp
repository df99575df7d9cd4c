#include "models/regression/responses.hpp"

namespace pearlite::models {

model::DataDescription describe_regression(const Matrix& design, const Vector& response, const Observed& observed,
                                           const std::vector<std::string>& names,
                                           const std::vector<Scaling>& scalings) {
    const LabelledDimension rows = observed.dimension(response.size()),
                            coefficients{"coefficient", design.cols(), names};
    model::DataDescription description{
        {labelled(observed.name, rows, response)}, {labelled("design", rows, coefficients, design)}, observed.rows};
    if (scalings.empty())
        return description;
    LabelledDimension covariates{"standardised", std::ssize(scalings)};
    Vector means(std::ssize(scalings)), sds(std::ssize(scalings));
    for (Index k = 0; k < std::ssize(scalings); ++k) {
        const auto& scaling = scalings[static_cast<std::size_t>(k)];
        covariates.labels.push_back(scaling.name);
        means(k) = scaling.mean;
        sds(k) = scaling.sd;
    }
    description.constant.push_back(labelled("standardised_mean", covariates, means));
    description.constant.push_back(labelled("standardised_sd", covariates, sds));
    return description;
}

} // namespace pearlite::models
