#pragma once
/// The result of a training.

#include "algorithm/common/training.hpp"
#include "app/result/parts/part.hpp"

namespace pearlite::app {

class TrainingPart final : public ResultPart {
  public:
    /// `training` must live as long as the part. `samples`: rank 0's.
    TrainingPart(const algorithm::Training& training, model::Images samples)
        : training_(training), samples_(std::move(samples)) {}

    /// Adds parameters and trace.
    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;
    /// The parameters, for the model that is annealed.
    void write_files(const std::filesystem::path& directory) const override;
    std::optional<Headline> headline() const override;

  private:
    const algorithm::Training& training_;
    model::Images samples_;
};

} // namespace pearlite::app
