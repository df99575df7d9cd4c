// Evidences by Riemannian Hamiltonian Monte Carlo against exact ones.
#include "algorithm/smc/smc.hpp"
#include "kernel/trajectory/riemannian.hpp"
#include "models/regression/regression.hpp"
#include "pearlite/path/tempered.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pearlite::algorithm {
namespace {

models::LinearRegression simulated_regression() {
    random::Stream stream({41, random::Purpose::test, 0, 0});
    const auto normals = [&](Index rows, Index columns) {
        return Matrix(Matrix::NullaryExpr(rows, columns, [&](Index, Index) { return stream.normal(); }));
    };
    models::LinearRegressionData data;
    data.design = normals(30, 3);
    data.design.col(0).setOnes();
    data.response = data.design * Vector{{1.0, -2.0, 0.5}} + 0.7 * normals(30, 1);
    data.names = {"a", "b", "c"};
    data.prior_mean = Vector::Zero(3);
    data.prior_precision = Vector::Constant(3, 0.1);
    data.precision_shape = 2;
    data.precision_rate = 1;
    return models::LinearRegression(data);
}

Smc finished_run(const std::shared_ptr<const path::DensityPath>& path, const kernel::Kernel& kernel,
                 std::uint64_t seed) {
    Smc run(parallel::Communicator::alone(), path, path::geometric_schedule(20, 1, 1e-3), kernel, {192, 16, seed}, {});
    run.begin();
    while (!run.finished())
        run.step();
    return run;
}

// Z is unbiased with the settings of a pilot. 24 replicates: Student's t with 23 degrees of freedom is beyond 4.6 once
// in 10^4.
TEST(Riemannian, EvidenceOfALinearRegression) {
    const auto regression = simulated_regression();
    const auto path = path::tempered(regression);
    const auto pilot = finished_run(path, kernel::Riemannian(path, {}), 1);
    const Matrix learnt = pilot.kernel()->learnt();
    const kernel::Riemannian kernel(path, {}, &learnt);
    constexpr Index n = 24;
    Vector ratios(n);
    for (Index r = 0; r < n; ++r)
        ratios(r) = std::exp(finished_run(path, kernel, static_cast<std::uint64_t>(2 + r)).log_ratio() -
                             *regression.exact_log_ratio());
    const double mean = ratios.mean();
    const double error = std::sqrt((ratios.array() - mean).square().sum() / static_cast<double>(n * (n - 1)));
    EXPECT_LT(std::abs(mean - 1), 4.6 * error);
    EXPECT_LT(error, 0.08);
    // The step size has found the wanted acceptance.
    const auto& acceptance = pilot.trace().acceptance;
    for (std::size_t t = acceptance.size() - 5; t < acceptance.size(); ++t)
        EXPECT_NEAR(acceptance[t], 0.8, 0.15);
}

} // namespace
} // namespace pearlite::algorithm
