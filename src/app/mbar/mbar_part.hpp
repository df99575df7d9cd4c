#pragma once
/// Free energies of several states, from a file of their samples, as a result.

#include "app/result/parts/part.hpp"
#include "app/works/works_files.hpp"
#include "estimator/mbar/mbar.hpp"

#include <filesystem>
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
    std::optional<Headline> headline() const override;

  private:
    std::vector<std::string> warnings() const;
    /// Whether the free energy of a state over the first has a meaningful error.
    bool has_error(Index state) const;

    estimator::Mbar mbar_;
    std::vector<std::string> names_;
    std::vector<Index> counts_;
    EnergyUnit unit_;
};

// Reduced potentials of samples of several states, from files.

/// u_k(x_n), K x N, and how many samples each state has; samples may come in any order.
struct StatesTable {
    std::vector<std::string> names; ///< K
    Matrix potentials;
    std::vector<Index> counts;
};

/// .npz or .h5 with the arrays u_kn (K x N) and N_k (K), as pymbar takes them; or a table with a header line and a row
/// a sample: the state that it was drawn from, in the column `state`, and its reduced potentials in columns that are
/// called as the states. Columns among `leave_out`, times say, are no states. InputError with line and column.
StatesTable read_states(const std::filesystem::path& file, const std::string& state,
                        const std::vector<std::string>& leave_out);

} // namespace pearlite::app
