#include "kernel/search/box/box_operation.hpp"

namespace pearlite::kernel {

const std::vector<BoxOperationEntry>& box_operations() {
    static const std::vector<BoxOperationEntry> all{
#define PEARLITE_BOX_OPERATION(name) name##_operation(),
#include "kernel/search/box/list_of_operations.inl"
#undef PEARLITE_BOX_OPERATION
    };
    return all;
}

} // namespace pearlite::kernel
