#pragma once
/// The identity of a binary: version, compiler, libraries, the CPU it was built for.

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// "pearlite 0.1.0 (g++ 12.2.0, -march=x86-64-v3, build 3f...)": stored with every result; two programs with the same
/// id are the same binary.
std::string build_id();
/// The name under which this program was started, which a user's own program chooses.
std::string program_name();
/// The command that continues the run in a directory: "`pearlite resume runs/x`".
std::string resuming(const std::filesystem::path& directory);
/// Sets, for the rest of a process without our command line, the name in its messages and the text that resuming()
/// returns.
void speak_as(std::string name, std::string way_to_resume);
/// Compiler version, and the flags that may change the bits of a result.
std::string compiler();
/// "Open MPI 4.1.4", "HDF5 1.10.8", ...
std::vector<std::string> library_versions();
/// "generators philox4x32-10, ars4x32-7 (vaes512)": the random number generators, and the implementation of the second
/// on this CPU.
std::string generators();
/// Vector extensions of the running CPU that the code may use, as one line.
std::string cpu_features();
/// Whether the program was built for the native CPU, so that its results may differ in bits on another CPU.
bool bits_depend_on_cpu();

/// The path of kernels that exist for several instruction sets: "avx512", ...
std::string kernel_path();
/// Why the path is not the one that PEARLITE_CPU asks for; empty if it is.
std::string kernel_path_note();

/// Throws InputError if this CPU lacks an instruction set that the binary was compiled for (instead of dying of
/// SIGILL).
void require_cpu();

} // namespace pearlite::app
