#include "app/commands/command.hpp"
#include "app/commands/options.hpp"
#include "app/program/support_programs.hpp"
#include "io/files/temporary_file.hpp"
#include "pearlite/app/command_line.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>

namespace pearlite::app {

namespace {

namespace fs = std::filesystem;

struct NewOptions {
    std::string kind; ///< "model", "likelihood" or "energy"
    std::string name; ///< of the folder and of all in it
    std::filesystem::path support_directory;
};

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The name becomes that of a folder, of a target of CMake and, in capitals, of a class.
void check_name(const std::string& name) {
    constexpr std::array<std::string_view, 10> of_cmake{
        "all",           "clean", "edit_cache", "help", "install", "package", "list_install_components",
        "rebuild_cache", "test",  "build"};
    constexpr std::size_t longest = 64;
    const bool is_word =
        !name.empty() && name.size() <= longest && is_letter(name.front()) &&
        std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
    if (!is_word || std::ranges::find(of_cmake, name) != of_cmake.end())
        throw InputError(fmt::format("the name \"{}\" cannot be a target of CMake, expected a letter, then letters, "
                                     "digits, - or _, at most {} in all",
                                     name, longest));
}

/// "my-first_model" is MyFirstModel.
std::string class_of(const std::string& name) {
    std::string text;
    bool begins = true;
    for (const char c : name) {
        if (c == '-' || c == '_')
            begins = true;
        else
            text += std::exchange(begins, false) ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    return text;
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// Where the package lies whose program this is; empty in a build directory.
fs::path prefix_of_this_program() {
    std::error_code error;
    const auto prefix = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    return fs::exists(prefix / "share" / "pearlite" / "templates", error) ? prefix : fs::path();
}

int make_folder(const NewOptions& options) {
    check_name(options.name);
    const fs::path folder = options.name;
    std::error_code ignored;
    if (fs::exists(folder, ignored))
        throw InputError(fmt::format("{}: is there already, expected the name of a new folder", folder.string()));
    const auto templates = support_file("templates", options.support_directory);
    const auto prefix = prefix_of_this_program();
    const auto filled = [&](const fs::path& file) {
        auto text = io::read_whole_file(file, "a template");
        text = replaced(std::move(text), "@name@", options.name);
        text = replaced(std::move(text), "@Class@", class_of(options.name));
        return replaced(std::move(text), "@prefix@", prefix.string());
    };
    const std::array<std::pair<fs::path, std::string>, 4> files{
        {{templates / "CMakeLists.txt.in", "CMakeLists.txt"},
         {templates / "README.md.in", "README.md"},
         {templates / options.kind / "name.cpp.in", options.name + ".cpp"},
         {templates / options.kind / "name.toml.in", options.name + ".toml"}}};
    if (!fs::create_directory(folder, ignored))
        throw FileError(fmt::format("{}: the folder cannot be made ({})", folder.string(), ignored.message()));
    for (const auto& [from, to] : files)
        io::write_durably(folder / to, filled(from));
    std::fputs(fmt::format("made {0}/: {0}.cpp is yours to change\n"
                           "    cd {0} && cmake -S . -B build{1} && cmake --build build\n"
                           "    mpirun -n 2 build/{0} run {0}.toml\n",
                           options.name,
                           prefix.empty() ? " -D CMAKE_PREFIX_PATH=DIR # where Pearlite is installed" : "")
                   .c_str(),
               stdout);
    return exit_finished;
}

} // namespace

CommandEntry new_command_entry() {
    return {"new", "make a folder with a model of your own, which builds and runs",
            [](CLI::App& command, const CommandContext& context) -> Action {
                const auto options = std::make_shared<NewOptions>();
                command
                    .add_option("kind", options->kind,
                                "model, likelihood (that is estimated) or energy (to be minimised)")
                    ->required()
                    ->check(CLI::IsMember({"model", "likelihood", "energy"}));
                command.add_option("name", options->name, "of the folder, the program and the class")->required();
                options->support_directory = context.support_directory;
                return {.serial = [options] { return make_folder(*options); }};
            }};
}

} // namespace pearlite::app
