#include "app/commands/describe_configuration.hpp"

#include "app/commands/commands.hpp"

#include <cstdio>

namespace pearlite::app {

namespace {

const char* const markdown_title =
    "# Keys of a configuration\n\n"
    "`pearlite keys --markdown` prints this page, `pearlite keys TABLE` a part of it: `pearlite keys run`,\n"
    "`pearlite keys model.ising`, `pearlite keys algorithm.smc`. A key whose condition does not hold is unknown.\n"
    "Some tables depend on the algorithm or on the model; their headings name these.\n\n";

std::string text_of(const io::ConfigurationDescription& all, const KeysOptions& options) {
    if (options.as_json_schema)
        return io::keys_as_json_schema(all);
    if (options.as_markdown)
        return markdown_title + io::keys_as_markdown(all.tables);
    return io::keys_as_text(all.tables, options.table);
}

} // namespace

int keys_command(const Catalogue& models, const KeysOptions& options) {
    std::fputs(text_of(describe_configuration(models), options).c_str(), stdout);
    return 0;
}

} // namespace pearlite::app
