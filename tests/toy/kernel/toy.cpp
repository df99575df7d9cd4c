#include "kernel/toy.hpp"

#include "kernel/registry.hpp"

#include <cmath>

namespace pearlite::kernel {

Index Toy::move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const {
    auto& points = path::points_of(block);
    path_->bring_to(points, b, streams);
    Index accepted = 0;
    for (Index m = 0; m < moves_; ++m) {
        auto of_move = streams;
        of_move.step = streams.step * static_cast<std::uint32_t>(moves_) + static_cast<std::uint32_t>(m);
        accepted += propose_and_accept(points, b, of_move);
    }
    path_->path_derivative(block, b, derivative);
    return accepted;
}

Index Toy::anneal(Block& block, double from, double to, const model::BlockStreams& streams,
                  std::span<double> increments, std::span<double> derivative) const {
    path_->add_log_ratio(block, from, to, increments);
    return move(block, to, streams, derivative);
}

Index Toy::propose_and_accept(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    const auto d = static_cast<std::size_t>(block.dimension());
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::move, i));
        path_->draw_prior(stream, {block.proposals.col(i).data(), d});
    }
    path_->evaluate(block, block.proposals, b, block.proposed_log_prior, block.proposed_log_likelihood, streams);
    Index accepted = 0;
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::accept, i));
        if (std::log(stream.uniform()) >=
            path_->power(b) * (block.proposed_log_likelihood(i) - block.log_likelihood(i)))
            continue;
        block.points.col(i) = block.proposals.col(i);
        block.log_prior(i) = block.proposed_log_prior(i);
        block.log_likelihood(i) = block.proposed_log_likelihood(i);
        ++accepted;
    }
    return accepted;
}

KernelEntry toy_entry() {
    class Factory final : public KernelFactory {
        std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                     const Matrix*) const override {
            const Toy::Path path(target, target->offers<path::DensityPath>());
            return std::make_unique<Toy>(path, moves.number.value_or(2));
        }
    };
    return {.name = "toy",
            .about = "draws from the prior",
            .moves = 2,
            .suits = [](const model::ModelTraits& traits) { return traits.continuous; },
            .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<Factory>(); }};
}

} // namespace pearlite::kernel
