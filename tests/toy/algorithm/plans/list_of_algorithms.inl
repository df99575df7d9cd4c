#include "../../../../src/algorithm/plans/list_of_algorithms.inl"
PEARLITE_ALGORITHM(toy)
