#pragma once
/// Work values that another program or a laboratory has left in files.

#include <filesystem>
#include <string>
#include <vector>

namespace pearlite::app {

/// How files of works are to be read.
struct WorkFormat {
    std::string column;      ///< its name in a header, or its number from 1; empty: the last one
    double beta = 1;         ///< inverse temperature: nats per unit of work
    bool is_reverse = false; ///< works of the process that runs backwards, as its own process does them
};

/// Works in nats, with the sign of the forward process: those of the reverse one change it. Comma-separated numbers
/// with or without a header line (.csv), else columns between blanks; lines that begin with # or @ are comments (.xvg).
/// InputError names file and line for a value that is no finite number, a column that is not there, and fewer than two
/// works.
std::vector<double> read_works(const std::filesystem::path& file, const WorkFormat& format);

} // namespace pearlite::app
