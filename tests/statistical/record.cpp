#include "statistical/record.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>

namespace pearlite::calibration {

namespace {

const char* file_of(const char* variable) {
    const char* file = std::getenv(variable);
    return file != nullptr && *file != '\0' ? file : nullptr;
}

void append(const char* file, const std::string& line) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file, "a"), std::fclose);
    if (out == nullptr || std::fputs(line.c_str(), out.get()) < 0)
        throw std::runtime_error(std::string(file) + ": cannot be written");
}

void record_judged(const std::string& name, double value, double low, double high, const char* end) {
    if (const char* file = file_of("PEARLITE_FIGURES"))
        append(file, fmt::format("{}\t{}\t{}\t{}{}\n", name, value, low, high, end));
}

} // namespace

bool is_first_replicate() {
    return file_of("PEARLITE_FIRST_REPLICATE") != nullptr;
}

void record_first(const std::string& cell, std::span<const double> values, const std::vector<std::string>& words) {
    append(file_of("PEARLITE_FIRST_REPLICATE"),
           fmt::format("{}: {}; {}\n", cell, fmt::join(values, " "), fmt::join(words, "; ")));
}

void record_figure(const std::string& name, double value, double low, double high) {
    record_judged(name, value, low, high, "");
}

void record_twin(const std::string& name, double value, double low, double high) {
    record_judged(name, value, low, high, "\toutside");
}

} // namespace pearlite::calibration
