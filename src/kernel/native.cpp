#include "kernel/native.hpp"

#include "kernel/registry.hpp"
#include "pearlite/core/detail/contract.hpp"

namespace pearlite::kernel {

Native::Native(std::shared_ptr<const model::Target> target, Index sweeps)
    : target_(std::move(target)),
      transition_(target_->offers<model::Transition>()),
      reversed_(target_->offers<model::ReversedTransition>()),
      sweeps_(sweeps) {
    PEARLITE_EXPECTS(transition_ != nullptr && sweeps >= 1);
}

model::BlockStreams Native::of_sweep(model::BlockStreams streams, Index sweep) const {
    streams.step = streams.step * static_cast<std::uint32_t>(sweeps_) + static_cast<std::uint32_t>(sweep);
    return streams;
}

Index Native::move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const {
    for (Index sweep = 0; sweep < sweeps_; ++sweep)
        transition_->move(block, b, of_sweep(streams, sweep));
    target_->path_derivative(block, b, derivative);
    return 0;
}

Index Native::anneal(Block& block, double from, double to, const model::BlockStreams& streams,
                     std::span<double> increments, std::span<double> derivative) const {
    if (sweeps_ == 1) {
        transition_->anneal(block, from, to, of_sweep(streams, 0), increments, derivative);
        return 0;
    }
    target_->add_log_ratio(block, from, to, increments);
    return move(block, to, streams, derivative);
}

Index Native::anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                              std::span<double> increments, std::span<double> derivative) const {
    PEARLITE_EXPECTS(reversed_ != nullptr);
    if (sweeps_ == 1) {
        reversed_->anneal_reversed(block, from, to, of_sweep(streams, 0), increments, derivative);
        return 0;
    }
    target_->add_log_ratio(block, from, to, increments);
    for (Index sweep = 0; sweep < sweeps_; ++sweep)
        reversed_->move_reversed(block, to, of_sweep(streams, sweep));
    target_->path_derivative(block, to, derivative);
    return 0;
}

KernelEntry native_entry() {
    return {"native",
            "the model's own",
            1,
            false,
            [](const model::ModelTraits& traits) { return !traits.continuous; },
            [](std::shared_ptr<const model::Target> target, Index moves, const Matrix*) -> std::unique_ptr<Kernel> {
                return std::make_unique<Native>(std::move(target), moves);
            }};
}

} // namespace pearlite::kernel
