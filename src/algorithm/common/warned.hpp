#pragma once
/// A sampler with a warning that is known before it begins.

#include "algorithm/common/sampler.hpp"

#include <memory>
#include <string>

namespace pearlite::algorithm {

class Warned final : public StagedSampler {
  public:
    Warned(std::unique_ptr<Sampler> sampler, std::string warning)
        : sampler_(std::move(sampler)), warning_(std::move(warning)) {}

    void begin() override { sampler_->begin(); }
    bool finished() const override { return sampler_->finished(); }
    void step() override { sampler_->step(); }
    void fields(Fields& f) override { sampler_->fields(f); }
    Progress progress() const override {
        auto progress = sampler_->progress();
        progress.warning = warning_;
        return progress;
    }
    Outcome outcome() const override {
        auto outcome = sampler_->outcome();
        outcome.warnings.push_back(warning_);
        return outcome;
    }

  private:
    Sampler& current() const override { return *sampler_; }

    std::unique_ptr<Sampler> sampler_;
    std::string warning_;
};

} // namespace pearlite::algorithm
