#include "algorithm/fitted_path/bridge_settings.hpp"

#include "algorithm/densities.hpp"
#include "io/configuration/key_reader.hpp"
#include "path/bridge_cases.hpp"
#include "pearlite/core/error.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pearlite::algorithm {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A directory with a file of a reference, and settings read from a table [path].
class BridgeSettingsTest : public ::testing::Test {
  protected:
    BridgeSettingsTest() : directory(std::filesystem::temp_directory_path() / "pearlite-bridge-settings-test") {
        std::filesystem::create_directories(directory);
    }
    ~BridgeSettingsTest() override { std::filesystem::remove_all(directory); }

    BridgeSettings read(const std::string& keys, bool is_estimated = false) const {
        model::ModelTraits traits;
        traits.has_estimated_likelihood = is_estimated;
        auto configuration = io::Configuration::parse("[path]\n" + keys, "test.toml", directory);
        io::KeyReader reader(configuration, "path");
        BridgeSettings settings;
        settings.keys(reader, traits, Defaults::present);
        configuration.check();
        return settings;
    }
    BridgeSettings read_file(const std::string& numbers, const std::string& keys = "",
                             const char* name = "q.txt") const {
        std::ofstream(directory / name) << numbers;
        return read("fit = 'given'\nfile = '" + std::string(name) + "'\n" + keys);
    }

    std::filesystem::path directory;
    path::testing::TwoPeaks peaks;
    std::shared_ptr<const path::Tempered> model = testing::path_of(peaks);
};

TEST_F(BridgeSettingsTest, AGivenReferenceHasTheMomentsOfTheFile) {
    const std::string blanks = "# mean, covariance\n1 2\n4 1\n1 3\n", commas = "1,2\n4,1\n1,3\n";
    for (const auto& settings :
         {read_file(blanks), read_file(commas, "", "q.csv"), read_file(blanks, "reference = 'gaussian'")}) {
        const auto q = settings.fitted(model->density(), {}, 1).mixture;
        EXPECT_EQ(q.mean(), Vector((Vector(2) << 1, 2).finished()));
        EXPECT_LT((q.covariance() - (Matrix(2, 2) << 4, 1, 1, 3).finished()).norm(), 1e-12);
        EXPECT_EQ(std::isinf(q.df()), settings.reference == BridgeSettings::Reference::gaussian);
    }
    const auto two = read_file("1 2\n4 1\n1 3\n5 6\n1 0\n0 1\n", "reference = 'mixture'");
    EXPECT_EQ(two.fitted(model->density(), {}, 1).mixture.components().size(), 2u);
    EXPECT_EQ(two.fitted(model->density(), {}, 1).mixture.mean(), Vector((Vector(2) << 3, 4).finished()));
}

TEST_F(BridgeSettingsTest, AGivenReferenceThatCannotBeIsRefused) {
    for (const auto& [numbers, what] : {std::pair{"1 2 3\n1 0 0\n0 1 0\n0 0 1\n", "4 lines of 3 numbers"},
                                        {"1 2\n4 1\n", "2 lines of 2 numbers"},
                                        {"1 2\n4 1\n1 3\n1 2\n4 1\n1 3\n", "6 lines of 2 numbers"},
                                        {"1 2\n4 1\n2 3\n", "not symmetric and positive definite"},
                                        {"1 2\n4 5\n5 4\n", "not symmetric and positive definite"}})
        EXPECT_THAT([&] { read_file(numbers).check(model->density()); }, ThrowsMessage<InputError>(HasSubstr(what)));
    EXPECT_THROW(read("fit = 'given'"), InputError) << "the file must be given";
}

TEST_F(BridgeSettingsTest, EstimatedLikelihoodsAreFittedByPopulations) {
    EXPECT_EQ(read("").fit, BridgeSettings::Fit::automatic);
    EXPECT_EQ(read("", true).fit, BridgeSettings::Fit::smc);
    EXPECT_FALSE(read("").has_leg());
    EXPECT_TRUE(read("fit = 'laplace'").has_leg());
    EXPECT_FALSE(read("fit = 'laplace'\nprior_leg = false").has_leg());
    EXPECT_THROW(read("fit = 'smc'\nprior_leg = false"), InputError) << "the fit is the leg";
}

TEST_F(BridgeSettingsTest, TheFitHasASeedOfItsOwn) {
    EXPECT_EQ(read("fit_seed = 7").seed(1), 7u);
    EXPECT_NE(read("").seed(1), 1u);
    EXPECT_NE(read("").seed(1), read("").seed(2));
}

TEST_F(BridgeSettingsTest, InflationWidensTheFitAndOneComponentHoldsAll) {
    const auto fitted = [&](const std::string& keys) { return read(keys).fitted(model->density(), {}, 3).mixture; };
    const auto narrow = fitted("fit = 'laplace'\ninflation = 1.0\nstarts = 12"),
               wide = fitted("fit = 'laplace'\ninflation = 2.0\nstarts = 12");
    EXPECT_EQ(narrow.components().size(), 1u);
    EXPECT_LT((wide.covariance() - 2 * narrow.covariance()).norm(), 1e-9 * wide.covariance().norm());
    EXPECT_NEAR(narrow.mean()(0), 4, 0.01) << "of peaks of masses 1 and 3 at -8 and 8";
    EXPECT_EQ(fitted("fit = 'laplace'\nreference = 'mixture'\nstarts = 12").components().size(), 2u);
}

} // namespace
} // namespace pearlite::algorithm
