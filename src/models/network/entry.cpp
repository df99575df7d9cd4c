#include "models/common/reading.hpp"
#include "models/common/table.hpp"
#include "models/network/network_space.hpp"
#include "models/registry.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/energy/detail/space_of.hpp"

#include <fmt/format.h>

#include <set>

namespace pearlite::models {

namespace {

struct BayesianNetworkKeys {
    DataFile data{"spect/SPECT.train"};
    bool has_header = false;
    MissingKeys missing;
    std::optional<DataFile> more_data;
    std::optional<std::vector<double>> levels;
    NetworkSettings settings;
    bool exact = false, samples_networks = false;

    void keys(Keys& k) {
        k("data", data, "a table of levels, a row an observation");
        k("header", has_header, "the tables begin with a line of names; then levels may be words");
        k.when("model.header is true", has_header, [&] { missing.keys(k); });
        k("more_data", more_data, "a table whose rows are added");
        k("levels", levels, "the number of levels of each column; else the codes that occur");
        k("parent_limit", settings.parent_limit, within(0, 8), "largest number of parents of a node");
        k("edge_prior", settings.edge_prior, between(0, 1), "prior probability of an edge");
        k("equivalent_sample_size", settings.equivalent_sample_size, above(0),
          "equivalent sample size of the Dirichlet priors");
        k("sampled", samples_networks, {{"pairs", false, "of a network and an order of its nodes"}, {"networks", true}},
          "objects that have the density exp(-U/temperature) among the chains' states");
        k("exact", exact, "find the exact minimum, for comparison, if the network is small");
    }
};

/// Columns of words become codes, in the order of the alphabet over all tables.
std::optional<io::Table> read_words(io::Configuration& configuration, io::Section& section,
                                    const BayesianNetworkKeys& keys) {
    std::vector<io::Frame> frames;
    std::vector<std::string> names; // of the first table's columns that do not number its rows
    const auto read = [&](const char* key, const DataFile& file) {
        auto frame = read_data(section, key, file, [&](const auto& path) {
            auto whole = io::Frame::read(path);
            const auto columns = columns_of(whole);
            if (frames.empty()) {
                names = columns.defaults;
                for (const auto& remark : columns.remarks)
                    configuration.remark(fmt::format("model.{}", key), remark);
            }
            if (names.empty())
                throw InputError(whole.source() + ": no column but those that number the rows, expected a variable");
            if (whole.names() == (frames.empty() ? whole : frames.front()).names())
                keys.missing.apply(whole, names);
            return whole;
        });
        if (frame)
            frames.push_back(*std::move(frame));
    };
    read("data", keys.data);
    if (keys.more_data)
        read("more_data", *keys.more_data);
    if (frames.size() != (keys.more_data ? 2U : 1U))
        return {};
    io::Table table{names, {}, frames.front().source()};
    for (const auto& frame : frames)
        if (frame.names() != frames.front().names()) {
            section.error("more_data", fmt::format("{}: other columns than in {}; expected the same names in the same "
                                                   "order",
                                                   frame.source(), table.source));
            return {};
        }
    for (const auto& frame : frames) {
        io::Table part{table.names, Matrix(frame.rows(), std::ssize(table.names)), frame.source()};
        for (std::size_t k = 0; k < table.names.size(); ++k) {
            const auto& name = table.names[k];
            const bool is_numeric =
                std::ranges::all_of(frames, [&](const auto& one) { return one.is_numeric(one.column(name)); });
            auto column = part.values.col(static_cast<Index>(k));
            if (is_numeric) {
                column = frame.numbers(name);
                continue;
            }
            std::set<std::string> words;
            for (const auto& one : frames) {
                const auto levels = one.levels(name);
                words.insert(levels.begin(), levels.end());
            }
            const auto codes = frame.codes(name, std::vector<std::string>(words.begin(), words.end()));
            std::ranges::transform(codes, column.begin(), [](Index code) { return static_cast<double>(code); });
        }
        table.values = table.values.size() == 0 ? part.values : io::stack_rows(table, part).values;
    }
    return table;
}

std::optional<io::Table> read_tables(io::Configuration& configuration, io::Section& section,
                                     const BayesianNetworkKeys& keys) {
    if (keys.has_header)
        return read_words(configuration, section, keys);
    const auto read = [&](const auto& path) { return io::read_bare_csv(path); };
    auto table = read_data(section, "data", keys.data, read);
    if (!keys.more_data)
        return table;
    return read_data(section, "more_data", *keys.more_data,
                     [&](const auto& path) { return table ? io::stack_rows(*table, read(path)) : read(path); });
}

/// A number of levels; 0, with the mistake recorded, if it is none.
Index whole_level(io::Section& section, double level) {
    if (level >= 1 && level <= 256 && std::floor(level) == level)
        return static_cast<Index>(level);
    section.error("levels", fmt::format("got {}, expected whole numbers from 1 to 256, one for each column", level));
    return 0;
}

std::unique_ptr<BuiltModel> build_network(io::Configuration& configuration, io::Section& section) {
    const auto keys = read_model<BayesianNetworkKeys>(configuration);
    const auto table = read_tables(configuration, section, keys);
    std::vector<Index> levels;
    if (keys.levels)
        for (const double level : *keys.levels)
            levels.push_back(whole_level(section, level));
    if (configuration.has_errors() || !table)
        return nullptr;
    try {
        const auto make_space =
            [model = BayesianNetwork(discrete_table(table->values, table->names, levels), keys.settings),
             exact = keys.exact, samples_networks = keys.samples_networks](const model::OperationPlan& plan) {
                return model::space_of(NetworkSpace(model, {plan.operations, exact, samples_networks}));
            };
        return model::searched_in(make_space, {NetworkSpace::names()});
    } catch (const InputError& error) {
        section.error("data", error.what());
        return nullptr;
    }
}

} // namespace

ModelEntry bayesian_network_entry() {
    model::SearchTraits traits;
    traits.operations = traits.default_operations = NetworkSpace::names();
    traits.is_graph = true;
    return model::searched_entry("bayesian-network", "structure of a Bayesian network from a discrete table", traits,
                                 build_network, list_keys<BayesianNetworkKeys>);
}

} // namespace pearlite::models
