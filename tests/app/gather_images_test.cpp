#include "app/result/parts/kinds.hpp"

#include "algorithm/common/sampler.hpp"
#include "models/gaussian/autoregressive_gaussian.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "population/column_blocks.hpp"

#include <gtest/gtest.h>

namespace pearlite::app {
namespace {

/// A picture of two pixels: the particle's number and b.
struct Pictures : models::AutoregressiveGaussian {
    Pictures() : AutoregressiveGaussian({}, 0.5) {}
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

const auto pictures = model::target_of(Pictures());

/// A sampler of which only the population matters.
class Particles : public algorithm::Sampler {
  public:
    Particles(Index size, Index block)
        : states_(
              alone, [](Index n) { return pictures->make_block(n); }, pictures->particle_bytes()) {
        auto& particles = states_.append(size, block);
        for (Index b = 0; b < particles.local_blocks(); ++b)
            for (Index i = 0; i < particles.block(b).size(); ++i)
                testing_support::columns_of(particles.block(b))(0, i) =
                    static_cast<double>(particles.block_begin(b) + i);
    }
    void begin() override {}
    bool finished() const override { return true; }
    void step() override {}
    void fields(Fields&) override {}
    algorithm::Progress progress() const override { return {}; }
    algorithm::Found found() override {
        algorithm::Found found;
        found.population = &states_;
        return found;
    }

  private:
    population::Population states_;
};

std::optional<Images> images_of(Particles&& sampler, Index first_wanted_slot = 0) {
    auto found = sampler.found();
    found.first_wanted_slot = first_wanted_slot;
    return gather_images(alone, *pictures, found, 0.7);
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
    const auto images = images_of(Particles(96, 32), 64);
    ASSERT_TRUE(images.has_value());
    ASSERT_EQ(images->pixels.rows(), 32);
    EXPECT_TRUE(images->pixels(0, 0) == 64 && images->pixels(31, 0) == 95);
}

} // namespace
} // namespace pearlite::app
