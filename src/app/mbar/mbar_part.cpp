#include "app/mbar/mbar_part.hpp"

#include "app/result/parts/kinds.hpp"
#include "io/arrays/fields.hpp"
#include "io/arrays/frame.hpp"
#include "io/arrays/npz.hpp"
#include "pearlite/io/arrays.hpp"

namespace pearlite::app {

namespace {

constexpr double converged = 1e-6;
/// Klimovich, Shirts & Mobley (2015): neighbours should overlap by 0.03 at least.
constexpr double small_overlap = 0.03, no_overlap = 1e-4;

/// Averages over fewer samples have meaningless errors, or doubtful ones.
constexpr double fewest_samples = 5, few_samples = 20;
/// From this gradient on the equations count as unsolved.
constexpr double unsolved = 1e-3;

constexpr std::size_t most_lines = 100;

} // namespace

void MbarPart::digest(io::Sha256& hash) {
    hash.add(
        std::as_bytes(std::span(mbar_.free_energies.data(), static_cast<std::size_t>(mbar_.free_energies.size()))));
    hash.add(std::as_bytes(std::span(mbar_.covariance.data(), static_cast<std::size_t>(mbar_.covariance.size()))));
}

void MbarPart::write_fields(io::Writer& writer) {
    const auto numbers = [](const auto& values) {
        return std::vector<double>(values.data(), values.data() + values.size());
    };
    writer("mbar/states", names_);
    writer("mbar/samples", counts_);
    writer("mbar/free_energies", numbers(mbar_.free_energies)); // in kT
    writer("mbar/covariance", mbar_.covariance);
    writer("mbar/overlap", mbar_.overlap);
    writer("mbar/effective_samples", numbers(mbar_.effective_samples));
}

bool MbarPart::has_error(Index state) const {
    return mbar_.gradient < unsolved && mbar_.weakest_link(counts_) >= no_overlap &&
           mbar_.effective_samples(state) >= fewest_samples && mbar_.effective_samples(0) >= fewest_samples;
}

std::vector<std::string> MbarPart::warnings() const {
    std::vector<std::string> all;
    Index fewest = 0;
    mbar_.effective_samples.minCoeff(&fewest);
    if (const double n = mbar_.effective_samples(fewest); n < few_samples)
        all.push_back(fmt::format("averages in state {} have {:.1f} effective samples only: {}", names_[at(fewest)], n,
                                  counts_[at(fewest)] == 0 ? "sample it, or states nearer to it" : "sample more"));
    if (mbar_.gradient > converged)
        all.push_back(fmt::format("the equations are solved to {:.1e} only after {} iterations", mbar_.gradient,
                                  mbar_.iterations));
    if (const double link = mbar_.weakest_link(counts_); link < small_overlap)
        all.push_back(
            fmt::format("states hang together by an overlap of {:.2g} only, and 0.03 is wanted: sample states "
                        "between them",
                        link));
    return all;
}

void MbarPart::write_summary(SummaryParts& summary) const {
    Json entry{
        {"unit", unit_.name}, {"iterations", mbar_.iterations}, {"weakest_overlap", mbar_.weakest_link(counts_)}};
    auto& states = entry["states"] = Json::array();
    for (std::size_t k = 0; k < names_.size(); ++k) {
        const auto i = static_cast<Index>(k);
        states.push_back({{"name", names_[k]},
                          {"samples", counts_[k]},
                          {"effective_samples", mbar_.effective_samples(i)},
                          {"free_energy", mbar_.free_energies(i) * unit_.per_nat}});
        if (has_error(i))
            states.back()["standard_error"] = mbar_.standard_error(0, i) * unit_.per_nat;
    }
    summary.entries["mbar"] = std::move(entry);
    for (auto& warning : warnings())
        summary.warnings.push_back(std::move(warning));
}

std::optional<Headline> MbarPart::headline() const {
    const Index last = mbar_.free_energies.size() - 1;
    Headline headline;
    headline.label = fmt::format("free energy of {} over {}, {}", names_.back(), names_.front(), unit_.name);
    headline.value = mbar_.free_energies(last) * unit_.per_nat;
    headline.method = "MBAR, asymptotic";
    if (!has_error(last)) {
        constexpr auto weight = Finding::Weight::no_error_bar;
        if (mbar_.gradient >= unsolved)
            headline.findings = {{"gradient", weight, "the equations are not solved", mbar_.gradient, unsolved}};
        else if (const double link = mbar_.weakest_link(counts_); link < no_overlap)
            headline.findings = {{"overlap of the states", weight,
                                  "states do not overlap: free energies between them mean nothing", link, no_overlap}};
        else
            headline.findings = {{"effective samples of the end states", weight,
                                  "the first or the last state has too few effective samples"}};
        return headline;
    }
    const double error = mbar_.standard_error(0, last) * unit_.per_nat;
    headline.standard_error = error;
    headline.interval95 = estimator::Interval{*headline.value - 1.96 * error, *headline.value + 1.96 * error};
    headline.findings = {{"overlap of the states", Finding::Weight::note,
                          "the states overlap; the error bar supposes independent samples", mbar_.weakest_link(counts_),
                          no_overlap}};
    return headline;
}

namespace {

StatesTable of_arrays(const std::filesystem::path& file, Matrix potentials, const Matrix& counts) {
    StatesTable table{{}, std::move(potentials), {}};
    if (counts.size() != table.potentials.rows())
        throw InputError(fmt::format("{}: u_kn has {} states and N_k {}, expected as many", file.string(),
                                     table.potentials.rows(), counts.size()));
    double total = 0;
    for (Index k = 0; k < counts.size(); ++k) {
        const double count = counts(k);
        if (!(count >= 0 && count == std::floor(count)))
            throw InputError(
                fmt::format("{}: N_k[{}] is {}, expected a whole number of at least 0", file.string(), k, count));
        table.names.push_back(fmt::format("{}", k));
        total += count;
    }
    if (total != static_cast<double>(table.potentials.cols()))
        throw InputError(
            fmt::format("{}: N_k sums to {}, but u_kn has {} samples", file.string(), total, table.potentials.cols()));
    for (Index k = 0; k < counts.size(); ++k)
        table.counts.push_back(static_cast<Index>(counts(k)));
    return table;
}

StatesTable of_frame(const std::filesystem::path& file, const std::string& state,
                     const std::vector<std::string>& leave_out) {
    const auto frame = io::Frame::read(file);
    const auto own = frame.column(state);
    StatesTable table;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < frame.names().size(); ++k)
        if (k != own && std::ranges::find(leave_out, frame.names()[k]) == leave_out.end()) {
            places.push_back(k);
            table.names.push_back(frame.names()[k]);
        }
    if (table.names.empty())
        throw InputError(fmt::format("{}: no columns of states beside '{}'", frame.source(), state));
    table.counts.assign(table.names.size(), 0);
    for (const Index code : frame.codes(state, table.names))
        ++table.counts[static_cast<std::size_t>(code)];
    table.potentials.resize(std::ssize(places), frame.rows());
    for (Index row = 0; row < frame.rows(); ++row)
        for (std::size_t k = 0; k < places.size(); ++k) {
            const auto& text = frame.text(row, places[k]);
            const auto value = io::finite_number(text);
            const bool is_impossible = text == "inf" || text == "+inf" || text == "Inf";
            if (!value && !is_impossible)
                frame.refuse(row, places[k], "a number, or inf");
            table.potentials(static_cast<Index>(k), row) = value.value_or(infinity);
        }
    return table;
}

} // namespace

StatesTable read_states(const std::filesystem::path& file, const std::string& state,
                        const std::vector<std::string>& leave_out) {
    if (file.extension() == ".npz")
        return of_arrays(file, io::read_npz(file, "u_kn"), io::read_npz(file, "N_k"));
    if (file.extension() == ".h5" || file.extension() == ".hdf5") {
        constexpr Index most = Index{1} << 24;
        return of_arrays(file, io::read_hdf5_rows(file, "u_kn", most, 2), io::read_hdf5_rows(file, "N_k", most));
    }
    return of_frame(file, state, leave_out);
}

namespace {

std::string describe_mbar(const Json& summary) {
    const auto found = summary.find("mbar");
    if (found == summary.end())
        return {};
    const auto& states = (*found)["states"];
    auto text = fmt::format("  {:<16} {:>9} {:>10} {:>14} {:>11}   ({})\n", "state", "samples", "effective",
                            "free energy", "error", found->value("unit", ""));
    std::size_t lines = 0;
    for (const auto& state : states) {
        if (++lines > most_lines) {
            text += fmt::format("  ... {} more states in summary.json\n", states.size() - most_lines);
            break;
        }
        const double error = number_at(state, "standard_error");
        text +=
            fmt::format("  {:<16} {:>9} {:>10.1f} {:>14.5f} {:>11}\n", state.value("name", ""),
                        whole_at(state, "samples"), state.value("effective_samples", 0.0),
                        state.value("free_energy", 0.0), std::isfinite(error) ? fmt::format("{:.5f}", error) : "none");
    }
    return text;
}

} // namespace

PartKind mbar_kind() {
    return {nullptr, describe_mbar};
}

} // namespace pearlite::app
