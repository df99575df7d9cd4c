#pragma once
/// A toy algorithm: annealed importance sampling in its shortest form, with a reduction at every temperature.

#include "algorithm/common/sampler.hpp"
#include "path/schedule.hpp"

#include <vector>

namespace pearlite::algorithm {

class Toy final : public Sampler {
  public:
    Toy(const parallel::Communicator& ranks, std::shared_ptr<const model::Target> target, path::Schedule schedule,
        const kernel::Kernel& kernel, const PopulationSettings& settings);

    void begin() override;
    bool finished() const override { return k_ == schedule_.steps(); }
    void step() override;
    void fields(Fields& f) override;

    Progress progress() const override;
    Outcome outcome() const override;
    Found found() override;

  private:
    /// One temperature: `visit(block, b, log weights, derivatives)` returns the accepted proposals.
    template <class Visit>
    void at_temperature(Index moves, const Visit& visit);

    parallel::Communicator ranks_;
    std::shared_ptr<const model::Target> target_;
    path::Schedule schedule_;
    std::unique_ptr<kernel::Kernel> kernel_;
    PopulationSettings settings_;
    population::Population population_;
    Index k_ = 0;
    Trace trace_;
    OnTheFly on_the_fly_;
};

} // namespace pearlite::algorithm
