// The pearlite command: all built-in models.
#include "pearlite/app/command_line.hpp"

int main(int argc, char** argv) {
    return pearlite::app::main(argc, argv, pearlite::app::built_in_models);
}
