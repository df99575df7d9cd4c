#include "app/configured/job.hpp"

#include "app/program/control_groups.hpp"
#include "io/files/digest.hpp"
#include "parallel/agreement.hpp"
#include "parallel/machines.hpp"

#include <fmt/format.h>

namespace pearlite::app {

Job job_of(const parallel::Communicator& ranks, const std::filesystem::path& directory, const Prepared& prepared,
           const std::optional<std::string>& time_limit, const std::optional<Index>& step_limit) {
    Job job;
    job.ranks = ranks;
    job.directory = directory;
    job.model_name = prepared.model_name;
    job.configuration = prepared.resolved;
    parallel::on_root(ranks, [&] {
        for (const auto& [key, path] : prepared.files)
            job.files.push_back({key, path, io::sha256_of_file(path)});
    });
    job.model = prepared.model.get();
    job.algorithm = prepared.algorithm->name;
    job.plan = prepared.plan.get();
    job.time_limit_seconds = time_limit ? io::parse_duration(*time_limit) : prepared.plan->run().time_limit_seconds;
    job.step_limit = step_limit;
    return job;
}

std::vector<std::string> remarks_on_ranks(const parallel::Communicator& ranks, const algorithm::Plan* plan) {
    std::vector<std::string> remarks;
    if (ranks.size() == 1)
        return remarks;
    const auto crowd = parallel::most_crowded_machine(ranks, core_quota());
    if (crowd.is_crowded())
        remarks.push_back(fmt::format("{} ranks share {} core(s) of {}: they wait for one another's turn whenever they "
                                      "agree on a number; expected at most {} rank(s) there",
                                      crowd.ranks, crowd.cores, crowd.host, crowd.cores));
    if (auto idle = plan ? plan->idle_ranks(ranks.size()) : ""; !idle.empty())
        remarks.push_back(std::move(idle));
    return remarks;
}

std::string first_line(const Job& job) {
    return fmt::format("{}, {}: {} on {} rank(s), seed {}", job.model_name, job.algorithm, job.plan->headline(),
                       job.ranks.size(), job.plan->run().seed.value);
}

} // namespace pearlite::app
