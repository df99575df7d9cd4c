#include "pearlite/io/configuration.hpp"

#include "io/input_files.hpp"

#include <bit>
#include <cmath>
#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <random>

namespace pearlite::io {
namespace {

using Ask = std::function<void(Configuration&)>;

std::string resolve(const std::string& text, const Ask& ask, const std::vector<std::string>& overrides = {}) {
    Configuration c = Configuration::parse(text, "run.toml", "/configurations", overrides);
    ask(c);
    c.check();
    return c.resolved();
}

TEST(ConfigurationResolved, holds_values_and_defaults_in_order_of_asking) {
    const Ask ask = [](Configuration& c) {
        Section model = c.section("model");
        Section run = c.section("run");
        model.integer("size");
        run.integer("seed", 1);
        model.number("field", 1.0);
        model.numbers("grid", std::vector<double>{0, 1e-300, 1e22});
        model.boolean("periodic", true);
        run.seconds("time_limit", std::numeric_limits<double>::infinity());
        run.seconds("every", 60.0);
    };
    const std::string resolved = resolve("[run]\nevery = '00:02:00'\n[model]\nsize = 4\n", ask, {"model.field=2"});
    EXPECT_EQ(resolved, "[model]\nsize = 4\nfield = 2.0\ngrid = [0.0, 1e-300, 1e+22]\nperiodic = true\n"
                        "\n[run]\nseed = 1\ntime_limit = inf\nevery = 120.0\n");
    EXPECT_EQ(resolve(resolved, ask), resolved);
}

TEST(ConfigurationResolved, keeps_every_double_to_the_bit) {
    std::mt19937_64 bits(20240117);
    std::vector<double> values = {0.0,
                                  -0.0,
                                  0.1,
                                  1.0 / 3.0,
                                  5e-324,
                                  2.2250738585072014e-308,
                                  1e5,
                                  123456789.0,
                                  std::numeric_limits<double>::max(),
                                  std::numeric_limits<double>::lowest()};
    while (values.size() < 5000) {
        const double value = std::bit_cast<double>(bits());
        if (std::isfinite(value)) {
            values.push_back(value);
        }
    }
    std::vector<double> read;
    const Ask ask = [&](Configuration& c) { read = c.section("model").numbers("grid", values); };
    const std::string resolved = resolve("", ask);
    read.clear();
    EXPECT_EQ(resolve(resolved, ask), resolved);
    ASSERT_EQ(read.size(), values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i]), std::bit_cast<std::uint64_t>(values[i])) << values[i];
    }
}

TEST(ConfigurationResolved, keeps_every_text) {
    const std::string text = "quote \" back \\ tab \t line \n bell \a delete \x7f \u00fc \xe2\x82\xac";
    const Ask ask = [&](Configuration& c) { EXPECT_EQ(c.section("model").text("label", text), text); };
    const std::string resolved = resolve("", ask);
    EXPECT_EQ(resolve(resolved, ask), resolved);
}

TEST(ConfigurationResolved, a_fallback_outside_the_range_survives_the_round_trip) {
    const Ask ask = [](Configuration& c) {
        Section model = c.section("model");
        EXPECT_EQ(model.integer("steps", -1, {1}), -1);
        EXPECT_EQ(model.number("rate", 0.0, {.low = 0, .open_low = true}), 0.0);
        EXPECT_EQ(model.choice("name", {"a", "b"}, "automatic"), "automatic");
    };
    const std::string resolved = resolve("", ask);
    EXPECT_EQ(resolve(resolved, ask), resolved);
}

TEST(ConfigurationResolved, keeps_what_was_only_asked_for_by_has) {
    const Ask ask = [](Configuration& c) {
        EXPECT_TRUE(c.has_section("trace"));
        Section model = c.section("model");
        EXPECT_TRUE(model.has("flag"));
        EXPECT_TRUE(model.has("size"));
        EXPECT_EQ(model.number("size"), 3.0);
        EXPECT_FALSE(model.has("absent"));
    };
    const std::string resolved = resolve("[trace]\n[model]\nsize = 3\nflag = ['a', 1]\n", ask);
    EXPECT_EQ(resolved, "[trace]\n\n[model]\nflag = [\"a\", 1]\nsize = 3.0\n");
    EXPECT_EQ(resolve(resolved, ask), resolved);
}

TEST(ConfigurationResolved, leaves_out_what_failed) {
    Configuration c = Configuration::parse("[model]\nsize = 'x'\n", "run.toml", "/");
    c.section("model").integer("size", 3);
    c.section("model").integer("depth", 3);
    EXPECT_EQ(c.resolved(), "[model]\ndepth = 3\n");
}

TEST(ConfigurationResolved, no_choice_is_one_where_it_is_the_default) {
    const Ask ask = [](Configuration& c) {
        EXPECT_TRUE(c.section("model").choices("factors", {"a", "b"}, std::vector<std::string>{}).empty());
    };
    const std::string resolved = resolve("", ask);
    EXPECT_EQ(resolve(resolved, ask), resolved);
    Configuration c = Configuration::parse("[model]\nfactors = []\n", "run.toml", "/");
    c.section("model").choices("factors", {"a", "b"}, std::vector<std::string>{"a"});
    EXPECT_TRUE(c.has_errors());
}

TEST(ConfigurationResolved, is_valid_in_another_directory) {
    const testing::TemporaryDirectory directory;
    directory.write("slow.csv", "x\n1\n");
    const Ask ask = [](Configuration& c) { c.section("schedule").file("file"); };
    Configuration first = Configuration::parse("[schedule]\nfile = 'slow.csv'\n", "run.toml", directory.path());
    ask(first);
    const std::string resolved = first.resolved();
    EXPECT_EQ(resolve(resolved, ask), resolved); // taken from /configurations this time
}

} // namespace
} // namespace pearlite::io
