#include "app/posterior/posterior_arrays.hpp"

#include <fmt/format.h>

#include <charconv>

namespace pearlite::app {

namespace {

/// A parameter "name[i]" or "name[i,j]" as name and indices.
struct Component {
    std::string array;
    std::vector<Index> indices;
};
std::optional<Component> component_of(const std::string& name) {
    const auto open = name.rfind('[');
    if (open == std::string::npos || open == 0 || name.back() != ']')
        return {};
    Component component{name.substr(0, open), {}};
    const auto* const last = name.data() + name.size() - 1;
    for (const auto* at = name.data() + open; at != last;) {
        Index index = 0;
        const auto [end, error] = std::from_chars(at + 1, last, index);
        if (error != std::errc() || (end != last && *end != ','))
            return {};
        component.indices.push_back(index);
        at = end;
    }
    return component;
}

/// Parameters one after another that make one array.
struct Joined {
    std::string array;
    std::vector<LabelledDimension> dimensions; ///< none: a single parameter
    std::vector<std::size_t> places = {0};     ///< of each element, the last index fastest: its place among them
};

/// The array of these components; nothing if they are not all elements of one whose indices begin at 0 or 1.
std::optional<Joined> joined(const std::vector<Component>& components) {
    auto first = components.front().indices, last = first;
    for (const auto& component : components)
        for (std::size_t k = 0; k < first.size(); ++k) {
            first[k] = std::min(first[k], component.indices[k]);
            last[k] = std::max(last[k], component.indices[k]);
        }
    Joined array{components.front().array, {}, {}};
    std::size_t size = 1;
    for (std::size_t k = 0; k < first.size(); ++k) {
        const Index n = last[k] - first[k] + 1;
        if (first[k] < 0 || first[k] > 1 || n > std::ssize(components))
            return {};
        LabelledDimension dimension{fmt::format("{}_dim_{}", array.array, k), n};
        for (Index i = 0; first[k] != 0 && i < n; ++i)
            dimension.labels.push_back(std::to_string(first[k] + i));
        array.dimensions.push_back(std::move(dimension));
        size *= static_cast<std::size_t>(n);
    }
    if (size != components.size())
        return {};
    array.places.assign(size, size);
    for (std::size_t i = 0; i < size; ++i) {
        std::size_t place = 0;
        for (std::size_t k = 0; k < first.size(); ++k)
            place = place * static_cast<std::size_t>(array.dimensions[k].size) +
                    static_cast<std::size_t>(components[i].indices[k] - first[k]);
        if (std::exchange(array.places[place], i) != size)
            return {};
    }
    return array;
}

/// The array that begins with this parameter: all that follow with its name and as many indices, or itself alone.
Joined array_from(const std::vector<std::string>& names, std::size_t begin) {
    std::vector<Component> components;
    for (std::size_t k = begin; k < names.size(); ++k) {
        auto next = component_of(names[k]);
        if (!next || (k > begin && (next->array != components.front().array ||
                                    next->indices.size() != components.front().indices.size())))
            break;
        components.push_back(*std::move(next));
    }
    auto array = components.size() > 1 ? joined(components) : std::nullopt;
    return array ? *std::move(array) : Joined{names[begin], {}};
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
        const auto joined = array_from(names, first);
        LabelledArray array{joined.array, {chain_, draw_}, {}};
        array.dimensions.insert(array.dimensions.end(), joined.dimensions.begin(), joined.dimensions.end());
        array.values.reserve(static_cast<std::size_t>(posterior_.draws.cols()) * joined.places.size());
        for (Index draw = 0; draw < posterior_.draws.cols(); ++draw)
            for (const auto place : joined.places)
                array.values.push_back(posterior_.draws(static_cast<Index>(first + place), draw));
        arrays.push_back(std::move(array));
        first += joined.places.size();
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
