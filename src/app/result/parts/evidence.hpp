#pragma once
/// Estimates of log Z, and a sampler's account of itself.

#include "algorithm/common/settings.hpp"
#include "app/result/parts/part.hpp"

#include <optional>

namespace pearlite::app {

/// Estimates of log Z/Z_0. Markov chains and searches have none.
class EvidencePart final : public ResultPart {
  public:
    /// `verdict`: the sampler's own, if it has one. `inverse_temperature`: of the likelihood at the path's end.
    EvidencePart(std::vector<estimator::Estimate> estimates, std::string verdict, std::vector<double> of_replicates,
                 std::optional<double> log_normaliser_start, std::optional<double> exact,
                 double inverse_temperature = 1)
        : estimates_(std::move(estimates)),
          verdict_(std::move(verdict)),
          of_replicates_(std::move(of_replicates)),
          log_normaliser_start_(log_normaliser_start),
          exact_(exact),
          inverse_temperature_(inverse_temperature) {}

    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    void write_posterior(PosteriorArrays& posterior) const override;
    std::optional<Headline> headline() const override;

    /// The headline first.
    const std::vector<estimator::Estimate>& estimates() const { return estimates_; }

  private:
    std::vector<Finding> findings() const;

    std::vector<estimator::Estimate> estimates_;
    std::string verdict_;
    std::vector<double> of_replicates_;          ///< of each of several
    std::optional<double> log_normaliser_start_; ///< log Z_0, where it is known
    std::optional<double> exact_;                ///< log Z/Z_0, where it is known
    double inverse_temperature_;
};

/// Diagnostics, warnings and arrays of a sampler.
class OutcomePart final : public ResultPart {
  public:
    explicit OutcomePart(algorithm::Outcome outcome) : outcome_(std::move(outcome)) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    std::optional<Headline> headline() const override;

    const algorithm::Outcome& outcome() const { return outcome_; }

  private:
    algorithm::Outcome outcome_;
};

} // namespace pearlite::app
