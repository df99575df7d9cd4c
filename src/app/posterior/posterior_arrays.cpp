#include "app/posterior/posterior_arrays.hpp"

#include <charconv>

namespace pearlite::app {

namespace {

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

/// The arrays of a posterior's draws.
class DrawArrays {
  public:
    explicit DrawArrays(const Posterior& posterior)
        : posterior_(posterior),
          chain_{"chain", posterior.chains},
          draw_{"draw", posterior.draws.cols() / posterior.chains},
          particle_{"particle", posterior.draws_of_a_chain} {}

    std::vector<LabelledArray> parameters() const;
    std::vector<LabelledArray> statistics() const;
    std::vector<LabelledArray> log_likelihood() const;

  private:
    /// One number for each draw.
    template <class Value>
    std::vector<double> of_draws(const Value& value) const {
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(posterior_.draws.cols()));
        for (Index i = 0; i < posterior_.draws.cols(); ++i)
            values.push_back(value(i));
        return values;
    }

    const Posterior& posterior_;
    LabelledDimension chain_, draw_, particle_;
};

std::vector<LabelledArray> DrawArrays::parameters() const {
    std::vector<LabelledArray> arrays;
    const auto& names = posterior_.parameter_names;
    for (std::size_t first = 0; first < names.size();) {
        const auto n = components_from(names, first);
        const auto k = static_cast<Index>(first);
        if (n == 1) {
            arrays.push_back(
                {names[first], {chain_, draw_}, of_draws([&](Index i) { return posterior_.draws(k, i); })});
        } else {
            const auto component = *component_of(names[first]);
            LabelledDimension places{component.array + "_dim_0", static_cast<Index>(n)};
            if (component.place != 0)
                for (std::size_t i = 0; i < n; ++i)
                    places.labels.push_back(std::to_string(component.place + static_cast<Index>(i)));
            LabelledArray array{component.array, {chain_, draw_, places}, {}};
            for (Index draw = 0; draw < posterior_.draws.cols(); ++draw)
                for (std::size_t i = 0; i < n; ++i)
                    array.values.push_back(posterior_.draws(k + static_cast<Index>(i), draw));
            arrays.push_back(std::move(array));
        }
        first += n;
    }
    return arrays;
}

std::vector<LabelledArray> DrawArrays::statistics() const {
    std::vector<LabelledArray> arrays;
    const auto& prior = posterior_.draw_log_prior;
    const auto& likelihood = posterior_.draw_log_likelihood;
    const auto at = [](const std::vector<double>& values, Index i) { return values[static_cast<std::size_t>(i)]; };
    if (!prior.empty() && !likelihood.empty()) {
        arrays.push_back({"lp",
                          {chain_, draw_},
                          of_draws([&](Index i) { return at(prior, i) + at(likelihood, i); }),
                          "log prior plus log likelihood (or its estimate) on the unconstrained scale"});
        arrays.push_back({"log_likelihood_total", // "log_likelihood" would be taken for that of each data point
                          {chain_, draw_},
                          of_draws([&](Index i) { return at(likelihood, i); }),
                          "log likelihood or its estimate"});
    }
    if (!posterior_.draws_are_weighted)
        return arrays;
    arrays.push_back(
        {"ancestor",
         {chain_, draw_},
         of_draws([&](Index i) { return static_cast<double>(posterior_.drawn[static_cast<std::size_t>(i)]); }),
         "the weighted particle that the draw is",
         true});
    if (!posterior_.draw_log_weights.empty()) // the results file has more
        arrays.push_back({"log_weight",
                          {chain_, particle_},
                          posterior_.draw_log_weights,
                          "of the particles that the draws were resampled from"});
    return arrays;
}

std::vector<LabelledArray> DrawArrays::log_likelihood() const {
    const auto& values = posterior_.log_likelihoods;
    if (values.size() == 0)
        return {};
    const Index every = posterior_.log_likelihoods_every;
    LabelledArray array{"y",
                        {chain_, {"draw", values.cols() / posterior_.chains}, {"point", values.rows()}},
                        {values.data(), values.data() + values.size()},
                        "log likelihood of each data point given the parameters"};
    if (every > 1)
        array.description += "; of one in " + std::to_string(every) + " draws, from the first one on";
    return {array};
}

} // namespace

void add_draws(const Posterior& posterior, PosteriorArrays& arrays) {
    if (posterior.draws.size() == 0)
        return;
    const DrawArrays draws(posterior);
    arrays.draws = draws.parameters();
    arrays.of_draws = draws.statistics();
    arrays.log_likelihood = draws.log_likelihood();
}

} // namespace pearlite::app
