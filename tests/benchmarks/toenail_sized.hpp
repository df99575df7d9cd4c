#pragma once
/// Simulated data with the numbers of subjects and visits of the toenail study, and their mixed logistic regression.

#include "core/log_space.hpp"
#include "models/mixed_logistic/mixed_logistic_design.hpp"
#include "pearlite/random/stream.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::benchmarks {

/// Visits of so many patients, as in the toenail data.
inline constexpr std::array<std::pair<Index, Index>, 7> visits{
    {{7, 224}, {6, 39}, {5, 10}, {4, 6}, {3, 7}, {2, 3}, {1, 5}}};

inline models::MixedLogisticSettings toenail_sized(bool slope, Index samples) {
    random::Stream stream({1, random::Purpose::synthetic_data, 0, 0});
    std::vector<double> patient, outcome, treatment, month;
    double id = 0;
    for (const auto& [n_visits, n_patients] : visits)
        for (Index i = 0; i < n_patients; ++i) {
            const double treated = stream.bernoulli(0.5) ? 1 : 0, intercept = 4 * stream.normal();
            for (Index visit = 0; visit < n_visits; ++visit) {
                const double when = 2 * static_cast<double>(visit);
                patient.push_back(id);
                treatment.push_back(treated);
                month.push_back(when);
                outcome.push_back(stream.bernoulli(logistic(-1.6 + intercept - (0.39 + 0.14 * treated) * when)));
            }
            ++id;
        }
    const auto column = [](const std::vector<double>& values) {
        return Vector(Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
    };
    auto design =
        models::toenail(column(patient), column(outcome), column(treatment), column(month),
                        slope ? std::vector<std::string>{"intercept", "month"} : std::vector<std::string>{"intercept"});
    design.settings.samples = samples;
    return design.settings;
}

} // namespace pearlite::benchmarks
