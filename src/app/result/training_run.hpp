#pragma once
/// A training as a Run. Private to the sources of the layer.

#include "algorithm/common/training.hpp"
#include "app/result/run.hpp"

#include <memory>

namespace pearlite::app {

class TrainingRun final : public Run {
  public:
    TrainingRun(const parallel::Communicator& ranks, std::unique_ptr<algorithm::Training> training)
        : ranks_(ranks), training_(std::move(training)) {}

    void begin() override { training_->begin(); }
    bool finished() const override { return training_->finished(); }
    void step() override { training_->step(); }
    algorithm::Progress progress() const override { return training_->progress(); }
    bool in_pilot() const override { return false; }
    Index updates_per_step() const override { return 1; }

    void save(io::Writer& writer) override;
    void restore(io::Reader& reader) override;

    SoFar so_far() override;
    RunResult result() override;

  private:
    parallel::Communicator ranks_;
    std::unique_ptr<algorithm::Training> training_;
};

} // namespace pearlite::app
