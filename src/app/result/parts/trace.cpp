#include "app/posterior/posterior_arrays.hpp"
#include "app/result/parts/kinds.hpp"

#include <numeric>

namespace pearlite::app {

namespace {

using algorithm::Trace;

/// Quantities recorded at each temperature, for each replicate.
class TracePart final : public ResultPart {
  public:
    /// `traces`: on rank 0. `has_path`: replicated; the first trace goes to results.h5.
    TracePart(std::vector<Trace> traces, bool has_path) : traces_(std::move(traces)), has_path_(has_path) {}

    void write_fields(io::Writer& writer) override;
    void write_posterior(PosteriorArrays& posterior) const override;

  private:
    std::vector<Trace> traces_;
    bool has_path_;
};

void TracePart::write_fields(io::Writer& writer) {
    if (!has_path_)
        return;
    auto trace = traces_.empty() ? Trace() : traces_.front();
    std::vector<std::int64_t> steps(trace.inverse_temperature.size());
    std::iota(steps.begin(), steps.end(), std::int64_t{0});
    writer.enter("per_step");
    writer("step", steps);
    const auto write = [&](const char* name, const auto& values) {
        if (!values.empty())
            writer(name, values);
    };
    trace.fields(write);
    writer.leave();
}

/// Replicates may have schedules of different lengths: NaN fills the shorter columns.
void TracePart::write_posterior(PosteriorArrays& posterior) const {
    std::size_t longest = 0;
    for (const auto& trace : traces_)
        longest = std::max(longest, trace.inverse_temperature.size());
    if (longest == 0)
        return;
    const LabelledDimension chain{"chain", static_cast<Index>(traces_.size())};
    const LabelledDimension step{"step", static_cast<Index>(longest)};
    const auto add = [&](const char* name, std::vector<double> Trace::*series, const char* description) {
        LabelledArray array{name, {chain, step}, {}, description};
        for (const auto& trace : traces_) {
            array.values.insert(array.values.end(), (trace.*series).begin(), (trace.*series).end());
            array.values.resize(array.values.size() + longest - (trace.*series).size(),
                                std::numeric_limits<double>::quiet_NaN());
        }
        posterior.of_steps.push_back(std::move(array));
    };
    add("beta", &Trace::inverse_temperature, "inverse temperature");
    add("ess", &Trace::ess, "effective sample size of the weights, in particles");
    add("log_ratio", &Trace::log_ratio, "log Z_beta/Z_0");
    if (!traces_.front().acceptance.empty())
        add("accept_rate", &Trace::acceptance, "accepted proposals over proposals");
    if (!traces_.front().mobility.empty()) {
        add("mobility", &Trace::mobility, "mean squared jump over twice the variance, in the population's norm");
        add("mobility_energy", &Trace::mobility_energy, "the same of d log f_b/db");
        add("mobility_worst", &Trace::mobility_worst, "the same of the worst coordinate");
    }
}

std::unique_ptr<ResultPart> trace_part(RunView& run) {
    if (run.found.chains)
        return nullptr;
    return std::make_unique<TracePart>(traces_of(run.ranks, run.found), run.found.has_path);
}

} // namespace

PartKind trace_kind() {
    return {trace_part, nullptr, model::Task::annealing, false};
}

} // namespace pearlite::app
