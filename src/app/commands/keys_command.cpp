#include "app/commands/command.hpp"
#include "app/commands/describe_configuration.hpp"
#include "app/commands/options.hpp"
#include "pearlite/app/command_line.hpp"

#include <cstdio>

namespace pearlite::app {

namespace {

const char* const markdown_title =
    "# Keys of a configuration\n\n"
    "`pearlite keys --markdown` prints this page, `pearlite keys TABLE` a part of it: `pearlite keys run`,\n"
    "`pearlite keys model.ising`, `pearlite keys algorithm.smc`. A key whose condition does not hold is unknown.\n"
    "Some tables depend on the algorithm or on the model; their headings name these.\n\n";

struct KeysOptions {
    std::string table; ///< "run", "model.ising", "algorithm.smc"; empty: all
    bool as_markdown = false, as_json_schema = false;
};

std::string text_of(const io::ConfigurationDescription& all, const KeysOptions& options) {
    if (options.as_json_schema)
        return io::keys_as_json_schema(all);
    if (options.as_markdown)
        return markdown_title + io::keys_as_markdown(all.tables);
    return io::keys_as_text(all.tables, options.table);
}

int print_keys(const Catalogue& models, const KeysOptions& options) {
    std::fputs(text_of(describe_configuration(models), options).c_str(), stdout);
    return exit_finished;
}

} // namespace

CommandEntry keys_command_entry() {
    return {"keys", "the keys of a configuration: types, ranges, defaults, meanings",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<KeysOptions>();
                command.add_option("table", options->table, "run, model.ising, algorithm.smc ... (default all)");
                auto* markdown = command.add_flag("--markdown", options->as_markdown, "all of them, as Markdown");
                command.add_flag("--json-schema", options->as_json_schema, "all of them, as a JSON schema for editors")
                    ->excludes(markdown);
                return {.serial = [options, &models = context.models] { return print_keys(models, *options); }};
            }};
}

} // namespace pearlite::app
