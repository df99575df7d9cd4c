#include "io/configuration/configuration_edit.hpp"

#include "pearlite/core/error.hpp"

#include <gtest/gtest.h>

namespace pearlite::io {
namespace {

TEST(ConfigurationEdit, writes_the_short_form_into_its_tables) {
    const std::string text = "[model]\nsize = 9 # large\n\n[short]\nmodel.size = 2\nkernel.moves = 1\n";
    EXPECT_EQ(with_short_form(text, "a.toml", {}), text);
    EXPECT_EQ(with_short_form(text, "a.toml", {"run.short=false"}), text);
    const std::string shortened = "[model]\nsize = 2 # large\n\n[short]\nmodel.size = 2\nkernel.moves = 1\n"
                                  "\n[kernel]\nmoves = 1\n\n[run]\nshort = false\n";
    EXPECT_EQ(with_short_form(text, "a.toml", {"run.short=true", "model.size=5"}), shortened);
    EXPECT_EQ(with_short_form("[run]\nshort = true\n[short]\nrun.seed = 3\n", "a.toml", {}),
              "[run]\nshort = false\nseed = 3\n[short]\nrun.seed = 3\n");
    EXPECT_EQ(with_short_form("x = 1\n", "a.toml", {"run.short=true"}), "x = 1\n"); // reading it will refuse
}

std::string edited(const std::string& text, const std::vector<std::string>& overrides) {
    return with_overrides(text, "a.toml", overrides);
}

TEST(ConfigurationEdit, ReplacesAValueAndNothingElse) {
    EXPECT_EQ(edited("# of mine\n[model]\nsamples = 32 # many\nname=\"x\"\n", {"model.samples=48"}),
              "# of mine\n[model]\nsamples = 48 # many\nname=\"x\"\n");
    EXPECT_EQ(edited("[model]\nname = \"a\"", {"model.name=b"}), "[model]\nname = \"b\"");
    EXPECT_EQ(edited("model = { name = \"größer\", samples = 3 } # ä\n", {"model.samples=4"}),
              "model = { name = \"größer\", samples = 4 } # ä\n");
    EXPECT_EQ(edited("model.samples = 3\r\nmodel.name = 'x'\r\n", {"model.samples=4"}),
              "model.samples = 4\r\nmodel.name = 'x'\r\n");
    EXPECT_EQ(edited("[a]\nb = [1,\n 2]\nc = 1\n", {"a.b=[3.5]"}), "[a]\nb = [3.5]\nc = 1\n");
}

TEST(ConfigurationEdit, PutsANewKeyBelowTheLastOfItsTable) {
    EXPECT_EQ(edited("[run]\nseed = 1\n\n[model]\nname = \"x\" # which\n\n# next\n[kernel]\n", {"model.samples=4"}),
              "[run]\nseed = 1\n\n[model]\nname = \"x\" # which\nsamples = 4\n\n# next\n[kernel]\n");
    EXPECT_EQ(edited("[model]", {"model.samples=4"}), "[model]\nsamples = 4\n");
    EXPECT_EQ(edited("[a]\nx = 1\n[a.b]\ny = 2\n", {"a.z=3"}), "[a]\nx = 1\nz = 3\n[a.b]\ny = 2\n");
}

TEST(ConfigurationEdit, PutsANewTableToTheEnd) {
    EXPECT_EQ(edited("[model]\nname = \"x\"\n", {"kernel.moves=4"}), "[model]\nname = \"x\"\n\n[kernel]\nmoves = 4\n");
    EXPECT_EQ(edited("", {"kernel.moves=4"}), "[kernel]\nmoves = 4\n");
}

TEST(ConfigurationEdit, TakesManyOverridesInTheirOrder) {
    EXPECT_EQ(edited("[model]\nname = \"x\"\n", {"run.seed=4", "model.samples=8", "run.seed=5"}),
              "[model]\nname = \"x\"\nsamples = 8\n\n[run]\nseed = 5\n");
}

TEST(ConfigurationEdit, SaysWhatItCannotWrite) {
    EXPECT_THROW(edited("model = { name = \"x\" }\n", {"model.samples=4"}), InputError);
    EXPECT_THROW(edited("[model\n", {"model.samples=4"}), InputError);
    EXPECT_THROW(edited("[model]\n", {"model.samples"}), InputError);
    EXPECT_THROW(edited("model = 3\n", {"model.samples=4"}), InputError);
}

} // namespace
} // namespace pearlite::io
