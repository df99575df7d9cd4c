#include "models/functions/test_functions.hpp"

#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include "models/functions/test_function_formulas.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models {
namespace {

using Kind = TestFunctionSettings::Kind;
using namespace test_function_formulas;
using std::numbers::pi;

static_assert(model::HasLaneEnergies<TestFunction> && model::HasEnergyGradient<TestFunction> &&
              model::HasKnownMinimum<TestFunction>);

/// The maximiser of z sin(sqrt z) in [0, 500]: s^2 at the root s of sin s + s cos(s) / 2 near sqrt(421), by Newton.
double schwefel_minimiser() {
    double s = std::sqrt(421.0);
    for (int step = 0; step < 6; ++step)
        s -= (std::sin(s) + 0.5 * s * std::cos(s)) / (1.5 * std::cos(s) - 0.5 * s * std::sin(s));
    return s * s;
}

/// The box and the minimiser, the same in every coordinate.
struct Range {
    double lower, upper, minimiser;
};

Range range_of(Kind kind) {
    switch (kind) {
    case Kind::rastrigin:
        return {-5.12, 5.12, 0};
    case Kind::ackley:
        return {-32.768, 32.768, 0};
    case Kind::griewank:
        return {-600, 600, 0};
    case Kind::schwefel:
        return {-schwefel::edge, schwefel::edge, schwefel_minimiser()};
    case Kind::rosenbrock:
        return {-5, 10, 1};
    case Kind::levy:
        return {-10, 10, 1};
    }
    PEARLITE_EXPECTS(false);
}

/// Calls use(f) with the function of z.
template <class Use>
void with_function(Kind kind, double schwefel_peak, Use use) {
    switch (kind) {
    case Kind::rastrigin:
        return use(Rastrigin{});
    case Kind::ackley:
        return use(Ackley{});
    case Kind::griewank:
        return use(Griewank{});
    case Kind::schwefel:
        return use(Schwefel{schwefel_peak});
    case Kind::rosenbrock:
        return use(Rosenbrock{});
    case Kind::levy:
        return use(Levy{});
    }
}

} // namespace

SalomonTurns salomon_turns(Index d, std::uint64_t seed) {
    PEARLITE_EXPECTS(d >= 1);
    random::Stream stream({seed, random::Purpose::synthetic_data, 0, 0});
    const auto n = static_cast<std::size_t>(d);
    SalomonTurns turns{std::vector<double>(n, 1.0), std::vector<double>(n, 0.0), std::vector<double>(n, 1.0),
                       std::vector<double>(n, 0.0)};
    const auto draw = [&](double& cosine, double& sine) {
        const double angle = stream.uniform(-pi / 4, pi / 4);
        cosine = std::cos(angle);
        sine = std::sin(angle);
    };
    for (std::size_t i = 1; i < n; ++i)
        draw(turns.first_cosine[i], turns.first_sine[i]);
    for (std::size_t i = 1; i + 1 < n; ++i)
        draw(turns.last_cosine[i], turns.last_sine[i]);
    return turns;
}

Matrix salomon_rotation(Index d, std::uint64_t seed) {
    const SalomonTurns turns = salomon_turns(d, seed);
    Matrix rotation = Matrix::Identity(d, d);
    const auto turn = [&](Index i, Index j, double cosine, double sine) {
        const Vector column = rotation.col(i);
        rotation.col(i) = cosine * column - sine * rotation.col(j);
        rotation.col(j) = sine * column + cosine * rotation.col(j);
    };
    for (Index i = 1; i < d; ++i)
        turn(0, i, turns.first_cosine[static_cast<std::size_t>(i)], turns.first_sine[static_cast<std::size_t>(i)]);
    for (Index i = 1; i + 1 < d; ++i)
        turn(i, d - 1, turns.last_cosine[static_cast<std::size_t>(i)], turns.last_sine[static_cast<std::size_t>(i)]);
    return rotation;
}

TestFunction::TestFunction(const TestFunctionSettings& settings) : settings_(settings) {
    const Index d = settings.dimension;
    const Index least = settings.kind == Kind::rosenbrock ? 2 : 1;
    if (d < least || d > largest_dimension) {
        throw InputError("test function: the dimension must be " + std::to_string(least) + " to " +
                         std::to_string(largest_dimension) + ", not " + std::to_string(d));
    }
    const auto n = static_cast<std::size_t>(d);
    const Range range = range_of(settings.kind);
    lower_.assign(n, range.lower);
    upper_.assign(n, range.upper);
    minimiser_.assign(n, range.minimiser);
    if (settings.kind == Kind::schwefel)
        schwefel_peak_ = minimiser_[0] * std::sin(std::sqrt(minimiser_[0]));
    if (settings.kind == Kind::griewank) {
        for (std::size_t i = 0; i < n; ++i)
            turns_.push_back(1 / (2 * pi * Griewank::root(i)));
    }
    if (settings.rotated) {
        salomon_ = salomon_turns(d, settings.seed);
        rotation_ = std::make_shared<const Matrix>(salomon_rotation(d, settings.seed));
    }
}

Matrix TestFunction::rotation() const {
    return settings_.rotated ? *rotation_ : Matrix::Identity(dimension(), dimension());
}

std::vector<double> TestFunction::turned(std::span<const double> x) const {
    PEARLITE_EXPECTS(static_cast<Index>(x.size()) == dimension());
    std::vector<double> z(x.begin(), x.end());
    if (settings_.rotated) {
        const double centre = minimiser_[0]; // the same in every coordinate
        std::fill(z.begin(), z.end(), centre);
        for (Index j = 0; j < dimension(); ++j) {
            for (Index i = 0; i < dimension(); ++i)
                z[static_cast<std::size_t>(i)] += (*rotation_)(i, j) * (x[static_cast<std::size_t>(j)] - centre);
        }
    }
    return z;
}

double TestFunction::energy(std::span<const double> x) const {
    const std::vector<double> z = turned(x);
    double energy = 0;
    with_function(settings_.kind, schwefel_peak_, [&](auto f) { energy = f.value(z); });
    return energy;
}

void TestFunction::gradient(std::span<const double> x, std::span<double> g) const {
    PEARLITE_EXPECTS(g.size() == x.size());
    const std::vector<double> z = turned(x);
    with_function(settings_.kind, schwefel_peak_, [&](auto f) { f.gradient(z, g); });
    if (settings_.rotated) {
        Eigen::Map<Vector> slope(g.data(), dimension());
        slope = (rotation_->transpose() * slope).eval();
    }
}

void TestFunction::energies(const model::LaneMatrix& points, std::span<double> out) const {
    PEARLITE_EXPECTS(points.rows() == dimension() && points.cols() == static_cast<Index>(out.size()) &&
                     points.cols() % lane_padding == 0);
    const detail::Turn turn{dimension(), settings_.rotated ? &salomon_ : nullptr, minimiser_[0]};
    const detail::FunctionData function{settings_.kind, turns_.data(), schwefel_peak_};
    simd::on_this_cpu([&](auto cpu) { detail::test_function_energies<decltype(cpu)>(function, turn, points, out); });
}

void TestFunction::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("test function");
    fingerprint.add(static_cast<double>(settings_.kind));
    fingerprint.add(static_cast<double>(settings_.dimension));
    const Matrix r = rotation();
    fingerprint.add(std::span<const double>(r.data(), static_cast<std::size_t>(r.size())));
}

} // namespace pearlite::models
