#include "app/result/run.hpp"

#include "app/result/parts/kinds.hpp"
#include "parallel/agreement.hpp"

namespace pearlite::app {

namespace {

double log_ratio_of(const model::Target& target, std::span<const std::byte> packed, double inverse_temperature) {
    const auto block = target.make_block(1);
    block->unpack(0, packed);
    target.recompute(*block);
    double ratio = 0;
    target.add_log_ratio(*block, 0, inverse_temperature, {&ratio, 1});
    return ratio;
}

} // namespace

Run::Run(const parallel::Communicator& ranks, const algorithm::Plan& plan, const BuiltModel& model)
    : ranks_(ranks),
      inverse_temperature_end_(plan.inverse_temperature_end()),
      seed_(plan.run().seed),
      checks_spots_(plan.run().checks_spots),
      search_plan_(plan.search() ? std::make_shared<algorithm::SearchPlan>(*plan.search()) : nullptr),
      target_(model.target()),
      sampler_(plan.make(ranks, model)) {}

std::string Run::describe_ranks() const {
    const auto* search = sampler_->found().search;
    return search ? search->describe_ranks() : std::string();
}

void Run::save(io::Writer& writer) {
    sampler_->flush();
    io::ContainerFields fields(writer);
    sampler_->fields(fields);
    if (sampler_->found().population)
        writer("first_log_ratio", first_log_ratio());
}

void Run::restore(io::Reader& reader) {
    io::ContainerFields fields(reader);
    sampler_->fields(fields);
    if (!sampler_->found().population)
        return;
    double stored = 0;
    reader("first_log_ratio", stored);
    const double now = first_log_ratio();
    // Another build or CPU may round differently; other data do not come this close.
    if (!(std::abs(now - stored) <= 1e-6 * (1 + std::abs(stored))) && now != stored)
        throw InputError(
            fmt::format("the model gives the checkpoint's first particle log f_1/f_0 = {}, where it was {} "
                        "when saved: the model's code or data have changed",
                        now, stored));
}

RunView Run::view() const {
    auto found = sampler_->found();
    const auto* target = found.target ? found.target : target_.get();
    return {ranks_,       target, *sampler_, std::move(found), inverse_temperature_end_, seed_, search_plan_.get(),
            checks_spots_};
}

PartialResult Run::partial_result() {
    auto run = view();
    PartialResult known;
    if (run.found.chains)
        return known;
    if (run.found.population)
        known.log_ratio = sampler_->log_ratio_so_far();
    known.parts = partial_parts(run);
    return known;
}

RunResult Run::result() {
    auto run = view();
    auto parts = parts_of(run);
    return result_of(std::move(parts), std::move(run.remarks));
}

double Run::first_log_ratio() const {
    const auto run = view();
    const auto generations = shares_of(ranks_, run.found, 0);
    if (generations.empty()) // the path is being fitted
        return 0;
    const auto& particles = generations.front();
    std::vector<double> local;
    parallel::together(ranks_, [&] {
        if (particles.layout().first_local_item() == 0 && particles.local_size() > 0) {
            std::vector<std::byte> packed(particles.particle_bytes());
            particles.pack(0, packed);
            local = {log_ratio_of(*run.target, packed, run.inverse_temperature_end)};
        }
    });
    return ranks_.all_gather(std::span<const double>(local)).front();
}

} // namespace pearlite::app
