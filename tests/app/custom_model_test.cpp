#include "pearlite/app/custom_model.hpp"

#include "app/commands/command.hpp"
#include "app/configured/prepare.hpp"
#include "app/result/parts/evidence.hpp"
#include "app/result/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Exponential prior; refuses a rate of zero by itself, with something that is not an InputError.
class Decay {
  public:
    explicit Decay(io::Section& section) : rate_(section.number("rate", {}, {.low = 0, .open_low = true})) {
        if (!(rate_ > 0))
            throw std::invalid_argument("a consequence");
        offset_ = section.number("offset", 0.0);
    }
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.exponential(); }
    double log_prior(std::span<const double> x) const { return x[0] > 0 ? -x[0] : -HUGE_VAL; }
    double log_likelihood(std::span<const double> x) const { return offset_ - rate_ * x[0]; }

  private:
    double rate_, offset_ = 0;
};

struct Fixed {
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform();
    }
    double log_prior(std::span<const double>) const { return 0; }
    double log_likelihood(std::span<const double> x) const { return -x[0]; }
};

struct Nameless : Fixed {
    std::vector<std::string> parameter_names() const { return {}; }
};

/// One spin x in {0, 1} a particle: f_b = exp(b field x), redrawn from f_b at every move.
class Spin {
  public:
    using Block = ColumnBlock<double>;
    using Streams = model::BlockStreams;

    explicit Spin(io::Section& section) : field_(section.number("field", 2.0)) {}

    Block make_block(Index size) const { return {1, size}; }
    void draw_start(Block& block, const Streams& streams) const { redraw(block, 0, random::Purpose::start, streams); }
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] += (to - from) * field_ * block.columns()(0, i);
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = field_ * block.columns()(0, i);
    }
    void move(Block& block, double b, const Streams& streams) const {
        redraw(block, b, random::Purpose::user, streams);
    }
    std::optional<double> log_normaliser_start() const { return std::log(2.0); }
    std::optional<double> exact_log_ratio(double b_end) const { return std::log((1 + std::exp(b_end * field_)) / 2); }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add(field_); }

  private:
    void redraw(Block& block, double b, random::Purpose purpose, const Streams& streams) const {
        const double on = 1 / (1 + std::exp(-b * field_));
        for (Index i = 0; i < block.size(); ++i)
            block.columns()(0, i) = random::Stream(streams.at(purpose, i)).bernoulli(on) ? 1 : 0;
    }
    double field_;
};

Catalogue catalogue() {
    return {custom_model<Decay>("decay", "a density with keys"), custom_model<Fixed>("fixed", "one without"),
            custom_annealed_model<Spin>("spin", "a transition of its own", 32),
            custom_model<Nameless>("nameless", "no dimension")};
}

Prepared prepared(const std::string& text, const Catalogue& models = catalogue()) {
    return prepare(models, io::Configuration::parse(text, "test.toml", "."));
}

std::string refusal(const std::string& text, const Catalogue& models = catalogue()) {
    try {
        prepared(text, models);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

TEST(CustomModel, ReadsItsKeysAndEntersTheResolvedConfiguration) {
    const auto result = prepared("[model]\nname = 'decay'\nrate = 3.0\n");
    EXPECT_THAT(result.resolved, HasSubstr("rate = 3.0"));
    EXPECT_THAT(result.resolved, HasSubstr("offset = 0.0"));
    EXPECT_THAT(result.resolved, HasSubstr("pilot_particles"));
    EXPECT_EQ(result.model->packed_particle_bytes(), 3 * sizeof(double));
}

TEST(CustomModel, AModelWithoutKeysIsDefaultConstructed) {
    EXPECT_EQ(prepared("[model]\nname = 'fixed'\n").model->packed_particle_bytes(), 4 * sizeof(double));
    EXPECT_THAT(refusal("[model]\nname = 'fixed'\nsize = 3\n"), HasSubstr("unknown key 'model.size'"));
}

TEST(CustomModel, MistakesAreReportedInsteadOfWhatTheConstructorThrowsThen) {
    const auto message = refusal("[model]\nname = 'decay'\nrate = 0.0\noffset = 1.0\n");
    EXPECT_THAT(message, HasSubstr("test.toml:3: model.rate"));
    EXPECT_THAT(message, Not(HasSubstr("a consequence")));
    EXPECT_THAT(message, Not(HasSubstr("offset"))); // the constructor never came to ask for it
}

TEST(CustomModel, WithoutParametersIsRefused) {
    EXPECT_THAT(refusal("[model]\nname = 'nameless'\n"), HasSubstr("one name per dimension"));
}

TEST(CustomModel, AnObjectionIsInTheListAndRefusesTheAlgorithm) {
    ::testing::internal::CaptureStdout();
    list_command(catalogue());
    const auto list = ::testing::internal::GetCapturedStdout();
    EXPECT_THAT(list, ::testing::ContainsRegex("fixed +auto +annealed-importance, .*pseudo-marginal\n"));
    EXPECT_THAT(list,
                ::testing::ContainsRegex("spin +native +annealed-importance, smc, .*; not likelihood-constrained, "
                                         "importance-squared, pseudo-marginal: they work on densities"));

    const std::string text = "[model]\nname = 'fixed'\n[algorithm]\nname = ";
    EXPECT_EQ(refusal(text + "'annealed-importance'\n"), "accepted");
    EXPECT_EQ(refusal(text + "'importance-squared'\n"), "accepted");
    EXPECT_THAT(refusal("[model]\nname = 'spin'\n[algorithm]\nname = 'importance-squared'\n"),
                HasSubstr("continuous parameters"));
}

/// (log Z/Z_0 - that of a field) in standard errors, from an AIS run of `text`.
double deviation(const std::string& text, double field) {
    const auto result = prepared(text);
    const auto run = std::make_unique<Run>(parallel::Communicator::alone(), *result.plan, *result.model);
    run->begin();
    while (!run->finished())
        run->step();
    const auto estimate = run->result().part<EvidencePart>()->estimates().front();
    return (estimate.value - std::log((1 + std::exp(field)) / 2)) / estimate.standard_error.value();
}

// 4 standard errors: a false alarm in 16000 seeds. The wrong twin is off by 0.26 in log Z, more than 20 standard
// errors.
TEST(CustomAnnealedModel, RunsWithItsOwnTransition) {
    const std::string text = "[model]\nname = 'spin'\nfield = 2.0\n[schedule]\nsteps = 20\n"
                             "[algorithm]\nname = 'annealed-importance'\ntrajectories = 4000\n";
    const auto result = prepared(text);
    EXPECT_EQ(result.plan->block(), 32);
    EXPECT_THAT(result.resolved, HasSubstr("native"));
    EXPECT_LT(std::abs(deviation(text, 2.0)), 4);
    EXPECT_GT(std::abs(deviation(text, 1.7)), 20);
    // A path need not end at 1.
    EXPECT_LT(std::abs(deviation(text + "[path]\ninverse_temperature_end = 1.5\n", 3.0)), 4);
}

} // namespace
} // namespace pearlite::app
