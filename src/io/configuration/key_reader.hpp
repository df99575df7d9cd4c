#pragma once
/// Reads the keys that a settings struct lists (core/keys.hpp) from a table of a configuration.

#include "pearlite/core/keys.hpp"
#include "pearlite/io/configuration.hpp"

#include <vector>

namespace pearlite::io {

class KeyReader final : public Keys {
  public:
    /// Keys of the table [table]. The configuration must outlive the reader.
    KeyReader(Configuration& configuration, const std::string& table);

    bool has(const std::string& name) override;
    void set_aside(const std::vector<std::string>& names) override;
    void set_aside_elements(const std::string& name, const std::vector<std::string>& elements) override;
    void error(const std::string& name, const std::string& message) override;
    bool is_reading() const override { return true; }

  protected:
    void ask(const Key& key, Index& value, const Limits& limits) override;
    void ask(const Key& key, double& value, const Limits& limits) override;
    void ask(const Key& key, bool& value) override;
    void ask(const Key& key, std::string& value) override;
    void ask(const Key& key, std::string& value, const std::vector<NamedOption>& options) override;
    void ask(const Key& key, std::vector<double>& values) override;
    void ask(const Key& key, std::vector<std::string>& values, const std::vector<std::string>& options) override;
    void ask(const Key& key, DataFile& file) override;
    void ask(const Key& key, InputFile& file) override;
    void ask_seconds(const Key& key, double& value) override;
    void ask_seconds_or(const std::string& word, const Key& key, std::optional<double>& value) override;
    void ask_number_or(const std::string& word, const Key& key, std::optional<Index>& value,
                       const Limits& limits) override;
    bool enter(const Condition& condition, const std::function<bool()>& holds) override;
    void leave() override {}
    void enter_table(const std::string& table) override;
    void leave_table() override;

  private:
    Section& section() { return tables_.back(); }

    Configuration* configuration_;
    std::vector<Section> tables_; ///< the innermost last
};

/// Reads every key that settings.keys(k, more...) lists.
template <class Settings, class... More>
void read_keys(Configuration& configuration, const std::string& table, Settings& settings, const More&... more) {
    KeyReader reader(configuration, table);
    settings.keys(reader, more...);
}

} // namespace pearlite::io
