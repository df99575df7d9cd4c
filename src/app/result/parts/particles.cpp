#include "app/result/parts/kinds.hpp"
#include "io/container/container_fields.hpp"

namespace pearlite::app {

namespace {

/// The final particles with their weights, and the record of Markov chains, where their owners have them.
class ParticlesPart final : public ResultPart {
  public:
    ParticlesPart(const parallel::Communicator& ranks, algorithm::Sampler& sampler)
        : ranks_(ranks), sampler_(sampler) {}

    void digest(io::Sha256& hash) override;
    void write_fields(io::Writer& writer) override;

  private:
    parallel::Communicator ranks_;
    algorithm::Sampler& sampler_; ///< which the run holds
};

void ParticlesPart::digest(io::Sha256& hash) {
    for (Index r = 0; r < sampler_.n_replicates(); ++r)
        for (const auto& particles : shares_of(ranks_, sampler_, r)) {
            const Index run = particles.layout().block();
            hash.add(io::digest(ranks_, particles.particles_field(), run));
            hash.add(io::digest(ranks_, particles.log_weights_field(), run));
            if (const auto* chains = sampler_.markov_chains())
                hash.add(io::digest(ranks_, chains->record_field(), run));
        }
}

void ParticlesPart::write_fields(io::Writer& writer) {
    if (sampler_.markov_chains())
        return; // all draws weigh the same
    for (Index r = 0; r < sampler_.n_replicates(); ++r) {
        const auto group = sampler_.n_replicates() == 1 ? std::string() : "batch-" + std::to_string(r) + "/";
        writer.sharded(group + "log_weight", shares_of(ranks_, sampler_, r).front().log_weights_field());
    }
    io::ContainerFields fields(writer);
    sampler_.result_fields(fields);
}

} // namespace

std::unique_ptr<ResultPart> particles_part(FinishedRun& run) {
    return std::make_unique<ParticlesPart>(run.ranks, run.sampler);
}

} // namespace pearlite::app
