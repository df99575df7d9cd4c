#include "algorithm/survey/survey_record.hpp"

namespace pearlite::algorithm {

void Knots::fields(Fields& f) {
    f("inverse_temperature", inverse_temperature);
    f("mean_u", mean_u);
    f("tau", tau);
    f("sweeps", sweeps);
    f("is_lower_bound", is_lower_bound);
}

void SurveyRecord::fields(Fields& f) {
    group(f, "profile", profile);
    f("has_tau", has_tau);
    f("friction", friction);
    group(f, "knots", knots);
    f("learnt_at", learnt_at);
    f("repaired", repaired);
}

} // namespace pearlite::algorithm
