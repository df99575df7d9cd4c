#include "app/posterior/posterior_file.hpp"

#include "app/commands/build_info.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace pearlite::app {

namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// A parameter "name[k]" as (name, k).
struct Component {
    std::string array;
    Index place = 0;
};
std::optional<Component> component_of(const std::string& name) {
    const auto open = name.rfind('[');
    if (open == std::string::npos || open == 0 || name.back() != ']')
        return {};
    Index place = 0;
    const auto* const last = name.data() + name.size() - 1;
    const auto [end, error] = std::from_chars(name.data() + open + 1, last, place);
    if (error != std::errc() || end != last)
        return {};
    return Component{name.substr(0, open), place};
}

/// How many parameters from `first` on make one array: name[k], name[k + 1], ..., k = 0 or 1.
std::size_t components_from(const std::vector<std::string>& names, std::size_t first) {
    const auto begin = component_of(names[first]);
    if (!begin || begin->place > 1 || begin->place < 0)
        return 1;
    std::size_t n = 1;
    for (; first + n < names.size(); ++n) {
        const auto next = component_of(names[first + n]);
        if (!next || next->array != begin->array || next->place != begin->place + static_cast<Index>(n))
            break;
    }
    return n;
}

class PosteriorGroups {
  public:
    explicit PosteriorGroups(const RunResult& result)
        : result_(result),
          chain_{"chain", result.chains},
          draw_{"draw", result.draws.cols() / result.chains},
          particle_{"particle", result.draws_of_a_chain} {}

    io::NetcdfGroup posterior() const;
    io::NetcdfGroup sample_stats() const;

  private:
    /// A number of each draw.
    template <class Value>
    std::vector<double> of_draws(const Value& value) const {
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(result_.draws.cols()));
        for (Index i = 0; i < result_.draws.cols(); ++i)
            values.push_back(value(i));
        return values;
    }
    void add_draw_statistics(io::NetcdfGroup& group) const;
    void add_steps(io::NetcdfGroup& group) const;
    void add_evidence(io::NetcdfGroup& group) const;

    const RunResult& result_;
    LabelledDimension chain_, draw_, particle_;
};

io::NetcdfGroup PosteriorGroups::posterior() const {
    io::NetcdfGroup group{"posterior", {}};
    const auto& names = result_.parameter_names;
    for (std::size_t first = 0; first < names.size();) {
        const auto n = components_from(names, first);
        const auto k = static_cast<Index>(first);
        if (n == 1) {
            group.arrays.push_back(
                {names[first], {chain_, draw_}, of_draws([&](Index i) { return result_.draws(k, i); })});
        } else {
            const auto component = *component_of(names[first]);
            LabelledDimension places{component.array + "_dim_0", static_cast<Index>(n)};
            if (component.place != 0)
                for (std::size_t i = 0; i < n; ++i)
                    places.labels.push_back(std::to_string(component.place + static_cast<Index>(i)));
            LabelledArray array{component.array, {chain_, draw_, places}, {}};
            for (Index draw = 0; draw < result_.draws.cols(); ++draw)
                for (std::size_t i = 0; i < n; ++i)
                    array.values.push_back(result_.draws(k + static_cast<Index>(i), draw));
            group.arrays.push_back(std::move(array));
        }
        first += n;
    }
    return group;
}

io::NetcdfGroup PosteriorGroups::sample_stats() const {
    io::NetcdfGroup group{"sample_stats", {}};
    add_draw_statistics(group);
    add_steps(group);
    add_evidence(group);
    return group;
}

void PosteriorGroups::add_draw_statistics(io::NetcdfGroup& group) const {
    const auto& prior = result_.draw_log_prior;
    const auto& likelihood = result_.draw_log_likelihood;
    const auto at = [](const std::vector<double>& values, Index i) { return values[static_cast<std::size_t>(i)]; };
    if (!prior.empty() && !likelihood.empty()) {
        group.arrays.push_back({"lp",
                                {chain_, draw_},
                                of_draws([&](Index i) { return at(prior, i) + at(likelihood, i); }),
                                "log prior plus log likelihood (or its estimate) on the unconstrained scale"});
        group.arrays.push_back({"log_likelihood",
                                {chain_, draw_},
                                of_draws([&](Index i) { return at(likelihood, i); }),
                                "log likelihood or its estimate"});
    }
    if (!result_.draws_are_weighted)
        return;
    group.arrays.push_back(
        {"ancestor",
         {chain_, draw_},
         of_draws([&](Index i) { return static_cast<double>(result_.drawn[static_cast<std::size_t>(i)]); }),
         "the weighted particle that the draw is"});
    if (result_.draw_log_weights.empty())
        return; // the results file has them
    group.arrays.push_back({"log_weight",
                            {chain_, particle_},
                            result_.draw_log_weights,
                            "of the particles that the draws were resampled from"});
}

/// Batches with a schedule of their own differ in length: what is missing is NaN.
void PosteriorGroups::add_steps(io::NetcdfGroup& group) const {
    std::vector<const algorithm::Trace*> traces;
    for (const auto& trace : result_.batch_traces)
        traces.push_back(&trace);
    if (traces.empty())
        traces.push_back(&result_.trace);
    std::size_t longest = 0;
    for (const auto* trace : traces)
        longest = std::max(longest, trace->inverse_temperature.size());
    if (longest == 0 || static_cast<Index>(traces.size()) != result_.chains)
        return;
    const LabelledDimension step{"step", static_cast<Index>(longest)};
    const auto add = [&](const char* name, std::vector<double> algorithm::Trace::*series, const char* description) {
        LabelledArray array{name, {chain_, step}, {}, description};
        for (const auto* trace : traces) {
            array.values.insert(array.values.end(), (trace->*series).begin(), (trace->*series).end());
            array.values.resize(array.values.size() + longest - (trace->*series).size(), not_known);
        }
        group.arrays.push_back(std::move(array));
    };
    add("beta", &algorithm::Trace::inverse_temperature, "inverse temperature");
    add("ess", &algorithm::Trace::ess, "effective sample size of the weights, in particles");
    add("log_ratio", &algorithm::Trace::log_ratio, "log Z_beta/Z_0");
    if (!traces.front()->acceptance.empty())
        add("accept_rate", &algorithm::Trace::acceptance, "accepted proposals over proposals");
}

void PosteriorGroups::add_evidence(io::NetcdfGroup& group) const {
    const auto& estimates = result_.outcome.log_ratio;
    if (estimates.empty())
        return;
    const auto& headline = estimates.front();
    if (result_.batch_log_ratios.empty())
        group.arrays.push_back({"log_marginal_likelihood",
                                {chain_},
                                std::vector<double>(static_cast<std::size_t>(result_.chains), headline.value),
                                "of the whole run: " + headline.estimator});
    else
        group.arrays.push_back({"log_marginal_likelihood", {chain_}, result_.batch_log_ratios, "of each batch"});
    LabelledDimension estimator{"estimator", static_cast<Index>(estimates.size())};
    std::set<std::string> taken;
    LabelledArray values{"log_evidence", {}, {}, "log marginal likelihood by every estimator, the headline first"};
    LabelledArray errors{"log_evidence_standard_error", {}, {}, "NaN where the diagnostics support none"};
    for (const auto& estimate : estimates) {
        auto label = estimate.estimator;
        if (!taken.insert(label).second)
            label += ", " + estimate.error_method;
        estimator.labels.push_back(label);
        values.values.push_back(estimate.value);
        errors.values.push_back(estimate.standard_error.value_or(not_known));
    }
    values.dimensions = errors.dimensions = {estimator};
    group.arrays.push_back(std::move(values));
    group.arrays.push_back(std::move(errors));
}

/// Chain x draw x the quantity's own dimensions: one sample of each draw of the parameters.
std::vector<LabelledArray> replicates_of(const std::vector<PredictedQuantity>& quantities) {
    std::vector<LabelledArray> arrays;
    for (const auto& quantity : quantities) {
        LabelledArray array{
            quantity.name, {{"chain", 1}, {"draw", quantity.replicates.rows()}}, {}, quantity.description};
        array.dimensions.insert(array.dimensions.end(), quantity.dimensions.begin(), quantity.dimensions.end());
        for (Index i = 0; i < quantity.replicates.rows(); ++i)
            for (Index j = 0; j < quantity.replicates.cols(); ++j)
                array.values.push_back(quantity.replicates(i, j));
        arrays.push_back(std::move(array));
    }
    return arrays;
}

} // namespace

std::vector<io::NetcdfGroup> posterior_groups(const RunResult& result) {
    if (result.draws.size() == 0)
        return {};
    const PosteriorGroups draws(result);
    std::vector<io::NetcdfGroup> groups{draws.posterior(), draws.sample_stats()};
    const auto add_predicted = [&](const char* name, const std::vector<PredictedQuantity>& quantities) {
        if (!quantities.empty())
            groups.push_back({name, replicates_of(quantities)});
    };
    add_predicted("posterior_predictive", result.predictions.within);
    add_predicted("predictions", result.predictions.beyond);
    if (!result.data.observed.empty())
        groups.push_back({"observed_data", result.data.observed});
    if (!result.data.constant.empty())
        groups.push_back({"constant_data", result.data.constant});
    return groups;
}

void write_posterior(const Job& job, const RunResult& result) {
    auto groups = posterior_groups(result);
    if (groups.empty())
        return;
    // No time of creation: equal runs leave equal files.
    const std::vector<io::NetcdfGroup::Attribute> library{{"inference_library", "pearlite"},
                                                          {"inference_library_version", PEARLITE_VERSION}};
    for (auto& group : groups)
        group.attributes = library;
    groups.front().attributes.insert(groups.front().attributes.end(), {{"model_name", job.model_name},
                                                                       {"algorithm", job.algorithm},
                                                                       {"seed", std::to_string(job.plan->run().seed)},
                                                                       {"build", build_id()}});
    io::write_netcdf(job.directory / "posterior.nc", groups, library);
}

} // namespace pearlite::app
