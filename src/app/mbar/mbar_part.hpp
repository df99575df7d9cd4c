#pragma once
/// Free energies of several states as a result.

#include "app/result/parts/part.hpp"
#include "app/works/energy_unit.hpp"
#include "estimator/mbar/mbar.hpp"

#include <string>
#include <vector>

namespace pearlite::app {

class MbarPart final : public ResultPart {
  public:
    MbarPart(estimator::Mbar mbar, std::vector<std::string> names, std::vector<Index> counts, EnergyUnit unit)
        : mbar_(std::move(mbar)), names_(std::move(names)), counts_(std::move(counts)), unit_(std::move(unit)) {}

    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    std::optional<Headline> headline(bool has_warnings) const override;

  private:
    std::vector<std::string> warnings() const;
    /// Whether the free energy of a state over the first has a meaningful error.
    bool has_error(Index state) const;

    estimator::Mbar mbar_;
    std::vector<std::string> names_;
    std::vector<Index> counts_;
    EnergyUnit unit_;
};

} // namespace pearlite::app
