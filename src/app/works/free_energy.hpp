#pragma once
/// Works, and the free energy difference in the user's unit, as parts of a result.

#include "app/result/parts/part.hpp"
#include "app/works/energy_unit.hpp"
#include "estimator/evidence/estimate.hpp"
#include "population/shards.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace pearlite::app {

class FreeEnergyPart final : public ResultPart {
  public:
    FreeEnergyPart(population::Shards forward, population::Shards reverse, std::optional<estimator::Estimate> headline,
                   EnergyUnit unit)
        : forward_(std::move(forward)),
          reverse_(std::move(reverse)),
          headline_(std::move(headline)),
          unit_(std::move(unit)) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;

  private:
    population::Shards forward_, reverse_;
    std::optional<estimator::Estimate> headline_; ///< of log Z/Z_0
    EnergyUnit unit_;
};

} // namespace pearlite::app
