#pragma once
/// The command line, for the pearlite command and for users' programs with other models.

#include "pearlite/app/catalogue.hpp"

namespace pearlite::app {

/// Exit statuses of a process.
inline constexpr int exit_finished = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_bad_input = 2;
inline constexpr int exit_stopped = 3;

/// run, resume, check, tune, works, mbar, list, keys, show, compare, report and stan over the models of the catalogue.
/// Starts MPI for the first six only. Returns the exit status. `support_directory` holds report.py where share/pearlite
/// beside the program does not.
int main(int argc, char** argv, const Catalogue& models, const char* support_directory = PEARLITE_SUPPORT_DIRECTORY);
/// The same, with a function that makes the catalogue, so that errors while it is made are reported like all others.
int main(int argc, char** argv, Catalogue (*models)(), const char* support_directory = PEARLITE_SUPPORT_DIRECTORY);

} // namespace pearlite::app
