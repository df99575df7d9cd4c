#pragma once
/// Several kernels of densities that take turns at random.

#include "kernel/density/density_kernel.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace pearlite::kernel {

/// Each transition of a block is that of one part, drawn by the parts' shares at the block's address. The draw does not
/// depend on the states, so that the mixture leaves p_b invariant and is its own time reversal, like its parts (Tierney
/// 1994, section 2.4). All parts have the population's shape; each has its own scale, which follows the acceptance of
/// its own proposals.
///
/// The extra numbers of a row: scale and extra numbers of each part.
class KernelMixture : public DensityKernel {
  public:
    struct Part {
        std::unique_ptr<DensityKernel> kernel;
        double share = 1; ///< above 0, relative to those of the others
    };
    /// ContractViolation without parts.
    KernelMixture(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                  std::vector<Part> parts);
    KernelMixture(const KernelMixture& other);
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<KernelMixture>(*this); }

    double evaluations_per_move() const override;

    void begin_block(model::DensityBlock& block, double b) const override;
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;
    void learn_extra(const parallel::Communicator& ranks, const population::Generation& generation, const Shape& shape,
                     std::span<double> out) override;
    bool tunes_scale() const override;
    /// Collective, after learn_extra().
    void tune_scale(double acceptance) override;

    const DensityKernel& part(std::size_t k) const { return *parts_[k].kernel; }

  protected:
    void prepare() override;

  private:
    /// Calls visit(part, its numbers in `extra`) for each part.
    template <class Visit>
    void for_each_part(std::span<double> extra, const Visit& visit) const;
    void forget_tally() const;

    std::vector<Part> parts_;
    std::optional<parallel::Communicator> ranks_;  ///< who learn together
    mutable std::vector<std::int64_t> tally_;      ///< proposals, accepted of each part since the last look
    mutable const DensityKernel* begun_ = nullptr; ///< the part that knows the present states of the block
};

} // namespace pearlite::kernel
