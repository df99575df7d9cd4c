#pragma once
/// A toy kernel: Metropolis with proposals from the prior. Nothing to learn.

#include "kernel/kernel.hpp"
#include "pearlite/path/detail/density_path.hpp"

namespace pearlite::kernel {

/// x' ~ prior; accepted with probability min(1, (L(x')/L(x))^b).
class Toy final : public Kernel {
  public:
    using Path = std::shared_ptr<const path::DensityPath>;

    Toy(Path path, Index moves) : path_(std::move(path)), moves_(moves) {}
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Toy>(*this); }

    Index moves() const override { return moves_; }
    bool accepts() const override { return true; }
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;

  private:
    Index propose_and_accept(model::DensityBlock& block, double b, const model::BlockStreams& streams) const;

    Path path_;
    Index moves_;
};

} // namespace pearlite::kernel
