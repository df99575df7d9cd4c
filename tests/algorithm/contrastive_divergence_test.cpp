/// Training a tiny RBM on a known distribution: the mean log-likelihood, by enumeration, comes near its optimum.
/// Training without the gradient's model part does not.

#include "algorithm/contrastive_divergence/contrastive_divergence.hpp"
#include "models/rbm/rbm.hpp"
#include "models/rbm/training/rbm_learner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace pearlite::algorithm {
namespace {

using Examples = model::Learner::Examples;

constexpr Index n_visible = 6, n_hidden = 8;

/// Four patterns, with shares 4, 3, 2 and 1 of ten.
std::shared_ptr<models::TrainingData> patterns() {
    static constexpr int rows[4][n_visible] = {
        {1, 1, 1, 0, 0, 0}, {0, 0, 0, 1, 1, 1}, {1, 0, 1, 0, 1, 0}, {0, 0, 0, 0, 0, 0}};
    static constexpr int pattern_of[10] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 3};
    auto data = std::make_shared<models::TrainingData>();
    data->training.resize(n_visible, 500);
    for (Index image = 0; image < 500; ++image)
        for (Index i = 0; i < n_visible; ++i)
            data->training(i, image) = static_cast<std::uint8_t>(255 * rows[pattern_of[image % 10]][i]);
    data->held_out = data->training.leftCols(100);
    return data;
}

constexpr double entropy =
    1.2798542258336676; // of the four shares, in nats: the best mean log-likelihood is minus that

double log_likelihood(const std::vector<double>& parameters) {
    models::RbmParameters rbm{Matrix(n_visible, n_hidden), Vector(n_visible), Vector(n_hidden), Vector(n_visible), {}};
    for (Index i = 0; i < n_visible; ++i)
        for (Index j = 0; j < n_hidden; ++j)
            rbm.weights(i, j) = parameters[at(i * n_hidden + j)];
    for (Index i = 0; i < n_visible; ++i)
        rbm.visible_bias[i] = parameters[at(n_visible * n_hidden + i)];
    for (Index j = 0; j < n_hidden; ++j)
        rbm.hidden_bias[j] = parameters[at(n_visible * n_hidden + n_visible + j)];
    rbm.base_bias = rbm.visible_bias;
    rbm.test = {patterns()->training, models::RbmTestImages::Form::threshold};
    const models::Rbm machine(std::move(rbm));
    const double log_z = *machine.exact_log_ratio(1) + *machine.log_normaliser_start();
    double sum = 0;
    for (const double log_density : machine.test_data().log_densities)
        sum += log_density - log_z;
    return sum / 500;
}

/// The same training without the model part of the gradient.
class WithoutModel final : public model::Learner {
  public:
    explicit WithoutModel(std::unique_ptr<Learner> right) : right_(std::move(right)) {}
    Index n_examples(Examples which) const override { return right_->n_examples(which); }
    Index n_units() const override { return right_->n_units(); }
    Index n_counts() const override { return right_->n_counts(); }
    void fields(Fields& f) override { right_->fields(f); }
    std::vector<double> parameters() const override { return right_->parameters(); }
    std::unique_ptr<Block> make_block(Index size) const override { return right_->make_block(size); }
    void draw_start(Block& block, const model::BlockStreams& streams) const override {
        right_->draw_start(block, streams);
    }
    void observe(Block& block, std::span<const Index> examples, std::uint32_t epoch) const override {
        right_->observe(block, examples, epoch);
    }
    void draw_hidden(Block& block, const model::BlockStreams& streams) const override {
        right_->draw_hidden(block, streams);
    }
    void copy(const Block& from, Block& to) const override { right_->copy(from, to); }
    void sweep(Block& block, const model::BlockStreams& streams) const override { right_->sweep(block, streams); }
    void count(const Block& data, std::int32_t data_factor, const Block& chains, std::int32_t,
               model::Counts counts) override {
        right_->count(data, data_factor, chains, 0, counts);
    }
    bool ascend(model::ConstCounts counts, double per_count, const model::Ascent& ascent) override {
        return right_->ascend(counts, per_count, ascent);
    }
    void watch(Examples which, Index first, Index count) override { right_->watch(which, first, count); }
    model::Fit fit(Examples which, std::uint32_t step) const override { return right_->fit(which, step); }
    model::Images filters() const override { return right_->filters(); }
    model::Images samples(const Block& block) const override { return right_->samples(block); }
    void write(const std::filesystem::path& directory) const override { right_->write(directory); }
    std::string file_name() const override { return right_->file_name(); }

  private:
    std::unique_ptr<Learner> right_;
};

ContrastiveDivergenceSettings settings() {
    ContrastiveDivergenceSettings s;
    s.updates = 20000;
    s.batch = 100;
    s.rate = 0.1;
    s.rate_schedule = ContrastiveDivergenceSettings::RateSchedule::linear;
    s.momentum = 0.5;
    s.watch_every = 200;
    s.seed = 3;
    return s;
}

std::unique_ptr<models::RbmLearner> learner() {
    return std::make_unique<models::RbmLearner>(patterns(), models::RbmLearnerSettings{n_hidden, 0.1}, 3);
}

double trained(const ContrastiveDivergenceSettings& settings, std::unique_ptr<model::Learner> learner) {
    ContrastiveDivergence training(parallel::Communicator::alone(), std::move(learner), settings);
    training.begin();
    while (!training.finished())
        training.step();
    return log_likelihood(training.learner().parameters());
}

TEST(ContrastiveDivergence, ComesNearTheBestLogLikelihood) {
    EXPECT_LT(log_likelihood(learner()->parameters()), -entropy - 1);
    // One sweep hardly leaves a pattern: the gradient of CD-1 is biased, and persistent chains mix slowly.
    for (const auto& [sweeps, distance] : {std::pair<Index, double>{1, 0.35}, {5, 0.12}}) {
        auto s = settings();
        s.sweeps = sweeps;
        const double by_cd = trained(s, learner());
        s.is_persistent = true;
        s.chains = 250;
        const double by_pcd = trained(s, learner());
        for (const double found : {by_cd, by_pcd}) {
            EXPECT_GT(found, -entropy - distance) << sweeps << " sweep(s)";
            EXPECT_LT(found, -entropy + 1e-9);
        }
    }
}

TEST(ContrastiveDivergence, FailsWithoutTheModelsPart) {
    auto s = settings();
    s.updates = 500;
    EXPECT_LT(trained(s, std::make_unique<WithoutModel>(learner())), -entropy - 1);
}

TEST(ContrastiveDivergence, RateDecaysAndMomentumChanges) {
    auto s = settings();
    s.updates = 10;
    s.watch_every = 0.2; // of five updates
    s.final_momentum = 0.9;
    s.final_momentum_from = 1;
    ContrastiveDivergence training(parallel::Communicator::alone(), learner(), s);
    training.begin();
    while (!training.finished())
        training.step();
    const auto& trace = training.trace();
    ASSERT_EQ(trace.update.size(), 11u);
    for (std::size_t k = 0; k < trace.update.size(); ++k) {
        EXPECT_EQ(trace.update[k], static_cast<std::int64_t>(k));
        EXPECT_NEAR(trace.rate[k], 0.1 * (1 - static_cast<double>(k) / 10), 1e-15);
        EXPECT_EQ(trace.momentum[k], k < 5 ? 0.5 : 0.9);
    }
    EXPECT_EQ(training.watched(Examples::held_out), 100);
    EXPECT_EQ(training.watched(Examples::training), 100);
}

/// Decay alone, by batches of the whole data and as many chains as there are: weights shrink, biases do not.
TEST(ContrastiveDivergence, WeightsDecay) {
    auto with = settings(), without = settings();
    with.updates = without.updates = 2000;
    with.weight_decay = 0.05;
    const auto sum_of_squares = [](const ContrastiveDivergenceSettings& s) {
        ContrastiveDivergence training(parallel::Communicator::alone(), learner(), s);
        training.begin();
        while (!training.finished())
            training.step();
        double sum = 0;
        const auto parameters = training.learner().parameters();
        for (Index k = 0; k < n_visible * n_hidden; ++k)
            sum += parameters[at(k)] * parameters[at(k)];
        return sum;
    };
    EXPECT_LT(sum_of_squares(with), 0.5 * sum_of_squares(without));
}

} // namespace
} // namespace pearlite::algorithm
