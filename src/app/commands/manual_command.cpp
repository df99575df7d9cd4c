/// Manual pages and shell completions, generated from the command line itself.

#include "app/commands/command.hpp"
#include "app/commands/describe_configuration.hpp"
#include "app/commands/options.hpp"
#include "pearlite/app/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <set>

namespace pearlite::app {

namespace {

enum class ManualPart { commands, keys, bash, zsh };

/// Text as roff takes it: no character of it is a request or an escape.
std::string roff(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\')
            escaped += "\\e";
        else if (c == '-')
            escaped += "\\-";
        else if ((c == '.' || c == '\'') && (escaped.empty() || escaped.back() == '\n'))
            escaped += std::string("\\&") + c;
        else
            escaped += c;
    }
    return escaped;
}

/// "-o,--output", "--set", and the name of what it takes.
struct OptionText {
    std::vector<std::string> names; ///< with their hyphens; none for an argument
    std::string value;              ///< empty for a flag
    std::string about;
    bool is_required = false;
};

OptionText text_of(const CLI::Option& option) {
    OptionText text{{}, {}, option.get_description(), option.get_required()};
    for (const auto& name : option.get_snames())
        text.names.push_back("-" + name);
    for (const auto& name : option.get_lnames())
        text.names.push_back("--" + name);
    if (text.names.empty())
        text.value = option.get_name();
    else if (option.get_items_expected_max() > 0)
        text.value = text.names.back() == "--set" ? "table.key=value" : "value";
    if (const auto standard = option.get_default_str(); !standard.empty())
        text.about += fmt::format(" (default {})", standard);
    return text;
}

std::vector<OptionText> options_of(const CLI::App& command) {
    std::vector<OptionText> all;
    for (const auto* option : command.get_options())
        if (option != command.get_help_ptr())
            all.push_back(text_of(*option));
    std::ranges::stable_sort(all, {}, [](const OptionText& option) { return !option.names.empty(); });
    return all;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    return {commands.begin(), commands.end()};
}

/// Without the directory in which it was called.
std::string name_of(const CLI::App& app) {
    return std::filesystem::path(app.get_name()).filename().string();
}

// Pages of the manual.

std::string heading(const char* name, const char* section) {
    return fmt::format(".TH {} {} \"\" \"Pearlite {}\"\n", name, section, PEARLITE_VERSION);
}

std::string page_of_command(const CLI::App& app, const CLI::App& command) {
    const auto options = options_of(command);
    auto text = fmt::format(".SS {} {}", roff(name_of(app)), roff(command.get_name()));
    for (const auto& option : options)
        if (option.names.empty())
            text += fmt::format(" \\fI{}\\fR", roff(option.value));
    text += fmt::format("\n{}.\n", roff(command.get_description()));
    for (const auto& option : options) {
        text += ".TP\n";
        std::string names;
        for (const auto& name : option.names)
            names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
        text += names;
        if (!option.value.empty())
            text += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", roff(option.value));
        text += "\n" + roff(option.about.empty() ? "see above" : option.about) + "\n";
    }
    return text;
}

std::string page_of_commands(const CLI::App& app) {
    auto text = heading("PEARLITE", "1");
    text += fmt::format(".SH NAME\npearlite \\- annealed Monte Carlo on one core or a cluster\n"
                        ".SH SYNOPSIS\n\\fB{0}\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.br\n"
                        "\\fBmpirun\\fR \\-n \\fIranks\\fR \\fB{0}\\fR run|resume|check|tune|works|mbar ...\n"
                        ".SH DESCRIPTION\n{1}\n.SH COMMANDS\n",
                        roff(name_of(app)), roff(app.get_description()));
    for (const auto* command : commands_of(app))
        text += page_of_command(app, *command);
    text +=
        ".SH EXIT STATUS\n0 finished; 2 bad input; 3 stopped early, to be resumed from the last checkpoint; 1 anything "
        "else.\n"
        ".SH ENVIRONMENT\n"
        ".TP\n\\fBPEARLITE_DATA_DIR\\fR\nwhere relative data paths start, unless \\-\\-data\\-dir says otherwise\n"
        ".TP\n\\fBPEARLITE_CPU\\fR\nportable, avx2, avx512, vnni or amx: the kernels to take in place of the best\n"
        ".TP\n\\fBPEARLITE_PYTHON\\fR\nthe interpreter of the report\n"
        ".SH SEE ALSO\n\\fBpearlite.toml\\fR(5), \\fBmpirun\\fR(1)\n";
    return text;
}

std::string page_of_keys(const std::vector<io::TableDescription>& tables) {
    return heading("PEARLITE.TOML", "5") +
           ".SH NAME\npearlite.toml \\- configurations of pearlite\n"
           ".SH DESCRIPTION\nA configuration is a TOML file of the tables below. A key whose condition does not hold "
           "is "
           "unknown. The keys in a table [short], by their full names, come before those of their tables with "
           "run.short = true.\n"
           ".SH KEYS\n.nf\n" +
           roff(io::keys_as_text(tables, "")) + ".fi\n.SH SEE ALSO\n\\fBpearlite\\fR(1)\n";
}

// Completions.

/// "run.seed=", each key once.
std::set<std::string> settings_of(const std::vector<io::TableDescription>& tables) {
    std::set<std::string> all;
    for (const auto& table : tables)
        for (const auto& key : table.keys)
            all.insert(fmt::format("{}.{}=", table.table, key.name));
    return all;
}

/// The arguments that `keys` accepts.
std::set<std::string> tables_of(const std::vector<io::TableDescription>& tables) {
    std::set<std::string> all;
    for (const auto& table : tables) {
        all.insert(table.table);
        if (table.table == "model")
            for (const auto& name : table.models)
                all.insert("model." + name);
        if (table.table == "algorithm")
            for (const auto& name : table.algorithms)
                all.insert("algorithm." + name);
    }
    return all;
}

enum class ArgumentKind { configuration, directory, container, table, program, other };

ArgumentKind argument_of(const std::string& command) {
    if (command == "run" || command == "check" || command == "tune")
        return ArgumentKind::configuration;
    if (command == "resume" || command == "report" || command == "draws" || command == "compare")
        return ArgumentKind::directory;
    if (command == "show")
        return ArgumentKind::container;
    if (command == "keys")
        return ArgumentKind::table;
    return command == "stan" ? ArgumentKind::program : ArgumentKind::other;
}

std::vector<std::string> names_of_options(const CLI::App& command) {
    std::vector<std::string> names;
    for (const auto& option : options_of(command))
        names.insert(names.end(), option.names.begin(), option.names.end());
    return names;
}

std::string bash_words(const CLI::App& command, const std::vector<io::TableDescription>& tables) {
    switch (argument_of(command.get_name())) {
    case ArgumentKind::configuration:
        return "$(compgen -f -X '!*.toml' -- \"$current\") $(compgen -d -- \"$current\")";
    case ArgumentKind::directory:
        return "$(compgen -d -- \"$current\")";
    case ArgumentKind::container:
        return "$(compgen -f -X '!*.h5' -- \"$current\") $(compgen -d -- \"$current\")";
    case ArgumentKind::table:
        return fmt::format("$(compgen -W '{}' -- \"$current\")", fmt::join(tables_of(tables), " "));
    case ArgumentKind::program:
        return "$(compgen -f -X '!*.stan' -- \"$current\") $(compgen -d -- \"$current\")";
    case ArgumentKind::other:
        break;
    }
    return "$(compgen -f -- \"$current\")";
}

std::string bash_completion(const CLI::App& app, const std::vector<io::TableDescription>& tables) {
    std::vector<std::string> names;
    std::string cases;
    for (const auto* command : commands_of(app)) {
        names.push_back(command->get_name());
        cases += fmt::format("    {})\n        options='{}'\n        words=\"{}\"\n        ;;\n", command->get_name(),
                             fmt::join(names_of_options(*command), " "), bash_words(*command, tables));
    }
    return fmt::format(R"(# Completion of pearlite's commands, options and keys for bash.
_pearlite() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} options= words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$current")
        return
    fi
    if [ "$previous" = --set ]; then
        compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '{}' -- "$current")
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    if [[ $current == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
    else
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(printf '%s\n' $words)
    fi
}}
complete -F _pearlite pearlite
)",
                       fmt::join(names, " "), fmt::join(settings_of(tables), " "), cases);
}

/// Text within single quotes of zsh, and within the brackets of _arguments.
std::string zsh_text(const std::string& text) {
    std::string quoted;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':')
            quoted += '\\';
        quoted += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return quoted;
}

std::string zsh_argument(const CLI::App& command, const std::vector<io::TableDescription>& tables) {
    switch (argument_of(command.get_name())) {
    case ArgumentKind::configuration:
        return R"('*:configuration:_files -g "*.toml"')";
    case ArgumentKind::directory:
        return "'*:directory:_files -/'";
    case ArgumentKind::container:
        return R"('*:file:_files -g "*.h5"')";
    case ArgumentKind::table:
        return fmt::format("'*:table:({})'", fmt::join(tables_of(tables), " "));
    case ArgumentKind::program:
        return R"('*:program:_files -g "*.stan"')";
    case ArgumentKind::other:
        break;
    }
    return "'*:file:_files'";
}

std::string zsh_completion(const CLI::App& app, const std::vector<io::TableDescription>& tables) {
    std::string names, cases;
    for (const auto* command : commands_of(app)) {
        names += fmt::format("    '{}:{}'\n", command->get_name(), zsh_text(command->get_description()));
        cases += fmt::format("{})\n    _arguments", command->get_name());
        for (const auto& option : options_of(*command))
            for (const auto& name : option.names) {
                const bool is_setting = name == "--set";
                cases += fmt::format(" \\\n        '{}{}[{}]{}'", is_setting ? "*" : "", name, zsh_text(option.about),
                                     is_setting ? fmt::format(":key:({})", fmt::join(settings_of(tables), " "))
                                     : option.value.empty() ? ""
                                                            : ":value:_files");
            }
        cases += fmt::format(" \\\n        {}\n    ;;\n", zsh_argument(*command, tables));
    }
    return fmt::format("#compdef pearlite\n# Completion of pearlite's commands, options and keys for zsh.\n"
                       "local -a commands\ncommands=(\n{})\n"
                       "if ((CURRENT == 2)); then\n    _describe command commands\n    return\nfi\n"
                       "shift words\n((CURRENT--))\ncase $words[1] in\n{}esac\n",
                       names, cases);
}

/// The page pearlite(1) in roff, pearlite.toml(5) in roff, or completions of commands, options and keys for a shell.
std::string manual(ManualPart part, const CLI::App& app, const std::vector<io::TableDescription>& tables) {
    switch (part) {
    case ManualPart::commands:
        return page_of_commands(app);
    case ManualPart::keys:
        return page_of_keys(tables);
    case ManualPart::bash:
        return bash_completion(app, tables);
    case ManualPart::zsh:
        break;
    }
    return zsh_completion(app, tables);
}

int print_manual(ManualPart part, const CommandContext& context) {
    std::fputs(manual(part, context.command_line, describe_configuration(context.models).tables).c_str(), stdout);
    return exit_finished;
}

} // namespace

CommandEntry manual_command_entry() {
    return {"manual", "print a manual page, or completions for a shell",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto part = std::make_shared<ManualPart>(ManualPart::commands);
                command
                    .add_option("part", *part,
                                "commands: the page pearlite(1); keys: pearlite.toml(5); bash, zsh: completions")
                    ->required()
                    ->transform(
                        CLI::CheckedTransformer(std::map<std::string, ManualPart>{{"commands", ManualPart::commands},
                                                                                  {"keys", ManualPart::keys},
                                                                                  {"bash", ManualPart::bash},
                                                                                  {"zsh", ManualPart::zsh}}));
                return {.serial = [part, &context] { return print_manual(*part, context); }};
            }};
}

} // namespace pearlite::app
