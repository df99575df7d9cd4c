#pragma once
/// The kernels by which algorithms along a path move particles, as configurations know them (kernel.kind).

#include "kernel/kernel.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/target.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::kernel {

struct KernelEntry {
    std::string name;
    std::string about;  ///< "the model's own"
    Index moves = 1;    ///< per temperature, by default
    bool learns = true; ///< from a population: its proposals come from a pilot, or are tuned online
    /// Whether the kernel moves the states of models with these traits.
    bool (*suits)(const model::ModelTraits&) = nullptr;
    /// Makes the kernel for a target of a suitable model; `learnt` is learnt() of such a kernel, null before tuning.
    std::unique_ptr<Kernel> (*make)(std::shared_ptr<const model::Target> target, Index moves,
                                    const Matrix* learnt) = nullptr;
};

#define PEARLITE_KERNEL(name) KernelEntry name##_entry();
#include "kernel/list_of_kernels.inl"
#undef PEARLITE_KERNEL

/// The kernels of list_of_kernels.inl that suit a model, the default first. ContractViolation if there are none.
std::vector<KernelEntry> kernels_for(const model::ModelTraits& traits);

} // namespace pearlite::kernel
