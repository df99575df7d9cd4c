#pragma once
/// Free energies of several states, from a file of their samples, as a result.

#include "app/result/parts/part.hpp"
#include "app/works/works_files.hpp"
#include "estimator/mbar/mbar.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::app {

/// Where samples come from.
struct SamplesSource {
    std::string file;
    std::string states;                ///< how the state of a sample is known: "columns 'fep-lambda'"
    std::vector<std::string> not_used; ///< columns
};

class MbarPart final : public ResultPart {
  public:
    /// `degrees`: of freedom of the error of the last state's free energy over the first's.
    MbarPart(estimator::Mbar mbar, const estimator::OwnershipTest& ownership, double degrees, SamplesSource source,
             std::vector<std::string> names, std::vector<Index> counts, EnergyUnit unit)
        : mbar_(std::move(mbar)),
          ownership_(ownership),
          degrees_(degrees),
          source_(std::move(source)),
          names_(std::move(names)),
          counts_(std::move(counts)),
          unit_(std::move(unit)) {}

    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    std::optional<Headline> headline() const override;

  private:
    std::vector<std::string> warnings() const;
    /// Whether the free energy of a state over the first has a meaningful error.
    bool has_error(Index state) const;

    double inefficiency(Index state) const;
    double effective(Index state) const;
    /// The sampled state whose samples stand for the fewest independent ones, if these are too few.
    std::optional<std::size_t> too_short() const;
    std::vector<Finding> objections(Index last) const;

    estimator::Mbar mbar_;
    estimator::OwnershipTest ownership_;
    double degrees_ = 0;
    SamplesSource source_;
    std::vector<std::string> names_;
    std::vector<Index> counts_;
    EnergyUnit unit_;
};

// Reduced potentials of samples of several states, from files.

/// u_k(x_n), K x N, and the state of each sample, in the order of the file.
struct StatesTable {
    std::vector<std::string> names; ///< K
    Matrix potentials;
    std::vector<Index> counts; ///< of the samples of each state
    std::vector<Index> own;    ///< N
    SamplesSource source;
};

/// .npz or .h5 with the arrays u_kn (K x N) and N_k (K), as pymbar takes them, samples state by state; or a table with
/// a header line and a row a sample: the state that it was drawn from, in the columns `state`, and its reduced
/// potentials in columns that are called as the states. Several columns make states as (0.5, 0); numbers are compared
/// as numbers. Without `state` it is the column "state", or all columns that end with "lambda". Columns among
/// `leave_out` are no states; times are none unless a sample is of a state of this name. InputError with line and
/// column.
StatesTable read_states(const std::filesystem::path& file, const std::vector<std::string>& state,
                        const std::vector<std::string>& leave_out);

} // namespace pearlite::app
