#include "app/result/training_run.hpp"

#include "app/result/parts/training/training_part.hpp"
#include "io/container/container_fields.hpp"

namespace pearlite::app {

void TrainingRun::save(io::Writer& writer) {
    io::ContainerFields fields(writer);
    training_->fields(fields);
}

void TrainingRun::restore(io::Reader& reader) {
    io::ContainerFields fields(reader);
    training_->fields(fields);
}

SoFar TrainingRun::so_far() {
    SoFar found;
    found.parts.push_back(std::make_unique<TrainingPart>(*training_, model::Images{}));
    return found;
}

RunResult TrainingRun::result() {
    ResultParts parts;
    parts.push_back(std::make_unique<TrainingPart>(*training_, training_->samples()));
    return result_of(std::move(parts));
}

} // namespace pearlite::app
