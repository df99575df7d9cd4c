#include "pearlite/app/gather_images.hpp"

#include "pearlite/models/autoregressive_gaussian.hpp"
#include "pearlite/population/population.hpp"

#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

/// A picture of two pixels: the particle's number and b.
struct Pictures {
    using Block = models::AutoregressiveGaussian::Block;
    Matrix images(const Block& block, double b) const {
        Matrix pixels(2, block.size());
        pixels.row(0) = block.columns().row(0).head(block.size());
        pixels.row(1).setConstant(b);
        return pixels;
    }
    Index image_rows() const { return 1; }
    Index image_columns() const { return 2; }
};

const auto alone = parallel::Communicator::alone();

struct Particles {
    Particles(Index size, Index block) {
        const models::AutoregressiveGaussian model({}, 0.5);
        auto& particles = states.append(size, block, alone, [&](Index n) { return model.make_block(n); });
        for (Index b = 0; b < particles.local_blocks(); ++b)
            for (Index i = 0; i < particles.block(b).size(); ++i)
                particles.block(b).columns()(0, i) = static_cast<double>(particles.block_begin(b) + i);
    }
    auto& population() { return states; }
    population::Population<Pictures::Block> states;
};
struct Ladder : Particles {
    using Particles::Particles;
    Index first_wanted_slot() const { return 64; }
};

template <class Sampler>
std::optional<Images> images_of(Sampler sampler) {
    return gather_images(alone, Pictures{}, sampler, 0.7);
}

TEST(GatherImages, AreThoseOfTheFirstHundredParticles) {
    const auto images = images_of(Particles(150, 16));
    ASSERT_TRUE(images.has_value());
    EXPECT_TRUE(images->rows == 1 && images->columns == 2);
    ASSERT_TRUE(images->pixels.rows() == 100 && images->pixels.cols() == 2);
    for (Index i = 0; i < 100; ++i)
        EXPECT_TRUE(images->pixels(i, 0) == static_cast<double>(i) && images->pixels(i, 1) == 0.7) << i;
}

TEST(GatherImages, OfALadderAreThoseAtTheLastTemperature) {
    const auto images = images_of(Ladder(96, 32));
    ASSERT_TRUE(images.has_value());
    ASSERT_EQ(images->pixels.rows(), 32);
    EXPECT_TRUE(images->pixels(0, 0) == 64 && images->pixels(31, 0) == 95);
}

} // namespace
} // namespace pearlite::app
