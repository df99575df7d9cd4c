#pragma once
/// Independent Metropolis-Hastings with a mixture of Student t distributions, fitted to the population.

#include "kernel/density/density_kernel.hpp"
#include "random/student_mixture.hpp"

#include <optional>

namespace pearlite::kernel {

/// x' ~ q, accepted with probability min(1, f_b(x') q(x)/(f_b(x) q(x'))), q a mixture of Student t distributions
/// (Tierney 1994, "Markov chains for exploring posterior distributions", section 2.3.3).
///
/// At each temperature q is fitted to the weighted population by expectation-maximisation, from components along its
/// longest axis. The sums of its steps are exact, so q is the same on any number of ranks. Components that explain too
/// little are dropped; a population supports one component for each 5 (d + 1) particles.
///
/// The extra numbers of a row: degrees of freedom; then weight, mean and factor column by column of each component,
/// with weight 0 in place of missing ones.
class StudentProposals : public DensityKernel {
  public:
    struct Family {
        Index components = 3;          ///< at most
        double degrees_of_freedom = 5; ///< > 2
    };
    StudentProposals(Path path, const MoveSettings& moves, const Matrix* learnt, const Family& family);
    StudentProposals(Path path, const MoveSettings& moves) : StudentProposals(std::move(path), moves, nullptr, {}) {}
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<StudentProposals>(*this); }

    void begin_block(model::DensityBlock& block, double b) const override;
    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;
    void learn_extra(const parallel::Communicator& ranks, const population::Generation& generation, const Shape& shape,
                     std::span<double> out) override;
    bool tunes_scale() const override { return false; }

    /// The extra numbers of a mixture, which has no more components than `family`.
    static std::vector<double> numbers_of(const random::StudentMixture& mixture, const Family& family);

  protected:
    void prepare() override;
    /// log q of the block's columns of `points`.
    virtual void log_proposal(const model::DensityBlock& block, const Matrix& points, Vector& out) const;

  private:
    Family family_;
    std::optional<random::StudentMixture> mixture_; ///< none before the first step
    mutable Vector log_q_, proposed_log_q_;         ///< of the points and proposals of one block
};

} // namespace pearlite::kernel
