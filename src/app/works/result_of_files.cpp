#include "app/works/result_of_files.hpp"

#include "app/program/build_info.hpp"
#include "io/container/container.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <cstdio>

namespace pearlite::app {

void ResultOfFiles::take_directory(bool overwrite) {
    if (directory_)
        parallel::on_root(ranks_, [&] { lock_ = make_run_directory(*directory_, overwrite); });
}

void ResultOfFiles::write(RunFacts facts, const RunResult& result, const std::string& command, Index items) const {
    facts.ranks = ranks_.size();
    facts.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    facts.updates_per_second = static_cast<double>(items) / std::max(facts.wall_seconds, 1e-9);
    facts.resources = resources_of(ranks_);
    std::string summary;
    parallel::on_root(ranks_, [&] { summary = summary_text(facts, result); });
    if (directory_) {
        io::Writer writer(ranks_);
        writer("configuration", "# pearlite " + command + "\n");
        writer("build/version", build_id());
        writer("build/compiler", compiler());
        writer("build/libraries", library_versions());
        for (const auto& part : result.parts)
            part->write_fields(writer);
        writer.commit(*directory_ / "results.h5", "results");
        parallel::on_root(ranks_, [&] { write_summary(*directory_, summary); });
    }
    if (ranks_.is_root())
        std::fputs(describe_text(summary).c_str(), stdout);
}

} // namespace pearlite::app
