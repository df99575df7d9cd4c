#include "app/written/posterior_file.hpp"

#include "app/posterior/posterior_arrays.hpp"
#include "app/program/build_info.hpp"
#include "io/files/netcdf.hpp"

#include <utility>

namespace pearlite::app {

namespace {

/// A data point for each observation of an array has the array's name and dimension.
void name_by_data(LabelledArray& log_likelihood, const std::vector<LabelledArray>& observed) {
    if (observed.size() != 1 || observed.front().dimensions.size() != 1)
        return;
    log_likelihood.name = observed.front().name;
    if (observed.front().size() == log_likelihood.dimensions.back().size)
        log_likelihood.dimensions.back() = observed.front().dimensions.front();
}

/// Takes log_lik, by which Stan programs call the log likelihoods of the data points.
std::vector<LabelledArray> taken_log_likelihood(std::vector<LabelledArray>& draws) {
    std::vector<LabelledArray> taken;
    if (draws.size() < 2)
        return taken;
    std::erase_if(draws, [&](auto& array) {
        if (array.name != "log_lik")
            return false;
        taken.push_back(array);
        return true;
    });
    return taken;
}

/// The groups in the order of the file.
std::vector<io::NetcdfGroup> groups_of(const ResultParts& parts) {
    PosteriorArrays arrays;
    for (const auto& part : parts)
        part->write_posterior(arrays);
    if (arrays.draws.empty())
        return {};
    auto pointwise = taken_log_likelihood(arrays.draws);
    for (auto& array : arrays.log_likelihood) {
        for (const auto& group : arrays.further)
            if (group.name == "observed_data")
                name_by_data(array, group.arrays);
        pointwise.push_back(std::move(array));
    }
    std::vector<io::NetcdfGroup> groups{{"posterior", std::move(arrays.draws)}, {"sample_stats", {}}};
    auto& statistics = groups.back().arrays;
    for (const auto* some : {&arrays.of_draws, &arrays.of_steps, &arrays.of_run})
        statistics.insert(statistics.end(), some->begin(), some->end());
    if (!pointwise.empty())
        groups.push_back({"log_likelihood", std::move(pointwise)});
    for (auto& group : arrays.further)
        if (!group.arrays.empty())
            groups.push_back(std::move(group));
    return groups;
}

} // namespace

void write_posterior(const Job& job, const ResultParts& parts) {
    auto groups = groups_of(parts);
    if (groups.empty())
        return;
    // No time of creation: equal runs leave equal files.
    const std::vector<io::NetcdfGroup::Attribute> library{{"inference_library", "pearlite"},
                                                          {"inference_library_version", PEARLITE_VERSION}};
    for (auto& group : groups)
        group.attributes = library;
    groups.front().attributes.insert(groups.front().attributes.end(),
                                     {{"model_name", job.model_name},
                                      {"algorithm", job.algorithm},
                                      {"seed", std::to_string(job.plan->run().seed.value)},
                                      {"build", build_id()}});
    io::write_netcdf(job.directory / "posterior.nc", groups, library);
}

} // namespace pearlite::app
