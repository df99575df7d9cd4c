#include "io/configuration/key_description.hpp"

#include "io/key_lists.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace pearlite::io {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

std::vector<TableDescription> described() {
    return describe_keys("model", [](Keys& k) { LatticeSettings().keys(k); });
}

KeyDescription key(const std::string& name, std::size_t table = 0) {
    const auto keys = described().at(table).keys;
    const auto found = std::find_if(keys.begin(), keys.end(), [&](const auto& k) { return k.name == name; });
    EXPECT_NE(found, keys.end()) << name;
    return found == keys.end() ? KeyDescription() : *found;
}

TEST(KeyDescription, visits_every_branch_in_the_order_of_the_list) {
    const auto tables = described();
    ASSERT_EQ(tables.size(), 2U);
    std::vector<std::string> names;
    for (const auto& k : tables[0].keys)
        names.push_back(k.name);
    EXPECT_THAT(names, ::testing::ElementsAre("size", "coupling", "field", "update", "flips", "torus", "start", "seed",
                                              "limit", "period", "knots", "moves", "pair", "title", "column", "data",
                                              "images", "n_images", "repeats"));
    EXPECT_EQ(tables[1].table, "prior");
    EXPECT_EQ(tables[1].keys.at(0).name, "scale");
}

TEST(KeyDescription, tells_types_ranges_defaults_and_conditions) {
    EXPECT_EQ(expectation(key("size")), "an integer in [2, 4096]");
    EXPECT_EQ(default_text(key("size")), "32");
    EXPECT_EQ(key("size").about.measured_in, "sites");
    EXPECT_EQ(expectation(key("coupling")), "a finite number");
    EXPECT_EQ(expectation(key("field")), "a number in (-1, 1)");
    EXPECT_EQ(expectation(key("update")), "one of \"sweep\", \"random-site\"");
    EXPECT_EQ(default_text(key("update")), "\"sweep\"");
    EXPECT_EQ(default_text(key("flips")), "size x size");
    EXPECT_EQ(conditions_text(key("flips")), "update is random-site");
    EXPECT_EQ(conditions_text(key("start")), "torus is false");
    EXPECT_EQ(default_text(key("start")), "\"prior\"");
    EXPECT_EQ(expectation(key("seed")), "an integer in [0, inf)");
    EXPECT_EQ(expectation(key("limit")), "a number in (0, inf)");
    EXPECT_EQ(default_text(key("limit")), "none");
    EXPECT_EQ(key("period").about.measured_in, "s");
    EXPECT_EQ(expectation(key("moves")), "an array of \"flip\", \"cluster\"");
    EXPECT_EQ(default_text(key("pair")), "\"a:b\"");
    EXPECT_EQ(default_text(key("data")), "\"lattice.csv\"");
    EXPECT_EQ(conditions_text(key("n_images")), "images is given");
    EXPECT_EQ(conditions_text(key("repeats")), "the lattice is large");
}

TEST(KeyDescription, text_names_the_tables_there_are) {
    auto tables = described();
    tables[0].models = {"lattice"};
    EXPECT_THAT(keys_as_text(tables, "model.lattice"), HasSubstr("[model] lattice\n  size: "));
    EXPECT_THAT(keys_as_text(tables, ""), HasSubstr("[prior]"));
    EXPECT_THAT(keys_as_text(tables, "prior"), ::testing::Not(HasSubstr("size")));
    try {
        keys_as_text(tables, "model.latice");
        FAIL() << "there is no such table";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "no table 'model.latice'; did you mean 'model.lattice'?; expected one of "
                                   "model.lattice, prior");
    }
}

TEST(KeyDescription, markdown_lines_are_short) {
    const auto text = keys_as_markdown(described());
    EXPECT_THAT(text, HasSubstr("* `flips`: an integer in [1, inf); default size x size; only if update is"));
    for (std::size_t start = 0; start < text.size();) {
        const auto end = text.find('\n', start);
        EXPECT_LE(end - start, 120U) << text.substr(start, end - start);
        start = end + 1;
    }
}

json schema_of_lattice() {
    auto tables = described();
    tables[0].models = {"lattice"};
    return json::parse(
        keys_as_json_schema({{{"lattice", "smc", "smc", {"smc"}}, {"other", "smc", "smc", {"smc"}}}, tables}));
}

TEST(KeySchema, says_types_ranges_and_defaults) {
    const auto schema = schema_of_lattice()["then"]; // of a configuration without a sweep
    EXPECT_EQ(schema["required"], json::parse(R"(["model"])"));
    json model;
    for (const auto& part : schema["allOf"])
        if (part.contains("then") && part["then"]["properties"].contains("model"))
            model = part["then"]["properties"]["model"];
    const auto& properties = model["properties"];
    EXPECT_EQ(model["additionalProperties"], false);
    EXPECT_EQ(properties["size"]["type"], "integer");
    EXPECT_EQ(properties["size"]["minimum"], 2);
    EXPECT_EQ(properties["size"]["maximum"], 4096);
    EXPECT_EQ(properties["size"]["default"], 32);
    EXPECT_EQ(properties["field"]["exclusiveMinimum"], -1);
    EXPECT_EQ(properties["update"]["enum"], json::parse(R"(["sweep", "random-site"])"));
    EXPECT_EQ(properties["moves"]["items"]["enum"], json::parse(R"(["flip", "cluster"])"));
    EXPECT_EQ(model["dependencies"]["flips"],
              json::parse(R"({"properties": {"update": {"enum": ["random-site"]}}, "required": ["update"]})"));
    EXPECT_EQ(model["dependencies"]["start"],
              json::parse(R"({"properties": {"torus": {"enum": [false]}}, "required": ["torus"]})"));
    EXPECT_EQ(model["dependencies"]["n_images"], json::parse(R"({"required": ["images"]})"));
    EXPECT_FALSE(model["dependencies"].contains("repeats")) << "a sentence cannot be checked";
}

} // namespace
} // namespace pearlite::io
