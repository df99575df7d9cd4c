#include "kernel/kernel.hpp"

#include "pearlite/core/error.hpp"

namespace pearlite::kernel {

Index Kernel::anneal_reversed(Block&, double, double, const model::BlockStreams&, std::span<double>,
                              std::span<double>) const {
    throw ContractViolation("a kernel that cannot run backwards was asked to");
}

} // namespace pearlite::kernel
