#include "io/configuration/sweep/sweep_grid.hpp"

#include "io/configuration/configuration_look_up.hpp"

#include <map>

namespace pearlite::io {
namespace {

constexpr const char* table_name = "sweep";
constexpr Index most_settings = 1'000'000;

/// An axis as it was written: the assignments of each of its values.
struct WrittenAxis {
    std::string name;
    toml::source_region region;
    bool is_of_variants = false;
    std::vector<SweptValue> values;
    std::vector<std::vector<Assignment>> assignments;
    std::vector<std::optional<Index>> replicates = {}; ///< of variants, one for each value

    /// Whether a value sets a key of [model].
    bool is_of_models() const {
        return std::any_of(assignments.begin(), assignments.end(), [](const auto& of_value) {
            return std::any_of(of_value.begin(), of_value.end(),
                               [](const Assignment& each) { return each.path.starts_with("model."); });
        });
    }
};

SweptValue swept_value(const toml::node& node) {
    if (const auto* text = node.as_string())
        return {text->get()};
    SweptValue value{toml_text(node), node.value<double>(), node.is_integer()};
    if (node.is_boolean())
        value.number.reset();
    return value;
}

std::string line_of(const toml::source_region& region) {
    return std::to_string(region.begin.line);
}

} // namespace

struct SweepGrid::Implementation {
    std::shared_ptr<Configuration::State> base;
    std::vector<WrittenAxis> axes;
    std::vector<SweepFigure> figures;
    bool zipped = false;

    const toml::table& table() const {
        const auto* node = base->find(table_name);
        static const toml::table none;
        return node != nullptr && node->is_table() ? *node->as_table() : none;
    }
    void record(const std::string& path, const std::string& message) {
        base->record(base->place(path), path + ": " + message);
    }
    /// The same for a place without a path, such as a key with dots in it.
    void record_at(const toml::source_region& region, const std::string& message) {
        const auto line = static_cast<Index>(region.begin.line);
        base->record({line, line == 0 ? base->name : base->name + ":" + line_of(region)}, message);
    }

    void read_lists(const toml::table& inner, const std::string& path);
    void read_list(const std::string& path, const toml::key& key, const toml::node& node);
    void read_variants(const toml::node& node);
    void find_clashes();
    void find_overrides_of_swept_keys();
    void check_lengths();
    void check_figures();
};

/// `path`: of a table of the configuration, empty in [sweep] itself.
void SweepGrid::Implementation::read_lists(const toml::table& inner, const std::string& path) {
    const auto section = join_path(table_name, path);
    base->know_section(path.empty() ? std::string(table_name) : section);
    for (const auto& [key, node] : inner) {
        const auto full = join_path(path, key.str());
        const bool has_point = full.find('.') != std::string::npos;
        if (path.empty() && key.str() == "variant") {
            base->ask(table_name, "variant");
            read_variants(node);
        } else if (path.empty() && key.str() == "figure") {
            base->ask(table_name, "figure");
            figures = read_figures(node, [this](const auto& region, const auto& words) { record_at(region, words); });
        } else if (const auto* deeper = node.as_table()) {
            read_lists(*deeper, full);
        } else if (has_point) {
            base->ask(path.empty() ? std::string(table_name) : section, std::string(key.str()));
            read_list(full, key, node);
        }
    }
}

void SweepGrid::Implementation::read_list(const std::string& path, const toml::key& key, const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr || list->empty()) {
        const auto got = list == nullptr ? "got " + toml_text(node) : "the list is empty";
        record_at(key.source(), std::string(table_name) + "." + path + ": " + got +
                                    ", expected a list of values for the key " + path);
        return;
    }
    WrittenAxis axis{path, key.source(), false, {}, {}};
    for (const auto& value : *list) {
        axis.values.push_back(swept_value(value));
        axis.assignments.push_back({{path, key.source(), &value}});
    }
    axes.push_back(std::move(axis));
}

void SweepGrid::Implementation::read_variants(const toml::node& node) {
    const auto* list = node.as_array();
    if (list == nullptr || list->empty() || !node.is_array_of_tables()) {
        record("sweep.variant", "expected tables [[sweep.variant]], each with a name and keys of the configuration");
        return;
    }
    for (const auto& element : *list) {
        const auto& variant = *element.as_table();
        const auto name = variant["name"].value<std::string>(), family = variant["axis"].value<std::string>();
        if (!name || name->empty()) {
            record_at(variant.source(), "sweep.variant: the name is missing, expected name = \"...\"");
            continue;
        }
        const auto axis_name = family.value_or("variant");
        auto axis = std::find_if(axes.begin(), axes.end(), [&](const auto& each) { return each.name == axis_name; });
        if (axis == axes.end())
            axis = axes.insert(axes.end(), {axis_name, variant.source(), true, {}, {}});
        if (std::any_of(axis->values.begin(), axis->values.end(), [&](const auto& v) { return v.text == *name; }))
            record_at(variant.source(),
                      "sweep.variant: there are two variants \"" + *name + "\", expected different names");
        const auto replicates = variant["replicates"].value_exact<std::int64_t>();
        if (variant.contains("replicates") && replicates.value_or(0) < 1)
            record_at(variant["replicates"].node()->source(), "sweep.variant: replicates of \"" + *name + "\": got " +
                                                                  toml_text(*variant["replicates"].node()) +
                                                                  ", expected a whole number of 1 or more");
        axis->replicates.push_back(replicates);
        axis->values.push_back({*name});
        auto& assignments = axis->assignments.emplace_back();
        for (const auto& [key, value] : variant) {
            const auto full = std::string(key.str());
            if (full == "name" || full == "axis" || full == "replicates")
                continue;
            if (const auto* inner = value.as_table())
                collect(*inner, full, assignments);
            else if (full.find('.') != std::string::npos)
                assignments.push_back({full, key.source(), &value});
            else
                record_at(key.source(), "sweep.variant: unknown key '" + full +
                                            "', expected name, axis, replicates, and keys of the configuration as "
                                            "TABLE.KEY");
        }
    }
}

/// Two axes that set the same key.
void SweepGrid::Implementation::find_clashes() {
    std::map<std::string, const WrittenAxis*> owners;
    for (const auto& axis : axes)
        for (const auto& assignments : axis.assignments)
            for (const auto& assignment : assignments) {
                const auto [owner, is_new] = owners.emplace(assignment.path, &axis);
                if (!is_new && owner->second != &axis)
                    record_at(assignment.region, "the key " + assignment.path + " is set by " + owner->second->name +
                                                     " (line " + line_of(owner->second->region) + ") and by " +
                                                     axis.name + ", expected that one of them sets it");
            }
}

/// A --set of a key that the sweep sets would be lost in silence.
void SweepGrid::Implementation::find_overrides_of_swept_keys() {
    for (const auto& old : base->overrides)
        for (const auto& axis : axes)
            for (const auto& assignments : axis.assignments)
                for (const auto& assignment : assignments)
                    if (assignment.path == old.path)
                        throw InputError("--set " + old.argument +
                                         (axis.is_of_variants
                                              ? ": a variant sets the key (line " + line_of(assignment.region) + ")"
                                              : ": the key is swept, expected --set sweep." + old.path +
                                                    "=[...] with the values to take"));
}

void SweepGrid::Implementation::check_lengths() {
    const WrittenAxis* first = nullptr;
    for (const auto& axis : axes) {
        if (axis.is_of_variants)
            continue;
        if (first != nullptr && axis.values.size() != first->values.size())
            record_at(axis.region, "sweep." + axis.name + ": " + std::to_string(axis.values.size()) + " values, but " +
                                       first->name + " (line " + line_of(first->region) + ") has " +
                                       std::to_string(first->values.size()) +
                                       ", expected as many, because combine is \"zipped\"");
        first = first == nullptr ? &axis : first;
    }
}

void SweepGrid::Implementation::check_figures() {
    for (const auto& figure : figures)
        if (!figure.against.empty() &&
            std::none_of(axes.begin(), axes.end(), [&](const auto& axis) { return axis.name == figure.against; })) {
            std::vector<std::string> names;
            for (const auto& axis : axes)
                names.push_back(axis.name);
            record("sweep.figure",
                   "\"" + figure.name + "\" is against " + figure.against + ", expected one of " + listed(names));
        }
}

SweepGrid::SweepGrid(const Configuration& configuration, SweepCombination combination)
    : implementation_(std::make_unique<Implementation>()) {
    auto& own = *implementation_;
    own.base = configuration.state_;
    own.zipped = combination == SweepCombination::zipped;
    own.read_lists(own.table(), "");
    own.base->record_unknown_names(own.table(), table_name);
    std::stable_sort(own.axes.begin(), own.axes.end(), [](const auto& a, const auto& b) {
        return std::pair(a.region.begin.line, a.region.begin.column) <
               std::pair(b.region.begin.line, b.region.begin.column);
    });
    own.find_clashes();
    if (own.zipped)
        own.check_lengths();
    own.check_figures();
    configuration.check_asked();
    own.find_overrides_of_swept_keys();

    // Zipped lists share the stride and the length of the first of them.
    strides_.assign(own.axes.size(), 1);
    std::optional<std::size_t> zipped_stride;
    for (std::size_t a = own.axes.size(); a-- > 0;) {
        const auto& axis = own.axes[a];
        if (own.zipped && !axis.is_of_variants && zipped_stride) {
            strides_[a] = *zipped_stride;
            continue;
        }
        strides_[a] = at(settings_);
        if (!axis.is_of_variants)
            zipped_stride = strides_[a];
        settings_ *= static_cast<Index>(axis.values.size());
        if (settings_ > most_settings)
            throw InputError(own.base->place(table_name).text + ": [sweep] has more than " +
                             std::to_string(most_settings) + " settings");
    }
    for (const auto& axis : own.axes)
        axes_.push_back({axis.name, axis.values, axis.is_of_models()});
    figures_ = own.figures;
}

SweepGrid::~SweepGrid() = default;
SweepGrid::SweepGrid(SweepGrid&&) noexcept = default;

std::size_t SweepGrid::value_number(Index setting, std::size_t axis) const {
    return at(setting) / strides_.at(axis) % axes_.at(axis).values.size();
}

const SweptValue& SweepGrid::value(Index setting, std::size_t axis) const {
    return axes_.at(axis).values.at(value_number(setting, axis));
}

Index SweepGrid::reference(Index setting, std::size_t axis) const {
    const auto first = std::find(strides_.begin(), strides_.end(), strides_.at(axis)) - strides_.begin();
    const bool is_alone = axes_[axis].values.size() == 1 || static_cast<std::size_t>(first) != axis;
    return is_alone ? setting : setting - static_cast<Index>(value_number(setting, axis) * strides_[axis]);
}

std::optional<Index> SweepGrid::most_replicates(Index setting) const {
    std::optional<Index> least;
    for (std::size_t a = 0; a < axes_.size(); ++a)
        if (const auto& axis = implementation_->axes[a]; axis.is_of_variants)
            if (const auto own = axis.replicates[value_number(setting, a)])
                least = std::min(least.value_or(*own), *own);
    return least;
}

bool SweepGrid::sets(const std::string& key) const {
    for (const auto& axis : implementation_->axes)
        for (const auto& assignments : axis.assignments)
            if (std::any_of(assignments.begin(), assignments.end(), [&](const auto& a) { return a.path == key; }))
                return true;
    return false;
}

InputError SweepGrid::mistake(const std::string& key, const std::string& message) const {
    return InputError(implementation_->base->place(key).text + ": " + key + ": " + message);
}

std::string SweepGrid::describe(Index setting) const {
    std::string text;
    for (std::size_t a = 0; a < axes_.size(); ++a)
        text += (a == 0 ? "" : ", ") + axes_[a].name + " = " + value(setting, a).text;
    return text.empty() ? "the only setting" : text;
}

Configuration SweepGrid::configuration(Index setting, const std::vector<std::string>& overrides) const {
    const auto& own = *implementation_;
    Configuration made;
    made.state_ = std::make_shared<Configuration::State>();
    auto& state = *made.state_;
    state.name = own.base->name;
    state.directory = own.base->directory;
    state.data_directory = own.base->data_directory;
    state.root = own.base->root;
    state.root.erase(table_name);
    const std::string prefix = std::string(table_name) + ".";
    for (const auto& old : own.base->overrides)
        if (!old.path.starts_with(prefix))
            state.overrides.push_back(old);
        else if (std::any_of(own.axes.begin(), own.axes.end(),
                             [&](const auto& axis) { return prefix + axis.name == old.path; }))
            state.overrides.push_back({old.path.substr(prefix.size()), old.argument});
    // Variants first, so that a list may set a key of a model that a variant names.
    for (const bool of_variants : {true, false})
        for (std::size_t a = 0; a < own.axes.size(); ++a) {
            const auto& axis = own.axes[a];
            if (axis.is_of_variants != of_variants)
                continue;
            const auto& assignments = axis.assignments[value_number(setting, a)];
            // Keys of one model mean nothing to another: a variant that names a model brings its whole table.
            if (of_variants && std::any_of(assignments.begin(), assignments.end(),
                                           [](const auto& each) { return each.path == "model.name"; }))
                state.root.erase("model");
            for (const auto& assignment : assignments)
                assign(state.root, assignment);
        }
    for (const auto& argument : overrides)
        state.apply_override(argument);
    return made;
}

} // namespace pearlite::io
