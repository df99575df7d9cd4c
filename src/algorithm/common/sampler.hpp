#pragma once
/// The interface of samplers: a state with step(), without files and clocks, which leaves one value, Found. Samplers
/// may hold samplers: replicates.hpp, piloted.hpp.

#include "algorithm/common/found.hpp"
#include "algorithm/common/settings.hpp"

namespace pearlite::algorithm {

class Sampler {
  public:
    virtual ~Sampler() = default;

    /// Collective. Draws the start; not called for a sampler that is read from a checkpoint.
    virtual void begin() = 0;
    virtual bool finished() const = 0;
    /// Collective; begun and not finished. One temperature, scan, iteration or update.
    virtual void step() = 0;
    /// Collective. Everything recorded up to now enters the trace, and the ranks agree on failures and on whether all
    /// is finished; called before saving.
    virtual void flush() {}
    /// Lists the fields of a checkpoint. Reading ends with a sampler that is ready to go on; collective.
    virtual void fields(Fields& f) = 0;

    virtual Progress progress() const = 0;
    /// Collective; flushed. log Z/Z_0 of the path up to the present temperature, also before the end.
    virtual LogRatioSoFar log_ratio_so_far() { return {progress().log_ratio, {}}; }
    /// Collective; finished(). Empty for samplers that estimate no evidence.
    virtual Outcome outcome() const { return {}; }
    /// The findings so far; begun.
    virtual Found found() = 0;
};

/// Whatever a derived class leaves alone is that of the present sampler.
class StagedSampler : public Sampler {
  public:
    void flush() override { current().flush(); }
    Progress progress() const override { return current().progress(); }
    LogRatioSoFar log_ratio_so_far() override { return current().log_ratio_so_far(); }
    Outcome outcome() const override { return current().outcome(); }
    Found found() override { return current().found(); }

  private:
    virtual Sampler& current() const = 0;
};

} // namespace pearlite::algorithm
