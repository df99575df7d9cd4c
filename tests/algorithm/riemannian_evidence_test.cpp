// Evidences by Riemannian Hamiltonian Monte Carlo against exact ones.
#include "algorithm/smc/smc.hpp"
#include "kernel/trajectory/riemannian.hpp"
#include "models/regression/linear_regression.hpp"
#include "path/bridge/bridged_density.hpp"
#include "path/bridge/reference_fits.hpp"
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
                 random::Seed seed) {
    Smc run(parallel::Communicator::alone(), path, path::geometric_schedule(20, 1, 1e-3), kernel, {192, 16, seed}, {});
    run.begin();
    while (!run.finished())
        run.step();
    return run;
}

struct Ratio {
    double mean, error; ///< of Z over its exact value
};

/// By the settings of a pilot, so that Z is unbiased, from 24 replicates; and that the step size has found the wanted
/// acceptance.
Ratio ratio_of_evidence(const std::shared_ptr<const path::DensityPath>& path, double exact_log_ratio) {
    auto pilot = finished_run(path, kernel::Riemannian(path, {}), 1);
    const Matrix learnt = pilot.found().learnt();
    const kernel::Riemannian kernel(path, {}, &learnt);
    constexpr Index n = 24;
    Vector ratios(n);
    for (Index r = 0; r < n; ++r)
        ratios(r) =
            std::exp(finished_run(path, kernel, static_cast<std::uint64_t>(2 + r)).log_ratio() - exact_log_ratio);
    const auto& acceptance = pilot.trace().acceptance;
    for (std::size_t t = acceptance.size() - 5; t < acceptance.size(); ++t)
        EXPECT_NEAR(acceptance[t], 0.8, 0.15);
    const double mean = ratios.mean();
    return {mean, std::sqrt((ratios.array() - mean).square().sum() / static_cast<double>(n * (n - 1)))};
}

// Student's t with 23 degrees of freedom is beyond 4.6 once in 10^4.
TEST(Riemannian, EvidenceOfALinearRegression) {
    const auto regression = simulated_regression();
    const auto ratio = ratio_of_evidence(path::tempered(regression), *regression.exact_log_ratio());
    EXPECT_LT(std::abs(ratio.mean - 1), 4.6 * ratio.error);
    EXPECT_LT(ratio.error, 0.08);
}

// From a fitted Student reference, by the metric of the bridge.
TEST(Riemannian, EvidenceOverABridge) {
    const auto regression = simulated_regression();
    const auto density = std::make_shared<const model::DensityOf<models::LinearRegression>>(regression);
    auto fitted = path::fit_by_laplace(*density, {.starts = 3, .seed = 5, .df = 7});
    const auto bridge = std::make_shared<const path::Tempered>(std::make_shared<const path::BridgedDensity>(
        density, std::make_shared<const random::StudentMixture>(std::move(fitted.mixture))));
    const auto ratio = ratio_of_evidence(bridge, *bridge->exact_log_ratio(1));
    EXPECT_LT(std::abs(ratio.mean - 1), 4.6 * ratio.error);
    EXPECT_LT(ratio.error, 0.02);
}

} // namespace
} // namespace pearlite::algorithm
