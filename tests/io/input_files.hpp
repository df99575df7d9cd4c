#pragma once
/// Small input files for tests.

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>

namespace pearlite::io::testing {

/// A directory for one test, which is removed with it.
class TemporaryDirectory {
  public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "pearlite-input-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no temporary directory");
        }
        path_ = name;
    }
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }

    std::filesystem::path write(const std::string& name, std::string_view content) const {
        const std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << content;
        return file;
    }

  private:
    std::filesystem::path path_;
};

/// Sets or clears PEARLITE_DATA_DIR, and puts back what it was.
class DataDirectoryVariable {
  public:
    explicit DataDirectoryVariable(const std::optional<std::filesystem::path>& value) {
        if (const char* old = std::getenv(name)) {
            old_ = old;
        }
        set(value ? std::optional(value->string()) : std::nullopt);
    }
    ~DataDirectoryVariable() { set(old_); }
    DataDirectoryVariable(const DataDirectoryVariable&) = delete;
    DataDirectoryVariable& operator=(const DataDirectoryVariable&) = delete;

  private:
    static constexpr const char* name = "PEARLITE_DATA_DIR";
    static void set(const std::optional<std::string>& value) {
        if (value) {
            setenv(name, value->c_str(), 1);
        } else {
            unsetenv(name);
        }
    }
    std::optional<std::string> old_;
};

/// The message of the InputError that `action` throws; a failure of the test if it throws none.
template <class Action>
std::string input_error(const Action& action) {
    try {
        action();
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no InputError was thrown";
    return "";
}

/// The message of a reader about a file of this content, without the directory.
template <class Read>
std::string mistake(const Read& read, const std::string& name, std::string_view content) {
    const TemporaryDirectory directory;
    const auto file = directory.write(name, content);
    const std::string message = input_error([&] { read(file); });
    const std::string prefix = directory.path().string() + "/";
    EXPECT_THAT(message, ::testing::StartsWith(prefix));
    return message.substr(std::min(prefix.size(), message.size()));
}

/// Expects the messages that every reader must give for a file that does not exist or is a directory.
template <class Read>
void expect_unreadable(const Read& read, const std::string& name) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / name;
    EXPECT_THAT(input_error([&] { read(file); }),
                ::testing::StartsWith(file.string() + ": cannot be read (No such file or directory), expected "));
    std::filesystem::create_directory(file);
    EXPECT_THAT(input_error([&] { read(file); }), ::testing::StartsWith(file.string() + ": is a directory, expected "));
}

} // namespace pearlite::io::testing
