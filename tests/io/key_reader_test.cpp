#include "io/configuration/key_reader.hpp"

#include "io/key_lists.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace pearlite::io {
namespace {

using ::testing::HasSubstr;

class KeyReaderTest : public ::testing::Test {
  protected:
    KeyReaderTest() : directory(std::filesystem::temp_directory_path() / "pearlite-key-reader-test") {
        std::filesystem::create_directories(directory);
        for (const char* name : {"lattice.csv", "other.csv", "images.idx"})
            std::ofstream(directory / name) << "x\n";
    }
    ~KeyReaderTest() override { std::filesystem::remove_all(directory); }

    Configuration parse(const std::string& text) const {
        return Configuration::parse(text, "run.toml", directory, {}, directory);
    }
    LatticeSettings read(Configuration& configuration) const {
        LatticeSettings settings;
        read_keys(configuration, "model", settings);
        return settings;
    }
    std::string mistakes(const std::string& text) const {
        auto configuration = parse(text);
        read(configuration);
        try {
            configuration.check();
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }

    std::filesystem::path directory;
};

TEST_F(KeyReaderTest, takes_defaults_from_the_members_and_prints_them_in_the_order_of_the_list) {
    auto configuration = parse("");
    const auto settings = read(configuration);
    EXPECT_NO_THROW(configuration.check());
    EXPECT_EQ(settings.size, 32);
    EXPECT_EQ(settings.data.path, directory / "lattice.csv");
    EXPECT_FALSE(settings.limit);
    EXPECT_EQ(configuration.resolved(), "[model]\nsize = 32\ncoupling = 1.0\nfield = 0.0\nupdate = \"sweep\"\n"
                                        "torus = true\nseed = 1\nperiod = 60.0\nknots = []\nmoves = [\"flip\"]\n"
                                        "pair = \"a:b\"\ntitle = \"none\"\ncolumn = \"y\"\ndata = \"lattice.csv\"\n"
                                        "\n[prior]\nscale = \"p:q\"\n");
}

TEST_F(KeyReaderTest, reads_every_kind_of_value) {
    auto configuration =
        parse("[model]\nsize = 8\ncoupling = 2\nupdate = 'random-site'\ntorus = false\nstart = 'mode'\nseed = 7\n"
              "limit = 0.5\nperiod = '01:00:00'\nknots = [1, 2.5]\nmoves = ['cluster', 'flip']\npair = 'c:d'\n"
              "title = 'T'\ncolumn = 'x'\ndata = 'other.csv'\nimages = 'images.idx'\nn_images = 3\n[prior]\n"
              "scale = 'e:f'\n");
    const auto settings = read(configuration);
    EXPECT_NO_THROW(configuration.check());
    EXPECT_EQ(settings.size, 8);
    EXPECT_EQ(settings.coupling, 2);
    EXPECT_EQ(settings.update, LatticeSettings::Update::random_site);
    EXPECT_EQ(settings.flips, 64) << "a default that depends on another key";
    EXPECT_TRUE(settings.from_mode);
    EXPECT_EQ(settings.seed, 7U);
    EXPECT_EQ(settings.limit, 0.5);
    EXPECT_EQ(settings.period, 3600);
    EXPECT_EQ(settings.knots, (std::vector<double>{1, 2.5}));
    EXPECT_EQ(settings.moves, (std::vector<std::string>{"cluster", "flip"}));
    EXPECT_EQ(settings.pair.text(), "c:d");
    EXPECT_EQ(settings.title, "T");
    EXPECT_EQ(settings.column, "x");
    EXPECT_EQ(settings.data.path, directory / "other.csv");
    ASSERT_TRUE(settings.images);
    EXPECT_EQ(settings.images->path, directory / "images.idx");
    EXPECT_EQ(settings.n_images, 3);
    EXPECT_EQ(settings.prior.text(), "e:f");
}

TEST_F(KeyReaderTest, tells_mistakes_as_look_ups_do) {
    EXPECT_EQ(mistakes("[model]\nsize = 1\n"),
              "run.toml:2: model.size: outside the range (got 1), expected an integer in [2, 4096]");
    EXPECT_EQ(mistakes("[model]\nfield = -1\n"),
              "run.toml:2: model.field: outside the range (got -1), expected a number in (-1, 1)");
    EXPECT_EQ(mistakes("[model]\ncoupling = 'x'\n"),
              "run.toml:2: model.coupling: wrong type (got \"x\"), expected a finite number");
    EXPECT_EQ(mistakes("[model]\ncoupling = 0\n"),
              "run.toml:2: model.coupling: got 0, expected a coupling that is not 0");
    EXPECT_EQ(mistakes("[model]\nupdate = 'swep'\n"),
              "run.toml:2: model.update: not a legal value (got \"swep\"), expected one of \"sweep\", \"random-site\"; "
              "did you mean \"sweep\"?");
    EXPECT_EQ(mistakes("[model]\nseed = -1\n"),
              "run.toml:2: model.seed: outside the range (got -1), expected an integer in [0, inf)");
    EXPECT_EQ(mistakes("[model]\nlimit = 0.0\n"),
              "run.toml:2: model.limit: outside the range (got 0.0), expected a number in (0, inf)");
    EXPECT_EQ(mistakes("[model]\npair = 'c'\n"), "run.toml:2: model.pair: expected a colon");
    EXPECT_THAT(mistakes("[model]\nmoves = ['flop']\n"), HasSubstr("element 1 is \"flop\""));
    EXPECT_THAT(mistakes("[model]\ndata = 'none.csv'\n"), HasSubstr("run.toml:2: model.data: no such file"));
}

TEST_F(KeyReaderTest, keys_without_a_meaning_are_unknown) {
    EXPECT_THAT(mistakes("[model]\nflips = 3\n"), HasSubstr("run.toml:2: unknown key 'model.flips'"));
    EXPECT_THAT(mistakes("[model]\nstart = 'mode'\n"), HasSubstr("unknown key 'model.start'"));
    EXPECT_THAT(mistakes("[model]\nn_images = 3\n"), HasSubstr("unknown key 'model.n_images'"));
    EXPECT_THAT(mistakes("[model]\nrepeats = 3\n"), HasSubstr("unknown key 'model.repeats'"));
    EXPECT_EQ(mistakes("[model]\nsize = 2000\nrepeats = 3\n"), "");
}

/// A required key that is mistaken leaves the member inside its range.
struct RequiredSize {
    Index size = 5;
    void keys(Keys& k) { k("size", size, at_least(1), about("of it").must_be_given()); }
};

TEST_F(KeyReaderTest, a_mistaken_value_leaves_the_member_as_it_was) {
    auto configuration = parse("[model]\nsize = 'large'\n");
    RequiredSize settings;
    read_keys(configuration, "model", settings);
    EXPECT_TRUE(configuration.has_errors());
    EXPECT_EQ(settings.size, 5);
}

/// Required keys, keys set aside and a list that a relative's choice shortens.
struct FamilySettings {
    Index size = 0;
    DataFile weights;
    void keys(Keys& k) {
        k("size", size, at_least(1), about("of it").must_be_given());
        k("weights", weights, "of it");
        k.set_aside({"chains"});
    }
};

TEST_F(KeyReaderTest, keys_may_be_required_or_set_aside) {
    auto configuration = parse("[model]\nchains = 3\n");
    FamilySettings settings;
    read_keys(configuration, "model", settings);
    try {
        configuration.check();
        FAIL() << "required keys are missing";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "run.toml:1: model.size: missing from [model], expected an integer in [1, inf)\n"
                                   "run.toml:1: model.weights: missing from [model], expected a file beside the "
                                   "configuration, or under the data "
                                   "directory (--data-dir or PEARLITE_DATA_DIR)");
    }
    EXPECT_EQ(configuration.unused(), std::vector<std::string>{"model.chains"});
}

} // namespace
} // namespace pearlite::io
