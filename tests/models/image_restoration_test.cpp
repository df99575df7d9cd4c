#include "models/image/image_restoration.hpp"

#include "pearlite/core/error.hpp"
#include "random/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <numeric>
#include <string>
#include <tuple>

namespace pearlite::models {
namespace {

using ::testing::HasSubstr;
using Pixels = std::vector<std::uint8_t>;

Pixels random_pixels(Index size, std::uint64_t seed, double white = 0.5) {
    random::Stream stream({seed, random::Purpose::test, 0, 0});
    Pixels pixels(static_cast<std::size_t>(size));
    for (std::uint8_t& pixel : pixels)
        pixel = stream.bernoulli(white) ? 1 : 0;
    return pixels;
}

ImageRestoration random_problem(Index rows, Index columns, double a, double b, std::uint64_t seed) {
    return ImageRestoration({rows, columns, random_pixels(rows * columns, seed), a, b});
}

/// The counts by their definition, over ordered pairs of pixels within a distance of 1.
ImageCounts plain_counts(const ImageRestoration& model, const Pixels& x) {
    const Index rows = model.settings().rows, columns = model.settings().columns;
    const auto at = [&](Index r, Index c) { return x[static_cast<std::size_t>(r * columns + c)]; };
    ImageCounts counts;
    Index ordered = 0;
    for (Index r = 0; r < rows; ++r) {
        for (Index c = 0; c < columns; ++c) {
            counts.agreements += at(r, c) == model.settings().observed[static_cast<std::size_t>(r * columns + c)];
            for (Index s = std::max<Index>(r - 1, 0); s <= std::min(r + 1, rows - 1); ++s) {
                for (Index d = std::max<Index>(c - 1, 0); d <= std::min(c + 1, columns - 1); ++d)
                    ordered += (s != r || d != c) && at(s, d) == at(r, c);
            }
        }
    }
    counts.equal_pairs = ordered / 2;
    return counts;
}

void expect_consistent(const ImageRestoration& model, const ImageState& state, const Pixels& expected) {
    ASSERT_EQ(model.pixels(state), expected);
    EXPECT_EQ(state.counts(), plain_counts(model, expected));
    EXPECT_EQ(state.counts(), model.recount(state));
}

struct Sides {
    Index rows, columns;
};

/// Rows shorter and longer than a word, and images of one row, column or pixel.
const Sides many_sides[] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {5, 7}, {3, 63}, {4, 64}, {6, 65}, {3, 130}, {70, 3}};

class Images : public ::testing::TestWithParam<Sides> {
  protected:
    ImageRestoration model_ = random_problem(GetParam().rows, GetParam().columns, 1.1, 0.9, 1);
    random::Stream stream_{{2, random::Purpose::test, 0, 0}};

    Index draw(Index n) { return static_cast<Index>(stream_.index(static_cast<std::uint64_t>(n))); }
};
INSTANTIATE_TEST_SUITE_P(OfManySides, Images, ::testing::ValuesIn(many_sides), [](const auto& parameter) {
    return std::to_string(parameter.param.rows) + "x" + std::to_string(parameter.param.columns);
});

TEST_P(Images, KeepTheirPixelsAndCounts) {
    const auto [rows, columns] = GetParam();
    EXPECT_EQ(model_.n_pairs(), rows * (columns - 1) + (rows - 1) * columns + 2 * (rows - 1) * (columns - 1));
    const Pixels x = random_pixels(model_.size(), 3);
    const ImageState state = model_.make_state(x);
    expect_consistent(model_, state, x);
    for (Index i = 0; i < model_.size(); ++i)
        EXPECT_EQ(model_.pixel(state, i), x[static_cast<std::size_t>(i)] != 0);

    std::vector<std::byte> packed(model_.packed_bytes());
    model_.pack(state, packed);
    expect_consistent(model_, model_.unpack(packed), x);
    for (std::size_t i = 0; i < packed.size() * 8; ++i)
        EXPECT_EQ(static_cast<unsigned>(packed[i / 8]) >> (i % 8) & 1, i < x.size() ? x[i] : 0);
    packed.back() |= std::byte{1} << 7; // whatever stands behind the last pixel
    EXPECT_EQ(model_.recount(model_.unpack(packed)), plain_counts(model_, model_.pixels(model_.unpack(packed))));

    const ImageState other = model_.random_state({5, random::Purpose::start, 0, 0});
    expect_consistent(model_, other, model_.pixels(other));
    EXPECT_EQ(model_.observed_state().counts().agreements, model_.size());
}

TEST_P(Images, KeepTheirCountsWhenPixelsAreFlipped) {
    Pixels x = random_pixels(model_.size(), 4);
    ImageState state = model_.make_state(x);
    for (int step = 0; step < 300; ++step) {
        const Index pixel = step < model_.size() ? step : draw(model_.size());
        const ImageCounts before = state.counts(), change = model_.flip_change(state, pixel);
        EXPECT_EQ(state.counts(), before);
        model_.flip(state, pixel, change);
        x[static_cast<std::size_t>(pixel)] ^= 1;
        ASSERT_EQ(state.counts(), plain_counts(model_, x)) << "step " << step;
    }
    expect_consistent(model_, state, x);
}

TEST_P(Images, KeepTheirCountsWhenRectanglesAreFlipped) {
    const auto [rows, columns] = GetParam();
    Pixels x = random_pixels(model_.size(), 5);
    ImageState state = model_.make_state(x);
    for (int step = 0; step < 100; ++step) {
        const Index row = draw(rows), column = draw(columns);
        const ImageRectangle rectangle{row, column, 1 + draw(rows - row), 1 + draw(columns - column)};
        model_.flip(state, rectangle, model_.flip_change(state, rectangle));
        for (Index r = row; r < row + rectangle.height; ++r) {
            for (Index c = column; c < column + rectangle.width; ++c)
                x[static_cast<std::size_t>(r * columns + c)] ^= 1;
        }
        ASSERT_EQ(state.counts(), plain_counts(model_, x)) << "step " << step;
    }
    expect_consistent(model_, state, x);
    EXPECT_THROW(model_.flip_change(state, ImageRectangle{0, 0, rows + 1, 1}), ContractViolation);
    EXPECT_THROW(model_.flip_change(state, ImageRectangle{0, columns, 1, 1}), ContractViolation);
}

TEST_P(Images, KeepTheirCountsWhenTheyExchangeRuns) {
    Pixels x = random_pixels(model_.size(), 6), y = random_pixels(model_.size(), 7, 0.8);
    ImageState first = model_.make_state(x), second = model_.make_state(y);
    for (int step = 0; step < 200; ++step) {
        const Index from = draw(model_.size() + 1), to = from + draw(model_.size() + 1 - from);
        model_.exchange(first, second, from, to, model_.exchange_changes(first, second, from, to));
        std::swap_ranges(x.begin() + from, x.begin() + to, y.begin() + from);
        ASSERT_EQ(first.counts(), plain_counts(model_, x)) << from << " to " << to;
        ASSERT_EQ(second.counts(), plain_counts(model_, y)) << from << " to " << to;
    }
    expect_consistent(model_, first, x);
    expect_consistent(model_, second, y);
    EXPECT_THROW(model_.exchange_changes(first, second, 0, model_.size() + 1), ContractViolation);
}

TEST(ImageRestoration, LongRunsAreExchanged) {
    const ImageRestoration model = random_problem(180, 170, 1.1, 0.9, 1);
    const Pixels x = random_pixels(model.size(), 6), white(x.size(), 1);
    for (const Index from : {Index{0}, Index{77}}) {
        ImageState first = model.make_state(x), second = model.make_state(white);
        const Index to = model.size() - from;
        model.exchange(first, second, from, to, model.exchange_changes(first, second, from, to));
        Pixels expected_first = x, expected_second = white;
        std::swap_ranges(expected_first.begin() + from, expected_first.begin() + to, expected_second.begin() + from);
        expect_consistent(model, first, expected_first);
        expect_consistent(model, second, expected_second);
    }
}

TEST_P(Images, KeepTheirCountsWhenClustersAreFlipped) {
    Pixels x = random_pixels(model_.size(), 8, 0.7);
    ImageState state = model_.make_state(x);
    ImageCluster cluster;
    for (int step = 0; step < 100; ++step) {
        const Index seed = draw(model_.size());
        model_.grow_cluster(state, seed, 0.02 * step, stream_, cluster);
        for (const Index pixel : cluster.pixels) {
            EXPECT_EQ(x[static_cast<std::size_t>(pixel)] != 0, model_.pixel(state, seed));
            x[static_cast<std::size_t>(pixel)] ^= 1;
        }
        model_.flip(state, cluster);
        ASSERT_EQ(state.counts(), plain_counts(model_, x)) << "step " << step;
    }
    expect_consistent(model_, state, x);
}

TEST(ImageRestoration, HasTheEnergyOfItsCounts) {
    const ImageRestoration model({2, 3, {0, 1, 1, 1, 0, 1}, 1.5, 0.25});
    const ImageState state = model.make_state(Pixels{0, 0, 1, 1, 0, 1});
    EXPECT_EQ(state.counts(), (ImageCounts{5, 4})); // three pairs of black pixels, one of white
    EXPECT_DOUBLE_EQ(model.energy(state), -(1.5 * 5 + 0.25 * 4));
    EXPECT_DOUBLE_EQ(model.energy(ImageCounts{6, 4}), -10.0);
}

TEST(ImageRestoration, RefusesImpossibleSettings) {
    const auto message = [](const ImageRestorationSettings& settings) -> std::string {
        try {
            const ImageRestoration model(settings);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    };
    const Pixels four{0, 1, 0, 1};
    EXPECT_EQ(message({2, 2, four, 1, 1}), "");
    EXPECT_THAT(message({0, 2, {}, 1, 1}), HasSubstr("0 rows and 2 columns, expected 1 to 16777216 pixels"));
    EXPECT_THAT(message({4097, 4096, {}, 1, 1}), HasSubstr("expected 1 to 16777216 pixels"));
    EXPECT_THAT(message({2, 3, four, 1, 1}), HasSubstr("4 observed pixels, expected 6"));
    EXPECT_THAT(message({2, 2, {0, 1, 2, 1}, 1, 1}), HasSubstr("observed pixel 2 is 2, expected 0 or 1"));
    EXPECT_THAT(message({2, 2, four, 0, 1}), HasSubstr("the weight of the data is 0.000000, expected a finite number"));
    EXPECT_THAT(message({2, 2, four, 1, -1}), HasSubstr("the weight of pairs is -1.000000"));
    EXPECT_THAT(message({2, 2, four, NAN, 1}), HasSubstr("the weight of the data is nan"));
    EXPECT_THAT(message({2, 2, four, 1, INFINITY}), HasSubstr("the weight of pairs is inf"));
}

TEST(ImageRestoration, FingerprintHasEverySetting) {
    const auto fingerprint = [](const ImageRestorationSettings& settings) {
        std::string bytes;
        model::Fingerprint sink([&](std::span<const std::byte> more) {
            bytes.append(reinterpret_cast<const char*>(more.data()), more.size());
        });
        ImageRestoration(settings).fingerprint(sink);
        return bytes;
    };
    const std::string base = fingerprint({2, 2, {0, 1, 1, 0}, 1, 2});
    EXPECT_EQ(base, fingerprint({2, 2, {0, 1, 1, 0}, 1, 2}));
    EXPECT_NE(base, fingerprint({2, 2, {0, 1, 1, 1}, 1, 2}));
    EXPECT_NE(base, fingerprint({1, 4, {0, 1, 1, 0}, 1, 2}));
    EXPECT_NE(base, fingerprint({2, 2, {0, 1, 1, 0}, 2, 2}));
    EXPECT_NE(base, fingerprint({2, 2, {0, 1, 1, 0}, 1, 1}));
}

TEST(AddNoise, FlipsTheStatedShareAtASeed) {
    const Pixels clean = random_pixels(100000, 9);
    const auto flipped = [&](double probability, std::uint64_t seed) {
        Pixels noisy = clean;
        add_noise(noisy, probability, seed);
        Pixels which(clean.size());
        std::transform(clean.begin(), clean.end(), noisy.begin(), which.begin(), std::bit_xor<>());
        return which;
    };
    EXPECT_EQ(flipped(0, 1), Pixels(clean.size(), 0));
    EXPECT_EQ(flipped(1, 1), Pixels(clean.size(), 1));
    const Pixels once = flipped(0.1, 1);
    EXPECT_EQ(once, flipped(0.1, 1));
    EXPECT_NE(once, flipped(0.1, 2));
    EXPECT_NEAR(std::accumulate(once.begin(), once.end(), 0.0), 1e4, 5 * std::sqrt(9000)); // false alarm 6e-7
    Pixels pixels = clean;
    EXPECT_THROW(add_noise(pixels, 1.1, 1), InputError);
    EXPECT_THROW(add_noise(pixels, NAN, 1), InputError);
}

/// The image whose pixel i is bit i of `code`.
Pixels image_of(unsigned code, Index size) {
    Pixels pixels;
    for (Index i = 0; i < size; ++i)
        pixels.push_back(code >> i & 1);
    return pixels;
}

std::vector<ImageState> all_images(const ImageRestoration& model) {
    std::vector<ImageState> images;
    for (unsigned code = 0; code < 1u << model.size(); ++code)
        images.push_back(model.make_state(image_of(code, model.size())));
    return images;
}

unsigned code_of(const ImageRestoration& model, const ImageState& state) {
    unsigned code = 0;
    for (Index i = 0; i < model.size(); ++i)
        code |= static_cast<unsigned>(model.pixel(state, i)) << i;
    return code;
}

TEST(ExactMinimum, EqualsThatOfAllImages) {
    const std::pair<double, double> weights[] = {
        {1.1, 0.9},   {1.5, 3.0},  {1.0, 0.1},    {2.0, 0.4},           {3.1, 0.77}, {1.0, 0.35}, {0.01, 7.0},
        {100.0, 1.0}, {1.0, 1e-9}, {1e-12, 1e12}, {std::exp(1.0), 1.0}, {2.5, 0.8},  {1.7, 0.5}};
    Index neither = 0; // minima that are neither the observed image nor of one colour: the interesting cases
    for (const auto& [a, b] : weights) {
        for (std::uint64_t seed = 0; seed < 20; ++seed) {
            const ImageRestoration model = random_problem(3, 4, a, b, 100 + seed);
            const std::vector<ImageState> images = all_images(model);
            const auto energy = [&](const ImageState& state) { return model.energy(state); };
            const double least = energy(*std::min_element(
                images.begin(), images.end(), [&](const auto& x, const auto& y) { return energy(x) < energy(y); }));
            const ImageState minimum = model.exact_minimum();
            EXPECT_NEAR(energy(minimum), least, 1e-12 * std::abs(least)) << a << " " << b << " seed " << seed;
            EXPECT_EQ(minimum.counts(), plain_counts(model, model.pixels(minimum)));
            const unsigned code = code_of(model, minimum);
            neither += code != 0 && code != 0xfff && minimum.counts().agreements < model.size();
        }
    }
    EXPECT_GE(neither, 20);
}

/// No single flip and no flip of a rectangle goes below the minimum of an image too large to enumerate.
TEST(ExactMinimum, IsNotImprovedByChanges) {
    Pixels observed(60 * 50);
    for (std::size_t i = 0; i < observed.size(); ++i)
        observed[i] = i % 50 < 25 || i / 50 > 40;
    add_noise(observed, 0.2, 3);
    const ImageRestoration model({60, 50, observed, 1.1, 0.9});
    const ImageState minimum = model.exact_minimum();
    EXPECT_LT(model.energy(minimum), model.energy(model.observed_state()));
    const double none = model.energy(ImageCounts{});
    random::Stream stream({4, random::Purpose::test, 0, 0});
    for (Index pixel = 0; pixel < model.size(); ++pixel)
        EXPECT_GE(model.energy(model.flip_change(minimum, pixel)), none);
    for (int i = 0; i < 5000; ++i) {
        const auto row = static_cast<Index>(stream.index(50)), column = static_cast<Index>(stream.index(40));
        const ImageRectangle rectangle{row, column, 1 + static_cast<Index>(stream.index(10)),
                                       1 + static_cast<Index>(stream.index(10))};
        EXPECT_GE(model.energy(model.flip_change(minimum, rectangle)), none);
    }
}

/// exp(-U / tau), normalised.
Vector equilibrium(const ImageRestoration& model, const std::vector<ImageState>& images, double temperature) {
    Vector p(static_cast<Index>(images.size()));
    for (Index i = 0; i < p.size(); ++i)
        p(i) = std::exp(-model.energy(images[static_cast<std::size_t>(i)]) / temperature);
    return p / p.sum();
}

TEST(HeatBath, OfOnePixelLeavesEquilibriumInvariant) {
    const ImageRestoration model = random_problem(2, 4, 1.1, 0.9, 11);
    const double temperature = 3;
    const std::vector<ImageState> images = all_images(model);
    const Vector p = equilibrium(model, images, temperature);
    /// p after one heat-bath update of a uniform pixel, with the energy changes of `change`.
    const auto moved = [&](const auto& energy_change) {
        Vector q = p;
        for (std::size_t code = 0; code < images.size(); ++code) {
            for (Index pixel = 0; pixel < model.size(); ++pixel) {
                const double rise = energy_change(images[code], pixel);
                const double flow = p(static_cast<Index>(code)) / (1 + std::exp(rise / temperature)) /
                                    static_cast<double>(model.size());
                q(static_cast<Index>(code)) -= flow;
                q(static_cast<Index>(code ^ (std::size_t{1} << pixel))) += flow;
            }
        }
        return q;
    };
    const Vector right = moved([&](const ImageState& state, Index pixel) {
        return model.energy(model.flip_change(state, pixel)) - model.energy(ImageCounts{});
    });
    EXPECT_LT((right - p).cwiseAbs().maxCoeff(), 1e-15);
    const Vector pairs_twice = moved([&](const ImageState& state, Index pixel) {
        ImageCounts change = model.flip_change(state, pixel);
        change.equal_pairs *= 2;
        return model.energy(change);
    });
    EXPECT_GT((pairs_twice - p).cwiseAbs().maxCoeff(), 1e-4);
}

/// p-value of the visits of a chain of cluster flips against equilibrium, thinned until they are nearly independent;
/// false alarm 1e-6.
double cluster_chain_p_value(double strength, bool with_proposal_ratio) {
    const ImageRestoration model = random_problem(2, 3, 0.7, 0.5, 12);
    const double temperature = 1.3;
    const std::vector<ImageState> images = all_images(model);
    const Vector p = equilibrium(model, images, temperature);
    random::Stream stream({13, random::Purpose::test, 0, 0});
    ImageState state = model.observed_state();
    ImageCluster cluster;
    Vector visits = Vector::Zero(p.size());
    const int n_visits = 20000, thinning = 25;
    for (int step = 0; step < n_visits * thinning; ++step) {
        const auto pixel = static_cast<Index>(stream.index(static_cast<std::uint64_t>(model.size())));
        model.grow_cluster(state, pixel, strength, stream, cluster);
        double log_ratio = -model.energy(cluster.change) / temperature;
        if (with_proposal_ratio)
            log_ratio -= strength * static_cast<double>(cluster.change.equal_pairs);
        if (std::log(stream.uniform()) < log_ratio)
            model.flip(state, cluster);
        if (step % thinning == 0)
            visits(code_of(model, state)) += 1;
    }
    const Vector expected = n_visits * p;
    const double statistic = ((visits - expected).array().square() / expected.array()).sum();
    return random::testing::chi_squared_p_value(statistic, static_cast<double>(p.size() - 1));
}

TEST(Clusters, SampleEquilibriumAtAnyStrength) {
    EXPECT_GT(cluster_chain_p_value(0.5 / 1.3, true), 1e-6); // Wolff's
    EXPECT_GT(cluster_chain_p_value(0.1, true), 1e-6);
    EXPECT_GT(cluster_chain_p_value(0.8, true), 1e-6);
    EXPECT_LT(cluster_chain_p_value(0.5 / 1.3, false), 1e-6);
}

/// Published minima of a real image; its pixels are read here without the io layer.
TEST(PublishedData, FerriteImageHasItsKnownMinima) {
    const char* directory = std::getenv("PEARLITE_DATA_DIR");
    if (directory == nullptr)
        GTEST_SKIP() << "PEARLITE_DATA_DIR is not set: published data are not read";
    const auto path = std::filesystem::path(directory) / "ferrite_pearlite/ferrite_pearlite_240x320.txt";
    std::ifstream file(path);
    if (!file)
        GTEST_SKIP() << path << " cannot be read";
    Index rows = 0, columns = 0;
    file >> rows >> columns;
    Pixels observed;
    for (int pixel = 0; file >> pixel;)
        observed.push_back(static_cast<std::uint8_t>(pixel));
    const std::tuple<double, double, double> minima[] = {{1.1, 0.9, -337049.4}, {1.5, 3.0, -987742.5}};
    for (const auto& [a, b, least] : minima) {
        const ImageRestoration model({rows, columns, observed, a, b});
        EXPECT_NEAR(model.energy(model.exact_minimum()), least, 1e-6);
    }
}

} // namespace
} // namespace pearlite::models
