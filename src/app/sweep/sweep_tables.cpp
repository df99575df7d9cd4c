#include "app/sweep/table.hpp"

#include "app/program/build_info.hpp"

namespace pearlite::app {

namespace {

/// A field of a CSV file: quoted if it must be.
std::string csv(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos)
        return text;
    std::string quoted = "\"";
    for (const char c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string csv(double value) {
    return std::isnan(value) ? std::string() : fmt::format("{}", value);
}

std::string axes_header(const io::SweepGrid& grid) {
    std::string text;
    for (const auto& axis : grid.axes())
        text += "," + csv(axis.name);
    return text;
}

std::string axes_values(const io::SweepGrid& grid, Index setting) {
    std::string text;
    for (std::size_t a = 0; a < grid.axes().size(); ++a)
        text += "," + csv(grid.value(setting, a).text);
    return text;
}

/// A cell of a table in Markdown: in one line, without a bar.
std::string cell(const std::string& text) {
    std::string written;
    for (const char c : text)
        written += c == '\n' || c == '\r' || c == '\t' ? std::string(" ") : c == '|' ? "\\|" : std::string(1, c);
    return written;
}

/// The value to two digits of its error: "-2.3026 +- 0.0031".
std::string with_error(double value, double error) {
    if (std::isnan(value))
        return "";
    if (!(error > 0))
        return fmt::format("{:.6g}", value);
    const int digits = std::clamp(1 - static_cast<int>(std::floor(std::log10(error))), 0, 12);
    return fmt::format("{:.{}f} ± {:.{}f}", value, digits, error, digits);
}

/// The columns of the scalars, in their order.
std::vector<std::size_t> columns_of(const SweepTable& table, const std::vector<std::string>& scalars) {
    const auto& all = table.columns();
    std::vector<std::size_t> columns(scalars.size());
    std::transform(scalars.begin(), scalars.end(), columns.begin(), [&](const std::string& name) {
        return static_cast<std::size_t>(std::find(all.begin(), all.end(), name) - all.begin());
    });
    return columns;
}

bool has_coverage(const Sweep& sweep, const SweepTable& table, std::size_t column) {
    for (Index s = 0; s < sweep.grid().settings(); ++s)
        if (!std::isnan(table.statistics(s, column).coverage))
            return true;
    return false;
}

std::string markdown_of_pairs(const Sweep& sweep, const SweepTable& table, const std::vector<std::string>& scalars) {
    const auto& grid = sweep.grid();
    std::string text;
    for (const auto column : columns_of(table, scalars)) {
        std::string rows;
        if (!is_of_machine(table.columns()[column]))
            for (const auto& pair : table.pairs())
                if (pair.column == column)
                    rows +=
                        fmt::format("| {} | {} = {} | {} | {} | {:.1f} |\n", cell(grid.describe(pair.setting)),
                                    cell(grid.axes()[pair.axis].name), cell(grid.value(pair.reference, pair.axis).text),
                                    pair.count, with_error(pair.mean, pair.standard_error), pair.t);
        if (!rows.empty())
            text +=
                fmt::format("\nDifferences of `{}` over replicates with common seeds:\n\n"
                            "| setting | less the one with | pairs | mean difference | t |\n|---|---|---|---|---|\n",
                            table.columns()[column]) +
                rows;
    }
    return text;
}

} // namespace

ShownScalars shown_scalars(const Sweep& sweep, const SweepTable& table) {
    ShownScalars shown;
    for (const auto& name : sweep.settings().scalars)
        if (contains(table.columns(), name))
            shown.names.push_back(name);
        else
            shown.warnings.push_back(
                fmt::format("sweep.scalars: no run has a scalar {}; runs.csv shows which there are", name));
    if (sweep.settings().scalars.empty())
        shown.names = headline_of(table.columns());
    return shown;
}

std::string csv_of_runs(const Sweep& sweep, const SweepTable& table) {
    std::string text = "run,setting,replicate,seed" + axes_header(sweep.grid()) + ",status";
    for (const auto& name : table.columns())
        text += "," + csv(name);
    text += "\n";
    for (Index run = 0; run < sweep.runs(); ++run) {
        const Index setting = sweep.setting_of(run);
        text += fmt::format("{},{},{},{}{},{}", run, setting, sweep.replicate_of(run), sweep.seed_of(run),
                            axes_values(sweep.grid(), setting), table.finished(run) ? "finished" : "failed");
        for (Index c = 0; c < table.values().cols(); ++c)
            text += "," + csv(table.values()(run, c));
        text += "\n";
    }
    return text;
}

std::string csv_of_settings(const Sweep& sweep, const SweepTable& table) {
    std::string text = "setting" + axes_header(sweep.grid()) +
                       ",scalar,count,mean,sd,standard_error,q05,q25,q50,q75,q95,coverage,coverage_standard_error\n";
    for (Index s = 0; s < sweep.grid().settings(); ++s)
        for (std::size_t c = 0; c < table.columns().size(); ++c) {
            const auto& all = table.statistics(s, c);
            text += fmt::format("{}{},{},{},{},{},{}", s, axes_values(sweep.grid(), s), csv(table.columns()[c]),
                                all.count, csv(all.mean), csv(all.sd), csv(all.standard_error));
            for (const double q : all.quantiles)
                text += "," + csv(q);
            text += "," + csv(all.coverage) + "," + csv(all.coverage_standard_error) + "\n";
        }
    return text;
}

std::string csv_of_pairs(const Sweep& sweep, const SweepTable& table) {
    std::string text = "axis,setting,reference,scalar,count,mean_difference,sd,standard_error,t\n";
    for (const auto& pair : table.pairs())
        text += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv(sweep.grid().axes()[pair.axis].name), pair.setting,
                            pair.reference, csv(table.columns()[pair.column]), pair.count, csv(pair.mean), csv(pair.sd),
                            csv(pair.standard_error), csv(pair.t));
    return text;
}

std::string markdown_tables(const Sweep& sweep, const SweepTable& table, const std::vector<std::string>& scalars) {
    const auto& grid = sweep.grid();
    const auto columns = columns_of(table, scalars);
    std::string head = "|", rule = "|";
    const auto add = [&](const std::string& name) {
        head += " " + cell(name) + " |";
        rule += "---|";
    };
    for (const auto& axis : grid.axes())
        add(axis.name);
    add("runs");
    for (const auto column : columns) {
        add(table.columns()[column]);
        add("sd");
        if (has_coverage(sweep, table, column))
            add("coverage of 95 % intervals");
    }
    std::string text = head + "\n" + rule + "\n";
    for (Index s = 0; s < grid.settings(); ++s) {
        text += "|";
        for (std::size_t a = 0; a < grid.axes().size(); ++a)
            text += " " + cell(grid.value(s, a).text) + " |";
        Index finished = 0;
        for (Index r = 0; r < sweep.replicates_of(s); ++r)
            finished += table.finished(sweep.first_run_of(s) + r) ? 1 : 0;
        text += fmt::format(" {} |", finished);
        for (const auto column : columns) {
            const auto& all = table.statistics(s, column);
            text += " " + with_error(all.mean, all.standard_error) + " |";
            text += std::isnan(all.sd) ? " |" : fmt::format(" {:.3g} |", all.sd);
            if (has_coverage(sweep, table, column))
                text += std::isnan(all.coverage)
                            ? " |"
                            : fmt::format(" {:.3f} ± {:.3f} |", all.coverage, all.coverage_standard_error);
        }
        text += "\n";
    }
    return text + markdown_of_pairs(sweep, table, scalars);
}

void write_container(const std::filesystem::path& file, const Sweep& sweep, const SweepTable& table) {
    io::Writer writer(parallel::Communicator::alone());
    writer("build/version", build_id());
    writer("build/compiler", compiler());
    writer("build/kernels", kernel_path());
    writer("build/libraries", library_versions());
    const auto numbers = [](Index n, auto of) {
        std::vector<std::int64_t> all;
        for (Index k = 0; k < n; ++k)
            all.push_back(static_cast<std::int64_t>(of(k)));
        return all;
    };
    writer("runs/setting", numbers(sweep.runs(), [&](Index run) { return sweep.setting_of(run); }));
    writer("runs/replicate", numbers(sweep.runs(), [&](Index run) { return sweep.replicate_of(run); }));
    writer("runs/seed", numbers(sweep.runs(), [&](Index run) { return sweep.seed_of(run); }));
    writer("runs/finished", numbers(sweep.runs(), [&](Index run) { return table.finished(run) ? 1 : 0; }));
    writer("runs/columns", table.columns());
    writer("runs/values", table.values());

    const Index settings = sweep.grid().settings(), columns = static_cast<Index>(table.columns().size());
    const auto matrix = [&](auto of) {
        Matrix all(settings, columns);
        for (Index s = 0; s < settings; ++s)
            for (Index c = 0; c < columns; ++c)
                all(s, c) = static_cast<double>(of(table.statistics(s, at(c))));
        return all;
    };
    writer("settings/count", matrix([](const auto& all) { return all.count; }));
    writer("settings/mean", matrix([](const auto& all) { return all.mean; }));
    writer("settings/sd", matrix([](const auto& all) { return all.sd; }));
    writer("settings/standard_error", matrix([](const auto& all) { return all.standard_error; }));
    for (std::size_t q = 0; q < ScalarStatistics::levels.size(); ++q)
        writer(fmt::format("settings/quantiles/{:02.0f}", 100 * ScalarStatistics::levels[q]),
               matrix([q](const auto& all) { return all.quantiles[q]; }));
    writer("settings/coverage", matrix([](const auto& all) { return all.coverage; }));
    writer("settings/coverage_standard_error", matrix([](const auto& all) { return all.coverage_standard_error; }));

    const auto& pairs = table.pairs();
    const auto n = static_cast<Index>(pairs.size());
    writer("pairs/axis", numbers(n, [&](Index k) { return pairs[at(k)].axis; }));
    writer("pairs/setting", numbers(n, [&](Index k) { return pairs[at(k)].setting; }));
    writer("pairs/reference", numbers(n, [&](Index k) { return pairs[at(k)].reference; }));
    writer("pairs/column", numbers(n, [&](Index k) { return pairs[at(k)].column; }));
    writer("pairs/count", numbers(n, [&](Index k) { return pairs[at(k)].count; }));
    const auto doubles = [&](double PairedDifference::*member) {
        std::vector<double> all(pairs.size());
        std::transform(pairs.begin(), pairs.end(), all.begin(), [&](const auto& pair) { return pair.*member; });
        return all;
    };
    writer("pairs/mean_difference", doubles(&PairedDifference::mean));
    writer("pairs/sd", doubles(&PairedDifference::sd));
    writer("pairs/standard_error", doubles(&PairedDifference::standard_error));
    writer("pairs/t", doubles(&PairedDifference::t));
    writer.commit(file, "results");
}

} // namespace pearlite::app
