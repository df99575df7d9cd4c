/// Training of an RBM: counts of pairs on every path of the kernels against plain loops, gradients against enumeration,
/// weights in the forms of the kernels, images as visible units.

#include "models/rbm/training/rbm_learner.hpp"
#include "models/rbm/weights_kernels.hpp"
#include "models/rbm_oracle.hpp"
#include "pearlite/random/stream.hpp"
#include "simd/instructions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

namespace pearlite::models {
namespace {

using rbm_oracle::state_of_number;
using Examples = model::Learner::Examples;

std::shared_ptr<TrainingData> random_images(Index n_visible, Index n, std::uint64_t seed, bool is_binary = false) {
    auto data = std::make_shared<TrainingData>();
    data->training.resize(n_visible, n);
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    for (Index k = 0; k < data->training.size(); ++k)
        data->training.data()[k] = static_cast<std::uint8_t>(is_binary ? 255 * stream.index(2) : stream.index(256));
    data->held_out = data->training;
    return data;
}

std::vector<Index> first_numbers(Index n) {
    std::vector<Index> numbers(at(n));
    std::iota(numbers.begin(), numbers.end(), Index{0});
    return numbers;
}

double unit(const BinaryUnits& units, Index i, Index chain) {
    return units.get(i, chain) ? 1 : 0;
}

struct Machine {
    Index n_visible, n_hidden, batch, chains;
};
constexpr Machine machines[] = {
    {784, 500, 100, 100}, {37, 20, 33, 90}, {5, 3, 1, 16}, {33, 65, 1100, 17}, {4, 16, 512, 1}};

TEST(RbmTraining, CountsAreThoseOfAPlainLoopOnEveryPath) {
    for (const simd::Path path : simd::available_paths())
        for (const auto& [n_visible, n_hidden, n_data, n_chains] : machines) {
            RbmLearner learner(random_images(n_visible, n_data, 3), {n_hidden, 0.5}, 7, path);
            const auto data = learner.make_block(n_data), chains = learner.make_block(n_chains);
            learner.observe(*data, first_numbers(n_data), 1);
            learner.draw_hidden(*data, {7, 1, 1});
            learner.draw_start(*chains, {7, 1, 0});
            std::vector<std::int32_t> counts(at(learner.n_counts()), 99);
            learner.count(*data, 2, *chains, 3, counts);
            const auto &of_data = own_block<RbmStates>(*data), &of_chains = own_block<RbmStates>(*chains);
            std::vector<std::int32_t> expected(counts.size(), 0);
            const auto add = [&](const RbmStates& states, std::int32_t factor) {
                for (Index chain = 0; chain < states.size(); ++chain)
                    for (Index i = 0; i <= n_visible; ++i)
                        for (Index j = 0; j <= n_hidden; ++j) {
                            const bool v = i == n_visible || states.visible().get(i, chain);
                            const bool h = j == n_hidden || states.hidden().get(j, chain);
                            expected[at(learner.place_of_count(i, j))] += v && h ? factor : 0;
                        }
            };
            add(of_data, 2);
            add(of_chains, -3);
            EXPECT_EQ(counts, expected) << name_of(path) << " " << n_visible << " x " << n_hidden;
            std::vector<std::int16_t> narrow(counts.size(), 99);
            learner.count(*data, 2, *chains, 3, narrow);
            EXPECT_TRUE(std::equal(narrow.begin(), narrow.end(), expected.begin())) << name_of(path);
            expected[0] += 1; // the wrong twin
            EXPECT_NE(counts, expected);
        }
}

TEST(RbmTraining, StatesAreTheSameOnEveryPath) {
    std::vector<std::vector<double>> found;
    for (const simd::Path path : simd::available_paths()) {
        RbmLearner learner(random_images(150, 70, 3), {33, 0.5}, 7, path);
        const auto data = learner.make_block(70), chains = learner.make_block(40);
        std::vector<std::int32_t> counts(at(learner.n_counts()));
        learner.draw_start(*chains, {7, 0, 0});
        for (std::uint32_t t = 1; t < 6; ++t) {
            learner.observe(*data, first_numbers(70), 1);
            learner.draw_hidden(*data, {7, t, 1});
            learner.sweep(*chains, {7, t, 0});
            learner.count(*data, 4, *chains, 7, counts);
            EXPECT_TRUE(learner.ascend(counts, 1.0 / 280, {0.3, 0.5, 0.01}));
        }
        learner.watch(Examples::held_out, 3, 41);
        const auto fit = learner.fit(Examples::held_out, 5);
        found.push_back(learner.parameters());
        found.back().push_back(fit.free_energy.value());
        found.back().push_back(static_cast<double>(fit.wrong_units));
    }
    for (const auto& other : found)
        EXPECT_EQ(other, found.front());
}

/// The packed forms of the weights, in both directions, against those of any matrix of integers.
TEST(RbmTraining, WeightsArePackedAsLayersReadThem) {
    using rbm_kernels::Format;
    for (const auto& [n_visible, n_hidden, n_data, n_chains] : machines)
        for (const Format format : {Format::integers, Format::limbs, Format::tiles}) {
            const Index stride = padded(n_hidden + 1);
            rbm_kernels::Aligned<float> weights(at(padded(n_visible) * stride), 0.0f);
            rbm_kernels::IntegerWeights rounded{rbm_kernels::IntegerWeights::Digits(n_visible, n_hidden),
                                                Vector::Ones(n_visible)};
            random::Stream stream({11, random::Purpose::test, 0, 0});
            const float scale = 0.37f;
            for (Index i = 0; i < n_visible; ++i)
                for (Index j = 0; j < n_hidden; ++j) {
                    const auto integer = static_cast<std::int32_t>(stream.index(2 * rbm_training::largest_packed + 1)) -
                                         static_cast<std::int32_t>(rbm_training::largest_packed);
                    rounded.digits(i, j) = integer;
                    weights[at(i * stride + j)] = static_cast<float>(integer) * scale;
                }
            const rbm_kernels::IntegerWeights other{rounded.digits.transpose(), Vector::Ones(n_hidden)};
            auto to_visible = rbm_kernels::pack(rounded, format), to_hidden = rbm_kernels::pack(other, format);
            const auto expected_visible = to_visible, expected_hidden = to_hidden;
            for (auto* packed : {&to_visible, &to_hidden})
                for (auto& byte : *packed)
                    byte = byte != 0 ? std::int8_t{77} : byte; // padding stays 0
            simd::on_this_cpu([&](auto cpu) {
                rbm_training::pack_both<decltype(cpu)>(
                    {weights.data(), n_visible, n_hidden, stride, scale, format, to_visible.data(), to_hidden.data()});
            });
            EXPECT_EQ(to_visible, expected_visible) << n_visible << " x " << n_hidden;
            EXPECT_EQ(to_hidden, expected_hidden) << n_visible << " x " << n_hidden;
        }
}

TEST(RbmTraining, AStepHasMomentumAndDecay) {
    std::vector<float> theta{1, -2, 0.5f}, velocity{0.1f, 0, -0.2f};
    const std::vector<std::int32_t> counts{3, -4, 0};
    simd::on_this_cpu([&](auto cpu) {
        rbm_training::ascend<decltype(cpu)>(theta.data(), velocity.data(), counts.data(), 3, {0.5f, 0.9f, 0.1f, 0.25f});
    });
    const double gradient[] = {0.75 - 0.1, -1 + 0.2, -0.05}, before[] = {0.1, 0, -0.2}, start[] = {1, -2, 0.5};
    for (std::size_t i = 0; i < 3; ++i) {
        const double expected = 0.9 * before[i] + 0.5 * gradient[i];
        EXPECT_NEAR(static_cast<double>(velocity[i]), expected, 1e-6);
        EXPECT_NEAR(static_cast<double>(theta[i]), start[i] + expected, 1e-6);
    }
}

TEST(RbmTraining, AStepIsTheSameByCountsOfEitherWidth) {
    RbmLearner wide(random_images(37, 10, 3), {20, 0.5}, 7), narrow(random_images(37, 10, 3), {20, 0.5}, 7);
    std::vector<std::int32_t> counts(at(wide.n_counts()), 0);
    for (Index i = 0; i <= 37; ++i)
        for (Index j = 0; j <= 20; ++j)
            counts[at(wide.place_of_count(i, j))] = static_cast<std::int32_t>((i * 6007 + j * 9973) % 65536 - 32768);
    std::vector<std::int16_t> few_bits(counts.begin(), counts.end());
    EXPECT_TRUE(wide.ascend(counts, 1e-3, {0.1, 0.5, 0.01}));
    EXPECT_TRUE(narrow.ascend(few_bits, 1e-3, {0.1, 0.5, 0.01}));
    EXPECT_EQ(wide.parameters(), narrow.parameters());
}

TEST(RbmTraining, ParametersThatAreNoNumbersAreReported) {
    RbmLearner learner(random_images(6, 10, 3), {4, 0.5}, 7);
    std::vector<std::int32_t> counts(at(learner.n_counts()), 0);
    EXPECT_TRUE(learner.ascend(counts, 1, {1, 0, 0}));
    counts[at(learner.place_of_count(2, 1))] = 1;
    EXPECT_FALSE(learner.ascend(counts, 1e38, {1e38, 0, 0}));
    counts.assign(counts.size(), 0);
    counts[at(learner.place_of_count(2, 4))] = 1;
    RbmLearner of_bias(random_images(6, 10, 3), {4, 0.5}, 7);
    EXPECT_FALSE(of_bias.ascend(counts, 1e38, {1e38, 0, 0}));
}

/// log sum_h exp(v'W h + a'v + d'h) by the learner's own numbers.
double log_density(const RbmLearner& learner, const Vector& v) {
    double sum = 0;
    for (Index i = 0; i < learner.n_visible(); ++i)
        sum += static_cast<double>(learner.visible_bias(i)) * v[i];
    for (Index j = 0; j < learner.n_hidden(); ++j) {
        double c = static_cast<double>(learner.hidden_bias(j));
        for (Index i = 0; i < learner.n_visible(); ++i)
            c += static_cast<double>(learner.weight(i, j)) * v[i];
        sum += softplus(c);
    }
    return sum;
}

TEST(RbmTraining, FreeEnergiesAndReconstructionsAreThoseOfTheUnits) {
    const auto data = random_images(29, 600, 5, true);
    RbmLearner learner(data, {14, 0.4}, 3);
    learner.watch(Examples::training, 7, 590);
    const auto fit = learner.fit(Examples::training, 2);
    double expected = 0;
    for (Index image = 7; image < 597; ++image)
        expected -= log_density(learner, data->training.col(image).cast<double>() / 255);
    EXPECT_NEAR(fit.free_energy.value() / expected, 1, 1e-6);
    // In two parts, as ranks have them.
    model::Fit parts;
    for (const auto& [first, count] : {std::pair<Index, Index>{7, 112}, {119, 478}}) {
        learner.watch(Examples::training, first, count);
        const auto part = learner.fit(Examples::training, 2);
        parts.free_energy.add(part.free_energy);
        parts.wrong_units += part.wrong_units;
    }
    EXPECT_EQ(parts.free_energy.value(), fit.free_energy.value());
    EXPECT_EQ(parts.wrong_units, fit.wrong_units);
    EXPECT_GT(fit.wrong_units, 590 * 29 / 10);
    EXPECT_LT(fit.wrong_units, 590 * 29 * 6 / 10);
}

TEST(RbmTraining, ImagesBecomeUnitsByTheirGreyLevels) {
    auto data = random_images(40, 2000, 5);
    for (Index image = 1; image < 2000; ++image)
        data->training.col(image) = data->training.col(0);
    RbmLearner learner(data, {3, 0.4}, 3);
    const auto block = learner.make_block(2000), again = learner.make_block(2000), later = learner.make_block(2000);
    learner.observe(*block, first_numbers(2000), 1);
    learner.observe(*again, first_numbers(2000), 1);
    learner.observe(*later, first_numbers(2000), 2);
    const auto &units = own_block<RbmStates>(*block).visible(), &same = own_block<RbmStates>(*again).visible(),
               &other = own_block<RbmStates>(*later).visible();
    Index differing = 0;
    for (Index i = 0; i < 40; ++i) {
        double on = 0;
        for (Index chain = 0; chain < 2000; ++chain) {
            on += unit(units, i, chain);
            EXPECT_EQ(units.get(i, chain), same.get(i, chain));
            differing += units.get(i, chain) != other.get(i, chain) ? 1 : 0;
        }
        const double p = data->training(i, 0) / 255.0;
        EXPECT_NEAR(on, 2000 * p, 4.5 * std::sqrt(2000 * p * (1 - p)) + 1e-9) << i;
    }
    EXPECT_GT(differing, 0);
    data->binarisation = Binarisation::threshold;
    learner.observe(*block, first_numbers(2000), 1);
    for (Index i = 0; i < 40; ++i)
        EXPECT_EQ(own_block<RbmStates>(*block).visible().get(i, 5), data->training(i, 0) > 127);
}

/// z-scores of mean statistics of many chains against exact expectations under the model. sweeps = 0 is the wrong twin:
/// chains that have not forgotten their start.
double largest_z(RbmLearner& learner, Index sweeps) {
    constexpr Index n = 40000;
    const Index n_visible = learner.n_visible(), n_hidden = learner.n_hidden();
    const auto chains = learner.make_block(n), nothing = learner.make_block(1);
    learner.draw_start(*chains, {17, 0, 0});
    for (Index sweep = 0; sweep < sweeps; ++sweep)
        learner.sweep(*chains, {17, static_cast<std::uint32_t>(sweep + 1), 0});
    std::vector<std::int32_t> counts(at(learner.n_counts()));
    learner.count(*nothing, 0, *chains, 1, counts);
    Matrix expected = Matrix::Zero(n_visible + 1, n_hidden + 1);
    double total = 0;
    for (std::uint64_t state = 0; state < std::uint64_t{1} << n_visible; ++state) {
        Vector v(n_visible + 1);
        v << state_of_number(state, n_visible), 1;
        const double weight = std::exp(log_density(learner, v.head(n_visible)));
        Vector h = Vector::Ones(n_hidden + 1);
        for (Index j = 0; j < n_hidden; ++j) {
            double c = static_cast<double>(learner.hidden_bias(j));
            for (Index i = 0; i < n_visible; ++i)
                c += static_cast<double>(learner.weight(i, j)) * v[i];
            h[j] = logistic(c);
        }
        total += weight;
        expected += weight * v * h.transpose();
    }
    expected /= total;
    double largest = 0;
    for (Index i = 0; i <= n_visible; ++i)
        for (Index j = 0; j <= n_hidden; ++j) {
            const double p = expected(i, j);
            if (i == n_visible && j == n_hidden)
                continue;
            const double found = -static_cast<double>(counts[at(learner.place_of_count(i, j))]) / n;
            largest = std::max(largest, std::abs(found - p) / std::sqrt(p * (1 - p) / n));
        }
    return largest;
}

TEST(RbmTraining, TheModelsPartOfTheGradientIsThatOfEnumeration) {
    RbmLearner learner(random_images(7, 30, 9), {5, 1.0}, 21);
    EXPECT_LT(largest_z(learner, 60), 4.5); // 47 numbers: once in 3000 seeds
    EXPECT_GT(largest_z(learner, 0), 20);
}

TEST(RbmTraining, FilesAreReadAgain) {
    const RbmLearner learner(random_images(12, 30, 9), {5, 1.0}, 21);
    const auto pictures = learner.filters();
    EXPECT_EQ(pictures.pixels.rows(), 5);
    EXPECT_EQ(pictures.rows * pictures.columns, 12);
    EXPECT_GE(pictures.pixels.minCoeff(), 0);
    EXPECT_LE(pictures.pixels.maxCoeff(), 1);
    const auto block = learner.make_block(3);
    learner.draw_start(*block, {1, 0, 0});
    EXPECT_EQ(learner.samples(*block).pixels.rows(), 3);
}

} // namespace
} // namespace pearlite::models
