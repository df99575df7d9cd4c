#pragma once
/// The data of a search that are the same on every rank, with the scales of its proposals.

#include "algorithm/search/bias/adaptive_bias.hpp"
#include "algorithm/search/bias/report_window.hpp"
#include "algorithm/search/search_settings.hpp"
#include "core/log_space.hpp"
#include "pearlite/model/energy/detail/space.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace pearlite::algorithm {

// Scales of proposals, adapted while a pilot lasts.

/// After the k-th iteration of an operation with a scale: log s^2 += 3 k^-0.6 (a - a_wanted), where a is the fraction
/// of its proposals that were accepted (Andrieu & Thoms 2008). The scale stays fixed once adapt() is no longer called.
/// Operations that are not tuned keep their first scale.
class ProposalScales {
  public:
    ProposalScales(std::span<const model::Operation> operations, double wanted_acceptance)
        : wanted_acceptance_(wanted_acceptance) {
        for (const auto& operation : operations) {
            scales_.push_back(operation.has_scale ? operation.first_scale : std::numeric_limits<double>::quiet_NaN());
            is_tuned_.push_back(operation.has_scale && operation.is_tuned);
            adaptations_.push_back(0);
        }
    }

    double operator[](Index op) const { return scales_[static_cast<std::size_t>(op)]; }
    const std::vector<double>& values() const { return scales_; }

    void adapt(Index op, double acceptance) {
        const auto k = static_cast<std::size_t>(op);
        if (!is_tuned_[k])
            return;
        const double step = 3 * std::pow(static_cast<double>(++adaptations_[k]), -0.6);
        scales_[k] *= std::exp(0.5 * step * (acceptance - wanted_acceptance_));
    }

    void fields(Fields& f) {
        f("scales", scales_);
        f("adaptations", adaptations_);
    }

  private:
    double wanted_acceptance_;
    std::vector<double> scales_;
    std::vector<std::int64_t> adaptations_;
    std::vector<bool> is_tuned_;
};

/// Regions, theta, the energies of all chains as last shared, scales, and the record of the search. Every rank feeds
/// it the same reports, so it is the same on every rank.
class SearchMemory {
  public:
    SearchMemory(const SearchSettings& settings, std::span<const model::Operation> operations);

    const model::EnergyPartition& partition() const { return partition_; }
    std::span<const double> energies() const { return energies_; }
    /// The region of a chain's state, as last shared.
    Index region(std::size_t chain) const { return regions_[chain]; }
    double theta(std::size_t chain, Index region) const {
        if (!fixed_theta_.empty())
            return fixed_theta_[static_cast<std::size_t>(region)];
        if (biases_.empty())
            return 0;
        return biases_[biases_.size() == 1 ? 0 : chain].theta(region);
    }
    double best_energy() const { return best_energy_; }
    std::int64_t evaluations() const { return evaluations_; }
    model::ProposalScale scale(Index operation) const {
        return {scales_[operation], scale_by_region_ && is_main_ ? &partition_ : nullptr};
    }

    /// The acceptance of proposals, for a loop over chains at one temperature, until the memory changes.
    class Acceptance {
      public:
        Acceptance(const SearchMemory& memory, double temperature)
            : memory_(memory),
              has_one_bias_(memory.fixed_theta_.empty() && memory.biases_.size() == 1),
              last_region_(memory.last_region_),
              temperature_(temperature),
              bias_(has_one_bias_ ? AdaptiveBias::View(memory.biases_.front()) : AdaptiveBias::View()) {}

        /// log f(x') - log f(x) + log_ratio, x' of energy `proposed` in region `to`, x of `energy` in `from`; -inf for
        /// a proposal outside the space.
        double operator()(std::size_t chain, double energy, Index from, double proposed, Index to,
                          double log_ratio) const {
            if (!(proposed < infinity) || to > last_region_)
                return log_zero;
            if (from > last_region_)
                return infinity; // left outside by a shrink: the first proposal inside is taken
            const double before = has_one_bias_ ? bias_.theta(from) : memory_.theta(chain, from);
            const double after = has_one_bias_ ? bias_.theta(to) : memory_.theta(chain, to);
            return (energy - proposed) / temperature_ + before - after + log_ratio;
        }

      private:
        const SearchMemory& memory_;
        bool has_one_bias_;
        Index last_region_;
        double temperature_;
        AdaptiveBias::View bias_;
    };
    Acceptance acceptance(double temperature) const { return {*this, temperature}; }

    /// Takes the energies of the first states, which other evaluations have found, if not the chains' own first draws.
    void begin(std::span<const double> energies, std::int64_t further_evaluations = 0);
    /// Sets the regions of the main stage, from the energies that the range stage saw.
    void begin_main();
    /// Takes in iteration t of the stage, number s of the window.
    void take_reports(const ReportWindow& window, Index s, Index t, const SearchStages& stages);
    /// Chain i takes the state of chain parents[i], or keeps its own (-1). No parent takes another's.
    void copy_chains(std::span<const std::int64_t> parents);
    /// The weights of iteration t, theta += gamma (p - pi), and the truncation.
    void update_theta(double gain);
    bool notes_progress(Index t) const { return curve_.is_due(t); }
    void note_progress(Index t, double temperature) { curve_.add(t, evaluations_, best_energy_, temperature); }
    /// Sets the upper end of the range of energies to the chains' present median, or the highest finite energy.
    void note_range_top();

    /// Fills in the outcome of a search that has reached this temperature.
    void describe(SearchOutcome& outcome, double temperature) const;

    /// Reading ends with the regions of all chains.
    void fields(Fields& f, bool is_main);

  private:
    AdaptiveBias& bias(std::size_t chain) { return biases_[biases_.size() == 1 ? 0 : chain]; }
    /// Keeps the last region of a space that shrinks up to date.
    void shrink();
    /// Regions as a stage begins, with biases of 0.
    void set_partition(model::EnergyPartition partition, bool is_main);
    /// Finds the regions of all chains and marks them as in use.
    void find_regions();
    /// Takes in the chains' states as a stage begins.
    void begin_regions();
    /// For chains first .. first + n - 1: marks the regions to which they proposed; takes in their states, and returns
    /// how many are new.
    void touch(std::size_t first, std::size_t n, const ConstReports& reports);
    std::int64_t move_chains(std::size_t first, std::size_t n, const ConstReports& reports);

    std::size_t chains_;
    SearchSettings::Bias kind_of_bias_;
    double lambda_;
    Index range_points_;
    bool scale_by_region_, is_main_ = false;
    std::optional<double> aleph_;
    std::vector<double> fixed_theta_;

    model::EnergyPartition partition_;
    std::vector<AdaptiveBias> biases_; ///< none, one, or one per chain
    std::vector<double> energies_;     ///< of all chains, as last shared
    std::vector<std::int32_t> regions_;
    ProposalScales scales_;

    Index last_region_ = 0; ///< the space ends here
    double best_energy_ = infinity, range_high_ = 0;
    std::int64_t best_evaluations_ = 0, evaluations_ = 0, outside_ = 0;
    std::vector<double> region_best_;
    std::vector<OperationCount> counts_;
    ProgressCurve curve_;
};

} // namespace pearlite::algorithm
