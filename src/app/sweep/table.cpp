#include "app/sweep/table.hpp"

#include <unordered_map>

namespace pearlite::app {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// Linear interpolation between order statistics (Hyndman & Fan 1996, type 7).
double quantile(const std::vector<double>& sorted, double level) {
    const double place = level * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct Moments {
    double mean = 0, sd = 0, standard_error = 0;
};

Moments moments_of(const std::vector<double>& values) {
    const auto n = static_cast<double>(values.size());
    Moments m;
    for (const double value : values)
        m.mean += value;
    m.mean /= n;
    double squares = 0;
    for (const double value : values)
        squares += (value - m.mean) * (value - m.mean);
    m.sd = n > 1 ? std::sqrt(squares / (n - 1)) : ScalarStatistics::not_known;
    m.standard_error = m.sd / std::sqrt(n);
    return m;
}

} // namespace

SweepTable::SweepTable(const Sweep& sweep, const std::map<Index, EndedRun>& ended) : sweep_(sweep) {
    std::unordered_map<std::string, std::size_t> places;
    for (const auto& [run, row] : ended)
        for (const auto& [name, value] : row.scalars)
            if (places.emplace(name, columns_.size()).second)
                columns_.push_back(name);
    values_ = Matrix::Constant(sweep.runs(), static_cast<Index>(columns_.size()), ScalarStatistics::not_known);
    finished_.assign(at(sweep.runs()), false);
    for (const auto& [run, row] : ended) {
        if (row.failed() || run < 0 || run >= sweep.runs())
            continue;
        finished_[at(run)] = true;
        for (const auto& [name, value] : row.scalars)
            values_(run, static_cast<Index>(places.at(name))) = value;
    }
    for (Index s = 0; s < sweep.grid().settings(); ++s)
        for (std::size_t c = 0; c < columns_.size(); ++c)
            statistics_.push_back(describe(s, c));
    if (sweep.settings().has_common_seeds && sweep.settings().replicates > 1)
        compare_pairs();
}

std::size_t SweepTable::find(const std::string& name) const {
    const auto found = std::find(columns_.begin(), columns_.end(), name);
    return found == columns_.end() ? none : static_cast<std::size_t>(found - columns_.begin());
}

ScalarStatistics SweepTable::describe(Index setting, std::size_t column) const {
    const auto& name = columns_[column];
    const auto stem = name.ends_with(".value") ? name.substr(0, name.size() - 5) : std::string();
    const auto low = find(stem + "interval95.low"), high = find(stem + "interval95.high"), exact = find(stem + "exact");
    const bool has_intervals = !stem.empty() && low != none && high != none && exact != none;
    std::vector<double> found;
    Index intervals = 0, holding = 0;
    for (Index r = 0; r < sweep_.replicates_of(setting); ++r) {
        const Index run = sweep_.first_run_of(setting) + r;
        const double value = values_(run, static_cast<Index>(column));
        if (std::isfinite(value))
            found.push_back(value);
        if (!has_intervals)
            continue;
        const double truth = values_(run, static_cast<Index>(exact)), from = values_(run, static_cast<Index>(low)),
                     to = values_(run, static_cast<Index>(high));
        if (std::isnan(truth) || std::isnan(from) || std::isnan(to))
            continue;
        ++intervals;
        const double rounding = 1e-9 * (1 + std::abs(truth)); // an exact estimate's interval is a point
        holding += from - rounding <= truth && truth <= to + rounding ? 1 : 0;
    }
    ScalarStatistics all;
    all.count = static_cast<Index>(found.size());
    if (!found.empty()) {
        const auto moments = moments_of(found);
        all.mean = moments.mean;
        all.sd = moments.sd;
        all.standard_error = moments.standard_error;
        std::sort(found.begin(), found.end());
        for (std::size_t q = 0; q < all.quantiles.size(); ++q)
            all.quantiles[q] = quantile(found, ScalarStatistics::levels[q]);
    }
    if (intervals > 0) {
        all.coverage = static_cast<double>(holding) / static_cast<double>(intervals);
        // Agresti & Coull 1998: with two more successes and failures, so that 20 of 20 are not certain.
        const double n = static_cast<double>(intervals) + 4, share = (static_cast<double>(holding) + 2) / n;
        all.coverage_standard_error = std::sqrt(share * (1 - share) / n);
    }
    return all;
}

void SweepTable::compare_pairs() {
    const auto& grid = sweep_.grid();
    for (std::size_t a = 0; a < grid.axes().size(); ++a)
        for (Index s = 0; s < grid.settings(); ++s) {
            const Index reference = grid.reference(s, a);
            for (std::size_t c = 0; reference != s && c < columns_.size(); ++c) {
                std::vector<double> differences;
                const Index both = std::min(sweep_.replicates_of(s), sweep_.replicates_of(reference));
                for (Index r = 0; r < both; ++r) {
                    const double difference = values_(sweep_.first_run_of(s) + r, static_cast<Index>(c)) -
                                              values_(sweep_.first_run_of(reference) + r, static_cast<Index>(c));
                    if (std::isfinite(difference))
                        differences.push_back(difference);
                }
                if (differences.size() < 2)
                    continue;
                const auto m = moments_of(differences);
                pairs_.push_back({a, s, reference, c, static_cast<Index>(differences.size()), m.mean, m.sd,
                                  m.standard_error, m.mean == 0 ? 0 : m.mean / m.standard_error});
            }
        }
}

std::string SweepTable::digest() const {
    io::Sha256 hash;
    const auto& grid = sweep_.grid();
    for (Index run = 0; run < sweep_.runs(); ++run) {
        hash.add(fmt::format("run {} seed {}", run, sweep_.seed_of(run)));
        for (std::size_t a = 0; a < grid.axes().size(); ++a)
            hash.add(fmt::format(" {}={}", grid.axes()[a].name, grid.value(sweep_.setting_of(run), a).text));
        hash.add(finished(run) ? " finished" : " failed");
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (const double value = values_(run, static_cast<Index>(c)); !is_of_machine(columns_[c]))
                hash.add(std::isnan(value) ? fmt::format(" {}", columns_[c])
                                           : fmt::format(" {}={}", columns_[c], value));
        hash.add("\n");
    }
    return hash.finish_hex();
}

} // namespace pearlite::app
