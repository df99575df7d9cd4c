#include "models/mixed_logistic/mixed_logistic.hpp"

#include "core/moments.hpp"

#include <cmath>
#include <map>

namespace pearlite::models {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const RowMajor> matrix(const LabelledArray& array) {
    return {array.values.data(), array.dimensions[0].size, array.dimensions[1].size};
}

/// The number of each row's subject, in order of first appearance.
std::vector<Index> subjects_of_rows(const LabelledArray& labels) {
    std::map<double, Index> numbers;
    std::vector<Index> subjects;
    for (const double label : labels.values)
        subjects.push_back(numbers.try_emplace(label, static_cast<Index>(numbers.size())).first->second);
    return subjects;
}

} // namespace

model::Prediction MixedLogistic::predict(std::span<const double> u, Index samples,
                                         const random::Address& address) const {
    const Point point = natural(u);
    const auto design = matrix(data_.constant[1]), effects_design = matrix(data_.constant[2]);
    const auto subjects = subjects_of_rows(data_.constant[0]);
    const Vector fixed = design * point.coefficients;
    random::Stream stream(address);
    LabelledArray y{"y",
                    {model::sample_dimension(samples), {"row", fixed.size()}},
                    {},
                    "responses of other subjects with the same covariates"};
    Matrix effects(n_effects_, n_subjects());
    for (Index s = 0; s < samples; ++s) {
        for (double& effect : effects.reshaped())
            effect = stream.normal();
        effects = product(1, point.factor, effects);
        for (Index row = 0; row < fixed.size(); ++row) {
            const Index subject = subjects[static_cast<std::size_t>(row)];
            const double predictor = fixed(row) + effects_design.row(row).dot(effects.col(subject));
            y.values.push_back(stream.uniform() < 1 / (1 + std::exp(-predictor)) ? 1 : 0);
        }
    }
    return {{std::move(y)}, {}};
}

} // namespace pearlite::models
