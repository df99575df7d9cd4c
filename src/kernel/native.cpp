#include "kernel/native.hpp"

#include "kernel/registry.hpp"
#include "pearlite/model/detail/locate_errors.hpp"

namespace pearlite::kernel {

Native::Native(std::shared_ptr<const model::Target> target, const MoveSettings& sweeps, const Matrix* learnt)
    : target_(std::move(target)),
      transition_(target_->offers<model::Transition>()),
      reversed_(target_->offers<model::ReversedTransition>()),
      count_(sweeps),
      is_given_(learnt != nullptr) {
    PEARLITE_EXPECTS(transition_ != nullptr && (!learnt || !count_.is_automatic() || learnt->cols() == 1));
    if (learnt && count_.is_automatic())
        sweeps_.assign(learnt->data(), learnt->data() + learnt->size());
}

void Native::adapt(const parallel::Communicator&, const population::Generation&, Index step,
                   const population::WeightSummary*) {
    step_ = step;
    if (!count_.is_automatic())
        return;
    if (!is_given_)
        return count_.begin();
    const Index row = learnt_row(step);
    PEARLITE_EXPECTS(row >= 1 && row < static_cast<Index>(sweeps_.size()));
    count_.begin(static_cast<Index>(sweeps_[static_cast<std::size_t>(row)]));
}

bool Native::tune(const Motion& motion, double log_weight_sd) {
    const bool more = count_.wants_more(motion.smallest(), log_weight_sd);
    sweeps_.resize(static_cast<std::size_t>(step_) + 1, 1.0);
    sweeps_.back() = static_cast<double>(count_.total());
    return more;
}

model::BlockStreams Native::of_sweep(model::BlockStreams streams, Index sweep) const {
    streams.step = streams.step * static_cast<std::uint32_t>(count_.stride()) + static_cast<std::uint32_t>(sweep);
    return streams;
}

Index Native::move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const {
    model::locate_errors(streams, block.size(), [&] {
        for (Index sweep = count_.made(); sweep < count_.total(); ++sweep)
            transition_->move(block, b, of_sweep(streams, sweep));
        target_->path_derivative(block, b, derivative);
    });
    return 0;
}

Index Native::anneal(Block& block, double from, double to, const model::BlockStreams& streams,
                     std::span<double> increments, std::span<double> derivative) const {
    if (is_one_sweep()) {
        model::locate_errors(streams, block.size(), [&] {
            transition_->anneal(block, from, to, of_sweep(streams, 0), increments, derivative);
        });
        return 0;
    }
    target_->add_log_ratio(block, from, to, increments);
    return move(block, to, streams, derivative);
}

Index Native::anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                              std::span<double> increments, std::span<double> derivative) const {
    PEARLITE_EXPECTS(reversed_ != nullptr);
    if (is_one_sweep()) {
        model::locate_errors(streams, block.size(), [&] {
            reversed_->anneal_reversed(block, from, to, of_sweep(streams, 0), increments, derivative);
        });
        return 0;
    }
    target_->add_log_ratio(block, from, to, increments);
    for (Index sweep = 0; sweep < count_.total(); ++sweep)
        reversed_->move_reversed(block, to, of_sweep(streams, sweep));
    target_->path_derivative(block, to, derivative);
    return 0;
}

Matrix Native::learnt() const {
    return Eigen::Map<const Matrix>(sweeps_.data(), static_cast<Index>(sweeps_.size()), sweeps_.empty() ? 0 : 1);
}

void Native::fields(Fields& f) {
    if (!count_.is_automatic())
        return;
    f("sweeps", sweeps_);
    group(f, "moves", count_);
}

KernelEntry native_entry() {
    class Factory final : public KernelFactory {
        std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& sweeps,
                                     const Matrix* learnt) const override {
            return std::make_unique<Native>(std::move(target), sweeps, learnt);
        }
    };
    return {.name = "native",
            .about = "the model's own",
            .learns = false,
            .moves = 1,
            .suits = [](const model::ModelTraits& traits) { return !traits.continuous; },
            .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<Factory>(); }};
}

} // namespace pearlite::kernel
