#include "pearlite/core/keys.hpp"

namespace pearlite {

void Keys::operator()(const std::string& name, std::uint64_t& seed, const About& about) {
    auto value = static_cast<Index>(seed);
    ask({name, about}, value, at_least(0));
    seed = static_cast<std::uint64_t>(value);
}

void Keys::seconds(const std::string& name, std::optional<double>& value, const About& about) {
    ask_optional(name, value, about, [&](double& inner, const About& more) { seconds(name, inner, more); });
}

std::vector<NamedOption> Keys::named_options(const std::vector<std::string>& names) {
    std::vector<NamedOption> options;
    options.reserve(names.size());
    for (const auto& name : names)
        options.push_back({name});
    return options;
}

Condition Keys::equality(const std::string& key, const std::vector<std::string>& values, bool is_text) {
    std::string sentence = key + " is ";
    for (std::size_t k = 0; k < values.size(); ++k)
        sentence += (k == 0 ? "" : k + 1 == values.size() ? " or " : ", ") + values[k];
    return {Condition::Kind::equals, sentence, key, values, is_text};
}

} // namespace pearlite
