#pragma once
/// Checks for every kernel of densities: exact draws from p_b still follow p_b after its moves, and the moves are their
/// own time reversal.

#include "core/log_space.hpp"
#include "kernel/density/density_kernel.hpp"
#include "pearlite/path/tempered.hpp"
#include "support/decompositions.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace pearlite::kernel::testing {

/// |z| above which a test fails: of an expectation, with probability 1e-4 for a right kernel; of a flow of the
/// reversal, of which there are many, 6e-7.
inline constexpr double largest_z = 3.9, largest_reversal_z = 5;

/// Prior N(0, P0^-1), likelihood N(m, P1^-1) in three dimensions, scales from 0.1 to 10 and correlated.
struct Ellipsoid {
    static constexpr double b = 0.4;
    std::vector<std::string> parameter_names() const { return {"x", "y", "z"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        Eigen::Map<Vector>(x.data(), 3) = draw_from(stream, Vector::Zero(3), prior_precision());
    }
    double log_prior(std::span<const double> x) const {
        return -0.5 * (x[0] * x[0] + 0.01 * x[1] * x[1] + 100 * x[2] * x[2]);
    }
    double log_likelihood(std::span<const double> x) const {
        static const Matrix of_likelihood = precision();
        static const Vector middle = centre();
        const Vector y = Eigen::Map<const Vector>(x.data(), 3) - middle;
        return -0.5 * y.dot(of_likelihood * y);
    }
    void gradient(std::span<const double> x, double at, std::span<double> out) const {
        const Eigen::Map<const Vector> point(x.data(), 3);
        Eigen::Map<Vector>(out.data(), 3) = -prior_precision() * point - at * precision() * (point - centre());
    }

    static Matrix prior_precision() { return Vector{{1, 0.01, 100}}.asDiagonal(); }
    static Matrix precision() {
        const Vector scale{{1, 0.1, 10}};
        return scale.asDiagonal() * Matrix{{3, -1.6, 1}, {-1.6, 2, 0.5}, {1, 0.5, 2.5}} * scale.asDiagonal();
    }
    static Vector centre() { return Vector{{1, -5, 0.1}}; }

    static Matrix covariance() { return decompositions::inverse(prior_precision() + b * precision()); }
    static Vector mean() { return covariance() * (b * precision() * centre()); }
    static void draw(random::Stream& stream, std::span<double> x) {
        static const Vector at = mean();
        static const Matrix with = decompositions::inverse(covariance());
        Eigen::Map<Vector>(x.data(), 3) = draw_from(stream, at, with);
    }
    /// Functions of a point with known expectations under p_b: standardised coordinates, their products and fourth
    /// powers.
    static std::vector<double> functions(std::span<const double> x) {
        static const Vector centre = mean();
        static const Matrix to_standard = decompositions::inverse(decompositions::cholesky_factor(covariance()));
        const Vector z = to_standard * (Eigen::Map<const Vector>(x.data(), 3) - centre);
        return {z(0),        z(1),        z(2),        z(0) * z(0), z(1) * z(1),
                z(2) * z(2), z(0) * z(1), z(0) * z(2), z(1) * z(2), z.norm() * z.squaredNorm() * z.norm()};
    }
    static std::vector<double> expectations() { return {0, 0, 0, 1, 1, 1, 0, 0, 0, 15}; }

  private:
    static Vector draw_from(random::Stream& stream, const Vector& mean, const Matrix& precision) {
        Vector z(3);
        for (double& value : z)
            value = stream.normal();
        return mean + decompositions::upper_solution(precision, z);
    }
};

/// f_b(x, y) = e^{-(x^4 + y^4)/4} at b = 1/2: E x^2 = 2 Gamma(3/4)/Gamma(1/4), E x^4 = 1.
struct Quartic {
    static constexpr double b = 0.5;
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const {
        draw(stream, x);
        for (double& value : x)
            value *= std::pow(2, 0.25);
    }
    double log_prior(std::span<const double> x) const { return -fourth_powers(x) / 8; }
    double log_likelihood(std::span<const double> x) const { return -fourth_powers(x) / 4; }
    void gradient(std::span<const double> x, double at, std::span<double> out) const {
        for (std::size_t j = 0; j < 2; ++j)
            out[j] = -(0.5 + at) * x[j] * x[j] * x[j];
    }

    static Vector mean() { return Vector::Zero(2); }
    static Matrix covariance() { return square() * Matrix::Identity(2, 2); }
    static void draw(random::Stream& stream, std::span<double> x) {
        for (double& value : x)
            value = (stream.bernoulli(0.5) ? 1 : -1) * std::pow(4 * stream.gamma(0.25), 0.25);
    }
    static std::vector<double> functions(std::span<const double> x) {
        return {x[0], x[1], x[0] * x[0], x[1] * x[1], x[0] * x[1], std::pow(x[0], 4), std::pow(x[1], 4)};
    }
    static std::vector<double> expectations() { return {0, 0, square(), square(), 0, 1, 1}; }

  private:
    static double fourth_powers(std::span<const double> x) { return std::pow(x[0], 4) + std::pow(x[1], 4); }
    static double square() { return 2 * std::tgamma(0.75) / std::tgamma(0.25); }
};

/// The row of a kernel that learnt another shape than the target's: wider, and of another correlation.
template <class Target>
Matrix learnt_row(Index moves, double scale, std::span<const double> extra = {}) {
    const Matrix covariance = 1.5 * Target::covariance() + 0.3 * Matrix(Target::covariance().diagonal().asDiagonal());
    const Shape shape{Target::mean(), decompositions::cholesky_factor(covariance)};
    const Index n = Shape::numbers(shape.dimension(), false);
    Matrix rows = Matrix::Zero(2, 2 + n + static_cast<Index>(extra.size()));
    std::vector<double> numbers(static_cast<std::size_t>(n));
    shape.write(numbers);
    numbers.insert(numbers.begin(), {static_cast<double>(moves), scale});
    numbers.insert(numbers.end(), extra.begin(), extra.end());
    rows.row(1) = Eigen::Map<const Vector>(numbers.data(), rows.cols()).transpose();
    return rows;
}

/// Kernels of the target by the row that they learnt.
using Make = std::function<std::unique_ptr<Kernel>(const DensityKernel::Path&, const MoveSettings&, const Matrix&)>;

struct Deviation {
    double largest = 0;    ///< |z| of an expectation after the moves
    double reversal = 0;   ///< |z| of E[g(x) h(x') - h(x) g(x')] over functions g, h
    double acceptance = 0; ///< share of accepted proposals
    double jump = 0;       ///< E(x' - x)^2/(2 Var x) of the first coordinate
};

/// The moves of a kernel on exact draws from p_b.
template <class Target>
Deviation deviation(const Make& make, Index moves, double scale, std::span<const double> extra = {}) {
    constexpr Index n = 20000, block_size = 400;
    const auto path = path::tempered(Target{});
    const auto d = static_cast<std::size_t>(path->dimension());
    const auto kernel = make(path, {.number = moves}, learnt_row<Target>(moves, scale, extra));
    const population::Generation empty(parallel::BlockLayout(0, 16, 1, 0), 0,
                                       [&](Index size) { return path->make_block(size); });
    kernel->adapt(parallel::Communicator::alone(), empty, 1);
    const auto expected = Target::expectations();
    const std::size_t m = expected.size();
    std::vector<double> sums(m), squares(m), reversal_sums(m * m), reversal_squares(m * m), derivative(block_size);
    Deviation result;
    double jumps = 0;
    for (Index first = 0; first < n; first += block_size) {
        const model::BlockStreams streams{
            .seed = 11, .step = 1, .generation = 0, .first_slot = first, .block = first / block_size};
        model::DensityBlock block(path->dimension(), block_size);
        for (Index i = 0; i < block_size; ++i) {
            random::Stream stream({29, random::Purpose::test, static_cast<std::uint64_t>(first + i), 0});
            Target::draw(stream, {block.points.col(i).data(), d});
        }
        path->evaluate(block, block.points, Target::b, block.log_prior, block.log_likelihood, streams);
        const Matrix before = block.points;
        result.acceptance += static_cast<double>(kernel->move(block, Target::b, streams, derivative));
        for (Index i = 0; i < block_size; ++i) {
            const auto g = Target::functions({before.col(i).data(), d});
            const auto h = Target::functions({block.points.col(i).data(), d});
            jumps += std::pow(block.points(0, i) - before(0, i), 2);
            for (std::size_t j = 0; j < m; ++j) {
                sums[j] += h[j] - expected[j];
                squares[j] += (h[j] - expected[j]) * (h[j] - expected[j]);
                for (std::size_t k = 0; k < j; ++k) {
                    const double flow = g[j] * h[k] - h[j] * g[k];
                    reversal_sums[j * m + k] += flow;
                    reversal_squares[j * m + k] += flow * flow;
                }
            }
        }
    }
    for (std::size_t j = 0; j < m; ++j) {
        result.largest = std::max(result.largest, std::abs(sums[j]) / std::sqrt(squares[j]));
        for (std::size_t k = 0; k < j; ++k)
            result.reversal = std::max(result.reversal, std::abs(reversal_sums[j * m + k]) /
                                                            std::sqrt(reversal_squares[j * m + k] + 1e-300));
    }
    result.acceptance /= static_cast<double>(n * moves);
    result.jump = jumps / (2 * static_cast<double>(n) * Target::covariance()(0, 0));
    return result;
}

/// Makes kernels of class K with these settings after the covariance.
template <class K, class... Settings>
Make maker(const Settings&... settings) {
    return [=](const DensityKernel::Path& path, const MoveSettings& moves, const Matrix& learnt) {
        return std::make_unique<K>(path, moves, &learnt, Covariance::full, settings...);
    };
}

/// The larger |z| of a kernel that is wrong.
template <class Target>
double of_twin(const Make& make, Index moves, double scale, const std::vector<double>& extra = {}) {
    const auto found = deviation<Target>(make, moves, scale, extra);
    return std::max(found.largest, found.reversal);
}

} // namespace pearlite::kernel::testing
