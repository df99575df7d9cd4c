#include "kernel/registry.hpp"

namespace pearlite::kernel {

std::vector<KernelEntry> kernels_for(const model::ModelTraits& traits) {
    std::vector<KernelEntry> all;
#define PEARLITE_KERNEL(name) all.push_back(name##_entry());
#include "kernel/list_of_kernels.inl"
#undef PEARLITE_KERNEL
    std::erase_if(all, [&](const KernelEntry& entry) { return !entry.suits(traits); });
    PEARLITE_EXPECTS(!all.empty());
    return all;
}

} // namespace pearlite::kernel
