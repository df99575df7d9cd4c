#include "io/configuration/key_reader.hpp"
#include "models/toy/toy.hpp"
#include "pearlite/path/tempered.hpp"

namespace pearlite::models {

model::ModelEntry toy_entry() {
    const auto build = [](io::Configuration& configuration, io::Section&) -> std::unique_ptr<model::BuiltModel> {
        Toy toy;
        io::read_keys(configuration, "model", toy);
        return configuration.has_errors() ? nullptr : model::annealed(path::tempered(std::move(toy)));
    };
    return {{"toy", 16, 4096, true, 1, true}, "a normal observation; exact evidence", build, [](Keys& k) {
                Toy().keys(k);
            }};
}

} // namespace pearlite::models
