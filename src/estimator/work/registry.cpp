#include "estimator/work/work.hpp"

namespace pearlite::estimator {

const std::vector<WorkEstimator>& work_estimators() {
    static const auto all = [] {
        std::vector<WorkEstimator> list;
#define PEARLITE_WORK_ESTIMATORS(name)                                                                                 \
    for (auto& estimator : name##_estimators())                                                                        \
        list.push_back(std::move(estimator));
#include "estimator/work/list_of_estimators.inl"
#undef PEARLITE_WORK_ESTIMATORS
        return list;
    }();
    return all;
}

} // namespace pearlite::estimator
