#include "../../../../src/estimator/work/list_of_estimators.inl"
PEARLITE_WORK_ESTIMATORS(toy)
