#include "algorithm/plans/algorithm.hpp"

namespace pearlite::algorithm {

const std::vector<AlgorithmEntry>& entries() {
    static const auto all = [] {
        std::vector<AlgorithmEntry> list;
#define PEARLITE_ALGORITHM(name) list.push_back(name##_entry());
#define PEARLITE_ALGORITHM_FAMILY(name)                                                                                \
    for (auto& entry : name##_entries())                                                                               \
        list.push_back(std::move(entry));
#include "algorithm/plans/list_of_algorithms.inl"
#undef PEARLITE_ALGORITHM
#undef PEARLITE_ALGORITHM_FAMILY
        return list;
    }();
    return all;
}

} // namespace pearlite::algorithm
