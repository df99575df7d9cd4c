#include "app/configured/job.hpp"

#include <fmt/format.h>

namespace pearlite::app {

Job job_of(const parallel::Communicator& ranks, const std::filesystem::path& directory, const Prepared& prepared,
           const std::optional<std::string>& time_limit, const std::optional<Index>& step_limit) {
    Job job;
    job.ranks = ranks;
    job.directory = directory;
    job.model_name = prepared.model_name;
    job.configuration = prepared.resolved;
    job.model = prepared.model.get();
    job.algorithm = prepared.algorithm->name;
    job.plan = prepared.plan.get();
    job.time_limit_seconds = time_limit ? io::parse_duration(*time_limit) : prepared.plan->run().time_limit_seconds;
    job.step_limit = step_limit;
    return job;
}

std::string first_line(const Job& job) {
    return fmt::format("{}, {}: {} on {} rank(s), seed {}", job.model_name, job.algorithm, job.plan->headline(),
                       job.ranks.size(), job.plan->run().seed.value);
}

} // namespace pearlite::app
