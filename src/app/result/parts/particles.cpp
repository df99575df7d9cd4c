#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

/// The final particles with their weights, and the record of Markov chains, where their owners have them.
class ParticlesPart final : public ResultPart {
  public:
    /// `found`: of a sampler that lives as long as the part.
    ParticlesPart(const parallel::Communicator& ranks, algorithm::Found found)
        : ranks_(ranks), found_(std::move(found)) {}

    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;

  private:
    parallel::Communicator ranks_;
    algorithm::Found found_;
};

void ParticlesPart::digest(io::Sha256& hash) {
    for (Index r = 0; r < found_.n_replicates(); ++r)
        for (const auto& particles : shares_of(ranks_, found_, r)) {
            const Index run = particles.layout().block();
            hash.add(io::digest(ranks_, particles.particles_field(), run));
            hash.add(io::digest(ranks_, particles.log_weights_field(), run));
            if (found_.chains)
                hash.add(io::digest(ranks_, found_.chains->record_field(), run));
        }
}

void ParticlesPart::write_fields(io::Writer& writer) {
    if (found_.chains)
        return; // all draws weigh the same
    for (Index r = 0; r < found_.n_replicates(); ++r) {
        const auto group = found_.n_replicates() == 1 ? std::string() : "batch-" + std::to_string(r) + "/";
        writer.sharded(group + "log_weight", shares_of(ranks_, found_, r).front().log_weights_field());
    }
    if (!found_.sharded_results)
        return;
    io::ContainerFields fields(writer);
    found_.sharded_results(fields);
}

std::unique_ptr<ResultPart> particles_part(RunView& run) {
    return std::make_unique<ParticlesPart>(run.ranks, run.found);
}

} // namespace

PartKind particles_kind() {
    return {particles_part, nullptr};
}

} // namespace pearlite::app
