// Moves are the inner loop and must not allocate. The test counts allocations with its own malloc; the address
// sanitizer replaces malloc itself.
#include "kernel/density/random_walk.hpp"
#include "models/gaussian/gaussian.hpp"
#include "models/regression/linear_regression.hpp"
#include "models/regression/logistic_regression.hpp"
#include "pearlite/path/tempered.hpp"
#include "simd/path.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#ifndef __SANITIZE_ADDRESS__

namespace {
long n_allocations = 0;
}
extern "C" void* __libc_malloc(std::size_t bytes);
extern "C" void* malloc(std::size_t bytes) noexcept {
    ++n_allocations;
    return __libc_malloc(bytes);
}

namespace pearlite::algorithm {
namespace {

/// Allocations of 50 moves of a full block.
template <class D>
long allocations_of_moves(const D& density) {
    const auto path = path::tempered(density);
    const Index d = path->dimension();
    const auto kernel = kernel::RandomWalk::constant(path, 50, 0.1 * Matrix::Identity(d, d));
    const auto block = path->make_block(16);
    path->draw_start(*block, {1, 0, 0, 0, 0});
    std::vector<double> derivative(16);
    simd::chosen_path(); // once in a program
    const long before = n_allocations;
    kernel.move(*block, 0.5, {1, 1, 0, 0, 0}, derivative);
    return n_allocations - before;
}

TEST(Allocation, IsCounted) {
    const long before = n_allocations;
    const Matrix matrix = Matrix::Zero(100, 100);
    EXPECT_EQ(matrix.sum(), 0);
    EXPECT_GT(n_allocations, before);
}

TEST(Allocation, MovesOfARandomWalkDoNone) {
    EXPECT_EQ(allocations_of_moves(models::Gaussian({.dimension = 5})), 0);

    models::LogisticRegressionData logistic;
    logistic.design = Matrix::Ones(700, 9);
    logistic.response = Vector::Ones(700);
    logistic.names.assign(9, "b");
    EXPECT_EQ(allocations_of_moves(models::LogisticRegression(logistic)), 0);

    models::LinearRegressionData linear;
    linear.design = Matrix::Identity(50, 4);
    linear.response = Vector::Ones(50);
    linear.names.assign(4, "b");
    linear.prior_mean = Vector::Zero(4);
    linear.prior_precision = Vector::Ones(4);
    EXPECT_EQ(allocations_of_moves(models::LinearRegression(linear)), 0);
}

} // namespace
} // namespace pearlite::algorithm

#endif
