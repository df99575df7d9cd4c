// The pearlite command with a model, a kernel and an algorithm more: the folders beside this file stand for folders of
// src, and the two lists for those of src with a line added.
#include "models/toy/toy.hpp"
#include "pearlite/app/command_line.hpp"

int main(int argc, char** argv) {
    auto models = pearlite::app::built_in_models();
    models.push_back(pearlite::models::toy_entry());
    return pearlite::app::main(argc, argv, models);
}
