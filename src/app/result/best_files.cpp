#include "app/result/best_files.hpp"

#include "app/summary/write_durably.hpp"
#include "io/arrays/images.hpp"
#include "pearlite/core/contract.hpp"

namespace pearlite::app {

namespace {

constexpr const char* restored = "best.pgm";
constexpr const char* observed = "observed.pgm";
constexpr const char* network = "best.dot";

io::BinaryImage picture(const Images& sheet, Index row) {
    io::BinaryImage image{sheet.rows, sheet.columns, {}};
    for (Index k = 0; k < sheet.pixels.cols(); ++k)
        image.pixels.push_back(sheet.pixels(row, k) > 0.5 ? 1 : 0);
    return image;
}

} // namespace

void write_best_files(const std::filesystem::path& directory, const model::StateDescription& best) {
    if (best.images) {
        PEARLITE_EXPECTS(best.images->pixels.rows() == 2);
        io::write_pgm(directory / restored, picture(*best.images, 0));
        io::write_pgm(directory / observed, picture(*best.images, 1));
    }
    if (!best.graph.empty())
        write_durably(directory / network, best.graph);
}

bool is_best_file(const std::string& name) {
    return name == restored || name == observed || name == network;
}

} // namespace pearlite::app
