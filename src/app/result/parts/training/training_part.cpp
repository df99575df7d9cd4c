#include "app/result/parts/training/training_part.hpp"

#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

using Examples = model::Learner::Examples;

void write_images(io::Writer& writer, const std::string& group, const model::Images& images) {
    writer.enter(group);
    writer("pixels", images.pixels);
    writer("rows", images.rows);
    writer("columns", images.columns);
    writer.leave();
}

} // namespace

void TrainingPart::digest(io::Sha256& hash) {
    const auto& trace = training_.trace();
    for (const auto& values :
         {training_.learner().parameters(), trace.epoch, trace.rate, trace.momentum, trace.free_energy,
          trace.held_out_free_energy, trace.wrong_units, trace.held_out_wrong_units})
        hash.add(std::as_bytes(std::span(values)));
}

void TrainingPart::write_fields(io::Writer& writer) {
    const auto& trace = training_.trace();
    writer.enter("training");
    writer("update", trace.update);
    writer("epoch", trace.epoch);
    writer("rate", trace.rate);
    writer("momentum", trace.momentum);
    writer("free_energy", trace.free_energy);
    writer("wrong_units", trace.wrong_units);
    if (!trace.held_out_free_energy.empty()) {
        writer("held_out_free_energy", trace.held_out_free_energy);
        writer("held_out_wrong_units", trace.held_out_wrong_units);
    }
    writer.leave();
    write_images(writer, "filters", training_.learner().filters());
    write_images(writer, "images", samples_);
}

void TrainingPart::write_summary(SummaryParts& summary) const {
    const auto& trace = training_.trace();
    const auto& learner = training_.learner();
    Json entry{{"updates", trace.update.back()},
               {"epochs", trace.epoch.back()},
               {"examples", learner.n_examples(Examples::training)},
               {"parameters", learner.parameters().size()},
               {"units", learner.n_units()},
               {"weights", learner.file_name()}};
    entry["training"] = {{"examples", training_.watched(Examples::training)},
                         {"free_energy", trace.free_energy.back()},
                         {"wrong_units", trace.wrong_units.back()}};
    if (!trace.held_out_free_energy.empty()) {
        entry["held_out"] = {{"examples", training_.watched(Examples::held_out)},
                             {"free_energy", trace.held_out_free_energy.back()},
                             {"wrong_units", trace.held_out_wrong_units.back()}};
        entry["free_energy_gap"] = trace.held_out_free_energy.back() - trace.free_energy.back();
    }
    summary.entries["training"] = std::move(entry);
}

void TrainingPart::write_files(const std::filesystem::path& directory) const {
    training_.learner().write(directory);
}

std::optional<Headline> TrainingPart::headline() const {
    const auto& trace = training_.trace();
    Headline headline;
    headline.account = fmt::format("trained; a run of the model with {} estimates its log Z and test log-likelihood",
                                   training_.learner().file_name());
    if (!trace.held_out_free_energy.empty()) {
        headline.label = "held-out minus training free energy";
        headline.value = trace.held_out_free_energy.back() - trace.free_energy.back();
    }
    return headline;
}

namespace {

std::string describe_training(const Json& summary) {
    const auto entry = summary.find("training");
    if (entry == summary.end())
        return {};
    const auto line = [&](const char* name, const char* words) {
        const auto fit = entry->find(name);
        if (fit == entry->end())
            return std::string();
        return fmt::format("  {}: mean free energy {:.3f}, {:.2f} of {} units wrong in a reconstruction\n", words,
                           fit->value("free_energy", 0.0), fit->value("wrong_units", 0.0), whole_at(*entry, "units"));
    };
    return fmt::format("  {} updates, {:.4g} epochs of {} examples; parameters in {}\n", whole_at(*entry, "updates"),
                       entry->value("epochs", 0.0), whole_at(*entry, "examples"), entry->value("weights", "")) +
           line("training", "training") + line("held_out", "held out");
}

std::unique_ptr<ResultPart> training_part(RunView& run) {
    auto& training = *run.found.training;
    return std::make_unique<TrainingPart>(training, run.is_finished ? training.samples() : model::Images{});
}

} // namespace

PartKind training_kind() {
    return {training_part, describe_training, model::Task::training, false};
}

} // namespace pearlite::app
