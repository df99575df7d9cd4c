#include "app/result/parts/search/search.hpp"

#include "core/log_space.hpp"
#include "io/arrays/images.hpp"
#include "io/files/temporary_file.hpp"
#include "parallel/agreement.hpp"
#include "parallel/layout.hpp"
#include "pearlite/kernel/detail/local_descent.hpp"

#include <algorithm>

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

std::vector<double> learnt_log_masses(const algorithm::SearchOutcome& outcome) {
    std::vector<double> masses = outcome.theta;
    double elsewhere = 0, known = 0;
    for (std::size_t j = 0; j < masses.size(); ++j)
        (std::isfinite(masses[j]) ? known : elsewhere) += std::isfinite(masses[j]) ? 1 : outcome.desired[j];
    if (known == 0)
        return {};
    for (std::size_t j = 0; j < masses.size(); ++j)
        masses[j] += std::log(outcome.desired[j] + elsewhere / known);
    const double sum = log_sum_exp(masses);
    for (double& mass : masses)
        mass -= sum;
    return masses;
}

ThetaError theta_error(const std::vector<double>& learnt, const std::vector<double>& exact) {
    ThetaError error;
    for (std::size_t j = 0; j < std::min(learnt.size(), exact.size()); ++j) {
        if (!std::isfinite(learnt[j]) || !std::isfinite(exact[j]))
            continue;
        const double difference = std::abs(learnt[j] - exact[j]);
        error.squared += difference * difference;
        error.largest = std::max(error.largest, difference);
    }
    return error;
}

namespace {

/// Numbers of a row before its point: energy, energies, gradients, error of the gradient.
constexpr std::size_t n_figures = 4;

/// A point per column, padded with NaN where a replicate found nothing; on every rank.
Matrix best_points(const parallel::Communicator& ranks, const std::vector<algorithm::SearchOutcome>& outcomes,
                   Index replicates, Index dimension) {
    Matrix points = Matrix::Constant(dimension, replicates, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t r = 0; r < outcomes.size(); ++r)
        if (const auto& best = outcomes[r].best; std::isfinite(best.energy))
            std::memcpy(points.col(static_cast<Index>(r)).data(), best.state.data(), best.state.size());
    ranks.broadcast(std::span(points.data(), static_cast<std::size_t>(points.size())));
    return points;
}

/// Reads rows of energy, counts and point; the rows of all ranks come one after the other.
std::vector<PolishedState> unpack_polished(std::span<const double> rows, Index dimension) {
    std::vector<PolishedState> states;
    const auto d = static_cast<std::size_t>(dimension);
    for (; !rows.empty(); rows = rows.subspan(n_figures + d)) {
        const auto point = rows.subspan(n_figures, d);
        states.push_back({rows[0],
                          static_cast<std::int64_t>(rows[1]),
                          static_cast<std::int64_t>(rows[2]),
                          rows[3],
                          {point.begin(), point.end()}});
    }
    return states;
}

std::size_t lowest(const std::vector<PolishedState>& states) {
    const auto best = std::min_element(states.begin(), states.end(),
                                       [](const auto& a, const auto& b) { return a.energy < b.energy; });
    return static_cast<std::size_t>(best - states.begin());
}

void append_descent(const model::Descent& energy, std::span<const double> start, std::vector<double>& rows) {
    kernel::LocalMinimum minimum{{start.begin(), start.end()}, infinity};
    double error = 0;
    if (!std::isnan(start.front())) {
        error = gradient_error(energy, start);
        minimum = kernel::descend(energy, start);
    }
    rows.push_back(minimum.energy);
    rows.push_back(static_cast<double>(minimum.energies));
    rows.push_back(static_cast<double>(minimum.gradients));
    rows.push_back(error);
    rows.insert(rows.end(), minimum.x.begin(), minimum.x.end());
}

} // namespace

bool can_polish(const model::Space& space) {
    return space.offers<model::Descent>() != nullptr;
}

PolishResult polish(const parallel::Communicator& ranks, const model::Space& space,
                    const std::vector<algorithm::SearchOutcome>& outcomes, Index replicates) {
    PEARLITE_EXPECTS(can_polish(space));
    const auto& energy = *space.offers<model::Descent>();
    const auto d = static_cast<Index>(energy.lower().size());
    const auto starts = best_points(ranks, outcomes, replicates, d);
    const parallel::BlockLayout shares(replicates, 1, ranks.size(), ranks.rank());
    std::vector<double> mine;
    parallel::together(ranks, [&] {
        for (Index r = shares.first_local_item(); r < shares.first_local_item() + shares.local_items(); ++r)
            append_descent(energy, {starts.col(r).data(), static_cast<std::size_t>(d)}, mine);
    });
    const auto all = ranks.gather(std::span<const double>(mine));
    PolishResult result;
    parallel::on_root(ranks, [&] {
        result.replicates = unpack_polished(all, d);
        result.best_replicate = lowest(result.replicates);
        const auto& point = result.replicates[result.best_replicate].point;
        result.best = space.describe(std::as_bytes(std::span(point)));
    });
    return result;
}

double gradient_error(const model::Descent& energy, std::span<const double> x) {
    if (!energy.has_gradient())
        return 0;
    std::vector<double> gradient(x.size()), differences(x.size());
    energy.gradient(x, gradient);
    kernel::difference_gradient(energy, x, differences);
    double error = 0, size = 0.01 * std::max(1.0, std::abs(energy.energy(x)));
    for (std::size_t k = 0; k < gradient.size(); ++k) {
        error = std::max(error, std::abs(gradient[k] - differences[k]));
        size = std::max({size, std::abs(gradient[k]), std::abs(differences[k])});
    }
    return error / size;
}

} // namespace pearlite::app
