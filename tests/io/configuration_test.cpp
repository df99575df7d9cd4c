#include "pearlite/io/configuration.hpp"

#include "io/input_files.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace pearlite::io {
namespace {

using ::testing::HasSubstr;
using testing::input_error;
using ::testing::StartsWith;

Configuration parse(std::string_view text, const std::vector<std::string>& overrides = {}) {
    return Configuration::parse(text, "run.toml", "/configurations", overrides);
}

/// All mistakes of a configuration after `ask` has looked at it.
template <class Ask>
std::string mistakes(Configuration configuration, const Ask& ask) {
    ask(configuration);
    return input_error([&] { configuration.check(); });
}

/// The mistake of one look-up in [model].
template <class Ask>
std::string mistake(std::string_view value, const Ask& ask) {
    return mistakes(parse("[model]\nx = " + std::string(value) + "\n"), [&](Configuration& c) {
        Section model = c.section("model");
        ask(model);
    });
}

TEST(Configuration, reads_every_kind_of_value) {
    Configuration c = parse("[model]\nname = 'ising'\nsize = 16\nfield = 0.5\nwhole = 2\nperiodic = true\n"
                            "grid = [1, 2.5]\ntime = 90\nclock = '1-00:00:01'\nbare_clock = 00:01:30\n");
    Section model = c.section("model");
    EXPECT_EQ(model.name(), "model");
    EXPECT_EQ(model.choice("name", {"potts", "ising"}), "ising");
    EXPECT_EQ(model.text("name"), "ising");
    EXPECT_EQ(model.integer("size"), 16);
    EXPECT_EQ(model.number("field"), 0.5);
    EXPECT_EQ(model.number("whole"), 2.0);
    EXPECT_TRUE(model.boolean("periodic"));
    EXPECT_EQ(model.numbers("grid"), (std::vector<double>{1, 2.5}));
    EXPECT_EQ(model.seconds("time"), 90);
    EXPECT_EQ(model.seconds("clock"), 86401);
    EXPECT_EQ(model.seconds("bare_clock"), 90);
    EXPECT_FALSE(c.has_errors());
    EXPECT_NO_THROW(c.check());
}

Index moves_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
    Configuration c = parse(text, overrides);
    Section kernel = c.section("kernel");
    const Index moves = kernel.integer("moves", 1);
    EXPECT_EQ(kernel.integer("steps", 3), 3);
    Section run = c.section("run");
    EXPECT_FALSE(run.boolean("short", false)); // as if the keys stood in their tables
    EXPECT_EQ(run.integer("seed", 4), 4);
    EXPECT_NO_THROW(c.check());
    EXPECT_EQ(c.resolved(),
              "[kernel]\nmoves = " + std::to_string(moves) + "\nsteps = 3\n\n[run]\nshort = false\nseed = 4\n");
    return moves;
}

TEST(Configuration, takes_the_short_form_if_asked) {
    const std::string text = "[kernel]\nmoves = 9\nsteps = 3\n[run]\nseed = 4\n[short]\nkernel.moves = 2\n";
    EXPECT_EQ(moves_of(text), 9);
    EXPECT_EQ(moves_of(text, {"run.short=false"}), 9);
    EXPECT_EQ(moves_of(text, {"run.short=true"}), 2);
    EXPECT_EQ(moves_of(text, {"run.short=true", "kernel.moves=5"}), 5);
    EXPECT_EQ(moves_of(text, {"kernel={moves=5,steps=3}", "run.short=true"}), 5);
    EXPECT_EQ(moves_of(text, {"run.short=true", "short.kernel.moves=6"}), 6);
    EXPECT_EQ(moves_of("run.seed = 4\nrun.short = true\nshort.kernel = {moves = 7, steps = 3}\n"), 7);
}

TEST(Configuration, places_mistakes_of_the_short_form) {
    const auto ask = [](Configuration& c) {
        c.section("run").boolean("short", false);
        c.section("kernel").integer("moves", 1);
    };
    const std::vector<std::string> short_run{"run.short=true"};
    EXPECT_EQ(mistakes(parse("[kernel]\nmoves = 3\n[short]\nkernel.moves = 'x'\n", short_run), ask),
              "run.toml:4: kernel.moves: wrong type (got \"x\"), expected an integer");
    EXPECT_THAT(mistakes(parse("[kernel]\n\n[short]\n\nkernel.move = 2\n", short_run), ask),
                StartsWith("run.toml:5: unknown key 'kernel.move'; did you mean 'kernel.moves'?"));
    EXPECT_EQ(mistakes(parse("[kernel]\nmoves = 3\n", short_run), ask),
              "--set run.short=true: run.short: there is no table [short], expected one with the keys of a short run");
    EXPECT_THAT(mistakes(parse("short = 3\n"), ask),
                StartsWith("run.toml:1: short: wrong type (got 3), expected a table [short]"));
    EXPECT_THAT(mistakes(parse("run.short = 1\n[short]\nkernel.moves = 2\n"), ask),
                StartsWith("run.toml:1: run.short: wrong type (got 1)"));
    EXPECT_THAT(mistakes(parse("[short]\nrun = 2\n", short_run), ask),
                HasSubstr("run.toml:2: run: wrong type (got 2)"));
}

TEST(Configuration, names_what_was_set_aside_and_is_there) {
    Configuration c = parse("[kernel]\nsteps = 5\nmoves = ['walk', 'jump']\n");
    Section kernel = c.section("kernel");
    EXPECT_EQ(kernel.choices("moves", {"walk", "jump", "swap"}).size(), 2u);
    kernel.set_aside({"steps", "scale"});
    kernel.set_aside_elements("moves", {"jump"});
    kernel.set_aside_elements("moves", {});
    EXPECT_NO_THROW(c.check());
    EXPECT_EQ(c.unused(), (std::vector<std::string>{"kernel.steps", "kernel.moves (jump)"}));
    EXPECT_EQ(c.resolved(), "[kernel]\nmoves = [\"walk\", \"jump\"]\n");
    // A slip of a name that was set aside is still one.
    EXPECT_THAT(
        mistakes(parse("[kernel]\nstesp = 5\n"), [](Configuration& d) { d.section("kernel").set_aside({"steps"}); }),
        HasSubstr("did you mean 'kernel.steps'?"));
}

TEST(Configuration, falls_back_where_a_key_or_table_is_absent) {
    Configuration c = parse("");
    EXPECT_FALSE(c.has_section("model"));
    Section model = c.section("model");
    EXPECT_FALSE(model.has("size"));
    EXPECT_EQ(model.integer("size", 8), 8);
    EXPECT_EQ(model.number("field", 0.5), 0.5);
    EXPECT_FALSE(model.boolean("periodic", false));
    EXPECT_EQ(model.text("label", ""), "");
    EXPECT_EQ(model.choice("name", {"ising"}, "ising"), "ising");
    EXPECT_EQ(model.numbers("grid", std::vector<double>{1}), std::vector<double>{1});
    EXPECT_EQ(model.seconds("time", 3.0), 3.0);
    EXPECT_NO_THROW(c.check());
}

TEST(Configuration, tables_may_be_nested) {
    Configuration c = parse("[model.prior]\nscale = 2.0\n");
    EXPECT_EQ(c.section("model.prior").number("scale"), 2.0);
    EXPECT_NO_THROW(c.check());
}

TEST(Configuration, names_line_key_and_expectation_of_a_wrong_type) {
    EXPECT_EQ(mistake("3.0", [](Section& s) { s.integer("x", {}, {1}); }),
              "run.toml:2: model.x: wrong type (got 3.0), expected an integer in [1, inf)");
    EXPECT_EQ(mistake("'3'", [](Section& s) { s.integer("x"); }),
              "run.toml:2: model.x: wrong type (got \"3\"), expected an integer");
    EXPECT_EQ(mistake("true", [](Section& s) { s.number("x"); }),
              "run.toml:2: model.x: wrong type (got true), expected a finite number");
    EXPECT_EQ(mistake("1", [](Section& s) { s.boolean("x"); }),
              "run.toml:2: model.x: wrong type (got 1), expected true or false");
    EXPECT_EQ(mistake("[1, 'a']", [](Section& s) { s.text("x"); }),
              "run.toml:2: model.x: wrong type (got [1, \"a\"]), expected text in quotes");
    EXPECT_EQ(mistake("{ a = 1 }", [](Section& s) { s.numbers("x"); }),
              "run.toml:2: model.x: wrong type (got { a = 1 }), expected an array of finite numbers");
    EXPECT_EQ(mistake("[1, 'a']", [](Section& s) { s.numbers("x"); }),
              "run.toml:2: model.x: element 2 is \"a\" (got [1, \"a\"]), expected an array of finite numbers");
    EXPECT_EQ(mistake("2020-01-01", [](Section& s) { s.text("x"); }),
              "run.toml:2: model.x: wrong type (got 2020-01-01), expected text in quotes");
}

TEST(Configuration, a_failed_look_up_gives_the_fallback_or_zero) {
    Configuration c = parse("[model]\nx = 'text'\n");
    Section model = c.section("model");
    EXPECT_EQ(model.integer("x"), 0);
    EXPECT_EQ(model.integer("x", 5), 5);
    EXPECT_EQ(model.number("x", 0.5), 0.5);
    EXPECT_EQ(model.choice("x", {"a"}), "");
    EXPECT_EQ(model.integer("missing"), 0);
    EXPECT_TRUE(c.has_errors());
}

TEST(Configuration, checks_ranges_and_prints_them_as_intervals) {
    const auto integer_in = [](Range<Index> range) { return [range](Section& s) { s.integer("x", {}, range); }; };
    const auto number_in = [](Range<double> range) { return [range](Section& s) { s.number("x", {}, range); }; };
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_EQ(mistake("0", integer_in({1})),
              "run.toml:2: model.x: outside the range (got 0), expected an integer in [1, inf)");
    EXPECT_THAT(mistake("9", integer_in({1, 8})), HasSubstr("(got 9), expected an integer in [1, 8]"));
    EXPECT_THAT(mistake("9", integer_in({.high = 8})), HasSubstr("expected an integer in (-inf, 8]"));
    EXPECT_THAT(mistake("1.0", number_in({0, 1, false, true})), HasSubstr("(got 1.0), expected a number in [0, 1)"));
    EXPECT_THAT(mistake("0", number_in({.low = 0, .open_low = true})),
                HasSubstr("(got 0), expected a number in (0, inf)"));
    EXPECT_THAT(mistake("-0.5", number_in({0, infinity})), HasSubstr("expected a number in [0, inf]"));

    Configuration c = parse("[model]\none = 1\nlimit = inf\n");
    EXPECT_EQ(c.section("model").integer("one", {}, {1, 1}), 1);
    EXPECT_EQ(c.section("model").number("limit", {}, {0, infinity}), infinity);
    EXPECT_NO_THROW(c.check());
}

TEST(Configuration, rejects_numbers_that_are_not_finite) {
    EXPECT_EQ(mistake("inf", [](Section& s) { s.number("x"); }),
              "run.toml:2: model.x: outside the range (got inf), expected a finite number");
    EXPECT_THAT(mistake("-inf", [](Section& s) { s.number("x", {}, {.low = -1e300}); }), HasSubstr("got -inf"));
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THAT(mistake("nan",
                        [](Section& s) {
                            s.number("x", {}, {-infinity, infinity});
                        }),
                HasSubstr("model.x: not a number (got nan)"));
    EXPECT_THAT(mistake("[1.0, nan]", [](Section& s) { s.numbers("x"); }), HasSubstr("element 2 is nan"));
    EXPECT_THAT(mistake("inf", [](Section& s) { s.seconds("x"); }), HasSubstr("expected seconds in [0, inf)"));
    EXPECT_THAT(mistake("-1", [](Section& s) { s.seconds("x"); }), HasSubstr("outside the range (got -1)"));
}

TEST(Configuration, integers_that_overflow_are_errors_with_a_line) {
    EXPECT_THAT(input_error([] { parse("[model]\nx = 9223372036854775808\n"); }), StartsWith("run.toml:2:"));
    Configuration c = parse("[model]\nx = 9223372036854775807\n");
    EXPECT_EQ(c.section("model").integer("x"), std::numeric_limits<Index>::max());
}

TEST(Configuration, a_missing_key_names_its_table) {
    Configuration c = parse("\n[model]\n[path.inner]\n");
    c.section("model").integer("size", {}, {1});
    c.section("run").integer("seed");
    EXPECT_EQ(input_error([&] {
                  c.section("path.inner");
                  c.check();
              }),
              "run.toml:2: model.size: missing from [model], expected an integer in [1, inf)\n"
              "run.toml: run.seed: missing, there is no table [run], expected an integer");
}

TEST(Configuration, a_wrong_choice_lists_the_options_and_suggests_the_nearest) {
    EXPECT_EQ(mistake("'isnig'",
                      [](Section& s) {
                          s.choice("x", {"potts", "ising"});
                      }),
              "run.toml:2: model.x: not a legal value (got \"isnig\"), expected one of \"potts\", \"ising\"; "
              "did you mean \"ising\"?");
    EXPECT_EQ(mistake("'mixture'",
                      [](Section& s) {
                          s.choice("x", {"potts", "ising"});
                      }),
              "run.toml:2: model.x: not a legal value (got \"mixture\"), expected one of \"potts\", \"ising\"");
    EXPECT_THAT(mistake("3", [](Section& s) { s.choice("x", {"potts", "ising"}); }), HasSubstr("wrong type (got 3)"));
}

TEST(Configuration, unknown_keys_and_tables_get_the_nearest_name_or_all_names) {
    const auto ask = [](Configuration& c) {
        c.section("model").integer("size", 1);
        c.section("model").text("name", "");
        c.section("run").integer("seed", 1);
        c.section("path");
    };
    EXPECT_EQ(mistakes(parse("[model]\nsise = 3\n"), ask),
              "run.toml:2: unknown key 'model.sise'; did you mean 'model.size'?");
    EXPECT_EQ(mistakes(parse("[model]\ncolour = 3\n"), ask),
              "run.toml:2: unknown key 'model.colour'; the keys of [model] are size, name");
    EXPECT_EQ(mistakes(parse("[modle]\nsize = 3\n"), ask), "run.toml:1: unknown table [modle]; did you mean [model]?");
    EXPECT_EQ(mistakes(parse("[results]\nsize = 3\n"), ask),
              "run.toml:1: unknown table [results]; the tables are [model], [run], [path]");
    EXPECT_EQ(mistakes(parse("[model.prior]\nscale = 3\n"), ask),
              "run.toml:1: unknown table [model.prior]; the tables are [model], [run], [path]");
    EXPECT_EQ(mistakes(parse("[path]\nend = 3\n"), ask), "run.toml:2: unknown key 'path.end'; [path] has no keys");
    EXPECT_EQ(mistakes(parse("seed = 3\n"), ask), "run.toml:1: unknown key 'seed'; did you mean 'run.seed'?");
    EXPECT_EQ(mistakes(parse("[model]\nseed = 3\n"), ask),
              "run.toml:2: unknown key 'model.seed'; did you mean 'run.seed'?");
    EXPECT_EQ(mistakes(parse("", {"model.sise=3"}), ask),
              "--set model.sise=3: unknown key 'model.sise'; did you mean 'model.size'?");
}

TEST(Configuration, names_that_a_right_choice_might_know_are_not_called_unknown) {
    const std::string text = "[model]\nname = 'isnig'\nlattice = 3\nsiez = 3\n";
    const auto ask = [](Configuration& c) {
        c.section("model").choice("name", {"ising"});
        c.section("model").integer("size", 1);
    };
    EXPECT_EQ(mistakes(parse(text), ask),
              "run.toml:2: model.name: not a legal value (got \"isnig\"), expected \"ising\"; did you mean \"ising\"?\n"
              "run.toml:4: unknown key 'model.siez'; did you mean 'model.size'?");
}

TEST(Configuration, a_value_in_the_place_of_a_table_is_a_mistake) {
    EXPECT_EQ(mistakes(parse("model = 3\n"), [](Configuration& c) { c.section("model"); }),
              "run.toml:1: model: wrong type (got 3), expected a table [model]");
    EXPECT_EQ(mistakes(parse("[[model]]\n"), [](Configuration& c) { c.section("model"); }),
              "run.toml:1: model: wrong type (got [{}]), expected a table [model]");
}

TEST(Configuration, reports_all_mistakes_sorted_by_line_then_overrides) {
    Configuration c = parse("[run]\nseed = -1\nspeed = 2\n[model]\nsize = 'big'\n", {"model.field=x"});
    c.section("model").number("field");
    c.section("model").integer("size");
    c.section("model").error("size", "must divide the field");
    c.error("path.end", "needs a model");
    c.error("run.seed", "is needed");
    c.section("run").integer("seed", {}, {0});
    EXPECT_EQ(input_error([&] { c.check(); }),
              "run.toml:2: run.seed: is needed\n"
              "run.toml:2: run.seed: outside the range (got -1), expected an integer in [0, inf)\n"
              "run.toml:3: unknown key 'run.speed'; did you mean 'run.seed'?\n"
              "run.toml:5: model.size: wrong type (got \"big\"), expected an integer\n"
              "run.toml:5: model.size: must divide the field\n"
              "run.toml: path.end: needs a model\n"
              "--set model.field=x: model.field: wrong type (got \"x\"), expected a finite number");
}

TEST(Configuration, syntax_errors_and_duplicates_have_line_and_column) {
    EXPECT_THAT(input_error([] { parse("[model]\nsize = = 3\n"); }), StartsWith("run.toml:2:8: "));
    EXPECT_THAT(input_error([] { parse("[model]\nsize = 3\nsize = 4\n"); }), StartsWith("run.toml:3:"));
    EXPECT_THAT(input_error([] { parse("[model]\n[model]\n"); }), StartsWith("run.toml:2:"));
}

TEST(Configuration, a_key_may_be_asked_for_twice_in_the_same_way_only) {
    Configuration c = parse("[model]\nsize = 3\n");
    EXPECT_EQ(c.section("model").integer("size"), 3);
    EXPECT_EQ(c.section("model").integer("size", 5), 3);
    EXPECT_THROW(c.section("model").number("size"), ContractViolation);
    EXPECT_EQ(c.section("model").integer("steps", 5), 5);
    EXPECT_THROW(c.section("model").integer("steps", 6), ContractViolation);
    EXPECT_EQ(c.resolved(), "[model]\nsize = 3\nsteps = 5\n");
}

TEST(ConfigurationOverrides, replace_add_and_create) {
    Configuration c = parse("[model]\nsize = 3\nname = 'ising'\n",
                            {"model.size=4", "model.size = 5", "model.name=potts", "run.seed=7", "a.b.c=[1, 2]",
                             "model.empty=", "model.quoted='x # y'", "model.sum=1+1"});
    Section model = c.section("model");
    EXPECT_EQ(model.integer("size"), 5);
    EXPECT_EQ(model.text("name"), "potts");
    EXPECT_EQ(model.text("empty"), "");
    EXPECT_EQ(model.text("quoted"), "x # y");
    EXPECT_EQ(model.text("sum"), "1+1");
    EXPECT_EQ(c.section("run").integer("seed"), 7);
    EXPECT_EQ(c.section("a.b").numbers("c"), (std::vector<double>{1, 2}));
    EXPECT_NO_THROW(c.check());
}

TEST(ConfigurationOverrides, a_table_replaces_a_table) {
    Configuration c = parse("[model]\nsize = 3\nname = 'ising'\n", {"model.size=4", "model={size = 'x'}"});
    EXPECT_FALSE(c.section("model").has("name"));
    c.section("model").integer("size");
    c.section("model").integer("depth");
    EXPECT_EQ(input_error([&] { c.check(); }),
              "--set model={size = 'x'}: model.size: wrong type (got \"x\"), expected an integer\n"
              "--set model={size = 'x'}: model.depth: missing from [model], expected an integer");
}

TEST(ConfigurationOverrides, cannot_smuggle_in_a_second_key) {
    Configuration c = parse("", {"model.size=1\nother = 2"});
    EXPECT_EQ(c.section("model").text("size"), "1\nother = 2");
    EXPECT_NO_THROW(c.check());
}

TEST(ConfigurationOverrides, bad_syntax_is_an_error_at_once) {
    EXPECT_EQ(input_error([] { parse("", {"model.size"}); }), "--set model.size: no value, expected section.key=value");
    EXPECT_EQ(input_error([] { parse("", {"model..size=3"}); }),
              "--set model..size=3: 'model..size' is not a key (letters, digits, _ and - between points), "
              "expected section.key=value");
    EXPECT_THAT(input_error([] { parse("", {"=3"}); }), HasSubstr("is not a key"));
    EXPECT_EQ(input_error([] { parse("[model]\nsize = 3\n", {"model.size.x=3"}); }),
              "--set model.size.x=3: 'model.size' is not a table (run.toml:2)");
    EXPECT_THAT(input_error([] { parse("", {"model.name=\xff"}); }), HasSubstr("the value is not UTF-8 text"));
}

TEST(Duration, takes_seconds_and_clock_forms) {
    EXPECT_EQ(parse_duration("0"), 0);
    EXPECT_EQ(parse_duration("90"), 90);
    EXPECT_EQ(parse_duration("90.25"), 90.25);
    EXPECT_EQ(parse_duration("00:01:30"), 90);
    EXPECT_EQ(parse_duration("1:00:00"), 3600);
    EXPECT_EQ(parse_duration("100:00:00"), 360000);
    EXPECT_EQ(parse_duration("2-03:04:05"), 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
}

TEST(Duration, rejects_everything_else) {
    for (const char* text : {"",
                             " ",
                             "-1",
                             "+1",
                             "1e3",
                             "inf",
                             "nan",
                             "1.",
                             ".5",
                             "10s",
                             "1 ",
                             " 1",
                             "01:30",
                             "1:2:3",
                             "00:60:00",
                             "00:00:60",
                             "1-24:00:00",
                             "1-00:00",
                             "-00:00:01",
                             "00:00:-1",
                             "00:00:01.5",
                             "00:00:01x",
                             "1-2-00:00:00",
                             "0:0:00:00",
                             "99999999:00:00",
                             "1-00:00:00:00",
                             "0x10"}) {
        EXPECT_THROW(parse_duration(text), InputError) << text;
    }
    EXPECT_EQ(input_error([] { parse_duration("01:30"); }),
              "not a duration (got \"01:30\"), expected seconds (90 or 90.5) or [D-]HH:MM:SS (00:01:30)");
    EXPECT_EQ(mistake("'01:30'", [](Section& s) { s.seconds("x"); }),
              "run.toml:2: model.x: not a duration (got \"01:30\"), expected seconds in [0, inf) or \"[D-]HH:MM:SS\"");
}

} // namespace
} // namespace pearlite::io
