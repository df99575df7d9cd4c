#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

constexpr std::array scales{0.5, 2.0};

/// How the evidence would change with the prior's scale: Z_s/Z is the posterior mean of p_s/p.
class PriorScalePart final : public ResultPart {
  public:
    struct Change {
        double scale = 1, log_ratio = 0, ess = 0; ///< ess: of the draws with the weights p_s/p
    };
    explicit PriorScalePart(std::vector<Change> changes) : changes_(std::move(changes)) {}

    void write_summary(SummaryParts& summary) const override {
        Json entries = Json::array();
        for (const auto& change : changes_)
            entries.push_back({{"scale", change.scale},
                               {"log_ratio", json_number(change.log_ratio)},
                               {"ess", json_number(change.ess)}});
        summary.entries["prior_scale"] = std::move(entries);
    }

  private:
    std::vector<Change> changes_;
};

PriorScalePart::Change change_at(double scale, const model::PriorScale& prior, const Matrix& draws) {
    Vector logs(draws.cols());
    for (Index i = 0; i < draws.cols(); ++i)
        logs(i) = prior.log_prior_of_scale({draws.col(i).data(), static_cast<std::size_t>(draws.rows())}, scale);
    const double largest = logs.maxCoeff();
    const Vector ratios = (logs.array() - largest).exp();
    return {scale, largest + std::log(ratios.mean()), ratios.sum() * ratios.sum() / ratios.squaredNorm()};
}

std::unique_ptr<ResultPart> prior_scale_part(RunView& run) {
    const auto* prior = run.target->offers<model::PriorScale>();
    if (!prior || !run.posterior || run.inverse_temperature_end != 1)
        return nullptr;
    std::vector<PriorScalePart::Change> changes;
    if (const auto& draws = run.posterior->draws; draws.cols() > 0) // on rank 0
        for (const double scale : scales)
            changes.push_back(change_at(scale, *prior, draws));
    return std::make_unique<PriorScalePart>(std::move(changes));
}

} // namespace

PartKind prior_scale_kind() {
    return {prior_scale_part, nullptr, model::Task::annealing, true, "priors of another scale"};
}

} // namespace pearlite::app
