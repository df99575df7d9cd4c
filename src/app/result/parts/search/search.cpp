#include "app/result/parts/search/search.hpp"

#include "io/arrays/images.hpp"
#include "io/files/temporary_file.hpp"
#include "pearlite/core/detail/contract.hpp"

namespace pearlite::app {

namespace {

constexpr const char* restored = "best.png";
constexpr const char* observed = "observed.png";
constexpr const char* network = "best.dot";
constexpr const char* edges = "edges.csv";

io::BinaryImage picture(const Images& sheet, Index row) {
    io::BinaryImage image{sheet.rows, sheet.columns, {}};
    for (Index k = 0; k < sheet.pixels.cols(); ++k)
        image.pixels.push_back(sheet.pixels(row, k) > 0.5 ? 1 : 0);
    return image;
}

} // namespace

void SearchPart::digest(io::Sha256& hash) {
    const auto add = [&](const auto& values) { hash.add(std::as_bytes(std::span(values))); };
    for (const auto& outcome : search_.replicates) {
        hash.add(std::as_bytes(std::span(&outcome.best.energy, 1)));
        hash.add(std::as_bytes(std::span(&outcome.best.iteration, 1)));
        add(outcome.best.state);
        add(outcome.final_energies);
        add(outcome.theta);
        add(outcome.visits);
        add(outcome.scales);
        for (const auto& count : outcome.counts)
            hash.add(std::as_bytes(std::span(&count.accepted, 1)));
        add(outcome.averages.means);
    }
    if (search_.polish)
        for (const auto& polished : search_.polish->replicates) {
            hash.add(std::as_bytes(std::span(&polished.energy, 1)));
            add(polished.point);
        }
}

void SearchPart::write_files(const std::filesystem::path& directory) const {
    const auto& best = search_.best;
    if (best.images) {
        PEARLITE_EXPECTS(best.images->pixels.rows() == 2);
        io::write_png(directory / restored, picture(*best.images, 0));
        io::write_png(directory / observed, picture(*best.images, 1));
    }
    if (!best.graph.empty())
        io::write_durably(directory / network, best.graph);
    if (!search_.edges.empty())
        io::write_durably(directory / edges, search_.edges.csv());
}

bool is_best_file(const std::string& name) {
    return name == restored || name == observed || name == network || name == edges;
}

} // namespace pearlite::app
