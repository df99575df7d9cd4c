#pragma once
/// A density whose likelihood is estimated, with the exact one in its place: the reference of estimates.

#include "pearlite/model/data_description.hpp"
#include "pearlite/model/estimated_likelihood.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/model/predictive.hpp"
#include "pearlite/random/stream.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pearlite::model {

/// D has parameters(), log_prior() and exact_log_likelihood().
template <HasExactLikelihood D>
class ExactLikelihood {
  public:
    explicit ExactLikelihood(D density) : density_(std::move(density)) {}

    std::vector<std::string> parameter_names() const { return density_.parameter_names(); }
    double natural(Index k, double u) const { return density_.parameters().natural(k, u); }
    void draw_prior(random::Stream& stream, std::span<double> u) const { density_.draw_prior(stream, u); }
    double log_prior(std::span<const double> u) const { return density_.log_prior(u); }
    double log_likelihood(std::span<const double> u) const { return density_.exact_log_likelihood(u); }
    DataDescription describe_data() const requires HasDataDescription<D> { return density_.describe_data(); }
    Prediction predict(std::span<const double> u, Index samples,
                       const random::Address& address) const requires HasPrediction<D> {
        return density_.predict(u, samples, address);
    }
    void fingerprint(Fingerprint& fingerprint) const { density_.fingerprint(fingerprint); }

  private:
    D density_;
};

} // namespace pearlite::model
