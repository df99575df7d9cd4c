#pragma once
/// The published data of radiata pine, with their exact evidences.

#include "models/regression/linear_regression.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pearlite::algorithm::testing {

/// The regressions on density and on adjusted density, each with its log evidence; none if PEARLITE_DATA_DIR is not
/// set.
inline std::vector<std::pair<models::LinearRegression, double>> radiata_pine_regressions() {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (!directory)
        return {};
    std::ifstream file(std::string(directory) + "/bayes/radiata_pine.csv");
    std::string line;
    std::getline(file, line); // names of columns
    Matrix rows(42, 3);
    Index n = 0;
    for (double id = 0, y = 0, x = 0, z = 0; std::getline(file, line); ++n) {
        if (n == rows.rows() || std::sscanf(line.c_str(), "%lf,%lf,%lf,%lf", &id, &y, &x, &z) != 4)
            throw std::runtime_error("bayes/radiata_pine.csv: " + line);
        rows.row(n) << y, x, z;
    }
    if (n != rows.rows())
        throw std::runtime_error("bayes/radiata_pine.csv: " + std::to_string(n) + " rows");
    return {{models::LinearRegression(models::radiata_pine(rows.col(0), rows.col(1))), -310.12829},
            {models::LinearRegression(models::radiata_pine(rows.col(0), rows.col(2))), -301.70460}};
}

} // namespace pearlite::algorithm::testing
