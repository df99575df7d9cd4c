#pragma once
/// The kernels by which algorithms along a path move particles, by their names in configurations (kernel.kind).

#include "kernel/kernel.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/model/detail/model_traits.hpp"
#include "pearlite/model/target.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::kernel {

/// The keys of a kernel, and kernels made by them.
class KernelFactory {
  public:
    virtual ~KernelFactory() = default;
    /// The traits of the model, before anything else is asked for.
    virtual void suit(const model::ModelTraits&) {}
    /// Lists the keys of [kernel] that this kernel alone has.
    virtual void keys(Keys&) {}
    /// A kernel for a target of a suitable model; `learnt` is learnt() of such a kernel, null before tuning.
    virtual std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                         const Matrix* learnt) const = 0;
};

struct KernelEntry {
    std::string name;
    std::string about;   ///< "the model's own"
    bool learns = false; ///< from a population: its proposals come from a pilot, or are tuned online
    /// Moves per temperature by default; none: automatic. An adaptive schedule makes 1 automatic, too.
    std::optional<Index> moves = {};
    /// Whether the kernel moves the states of models with these traits.
    bool (*suits)(const model::ModelTraits& traits) = nullptr;
    std::shared_ptr<KernelFactory> (*factory)() = nullptr;
};

#define PEARLITE_KERNEL(name) KernelEntry name##_entry();
#include "kernel/list_of_kernels.inl"
#undef PEARLITE_KERNEL

/// The kernels of list_of_kernels.inl that suit a model, the default first. ContractViolation if there are none. While
/// it is not known whether a model has a gradient, those that need one are among them.
std::vector<KernelEntry> kernels_for(const model::ModelTraits& traits);

} // namespace pearlite::kernel
