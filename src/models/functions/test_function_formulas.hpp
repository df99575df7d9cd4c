#pragma once
/// The test functions as formulas, one point at a time: f(z) and its gradient. The minimum of each is 0. Internal to
/// the layer.

#include "models/functions/test_functions_lanes.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace pearlite::models::test_function_formulas {

using std::numbers::e;
using std::numbers::pi;

inline double square(double x) {
    return x * x;
}

struct Rastrigin {
    static double value(std::span<const double> z) {
        double sum = 0;
        for (const double y : z)
            sum += y * y + 20 * square(std::sin(pi * std::remainder(y, 1.0))); // 10 - 10 cos(2 pi y), exactly 0 at 0
        return sum;
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        for (std::size_t i = 0; i < z.size(); ++i)
            g[i] = 2 * z[i] + 20 * pi * std::sin(2 * pi * std::remainder(z[i], 1.0));
    }
};

struct Ackley {
    struct Means {
        double root_mean_square = 0, cosine = 0;
    };
    static Means means(std::span<const double> z) {
        Means means;
        for (const double y : z) {
            means.root_mean_square += y * y;
            means.cosine += std::cos(2 * pi * y);
        }
        const auto n = static_cast<double>(z.size());
        return {std::sqrt(means.root_mean_square / n), means.cosine / n};
    }
    static double value(std::span<const double> z) {
        const Means m = means(z);
        return 20 * (1 - std::exp(-0.2 * m.root_mean_square)) + (e - std::exp(m.cosine));
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        const auto n = static_cast<double>(z.size());
        const Means m = means(z);
        const double slope =
            m.root_mean_square > 0 ? 4 * std::exp(-0.2 * m.root_mean_square) / (n * m.root_mean_square) : 0;
        for (std::size_t i = 0; i < z.size(); ++i)
            g[i] = slope * z[i] + std::exp(m.cosine) * 2 * pi / n * std::sin(2 * pi * z[i]);
    }
};

struct Griewank {
    static double root(std::size_t i) { return std::sqrt(static_cast<double>(i + 1)); }
    static double value(std::span<const double> z) {
        double sum = 0;
        double product = 1;
        for (std::size_t i = 0; i < z.size(); ++i) {
            sum += z[i] * z[i];
            product *= std::cos(z[i] / root(i));
        }
        return sum / 4000 + (1 - product);
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        // Products of the cosines before and after i: dividing by the i-th would fail where it is 0.
        double before = 1;
        for (std::size_t i = 0; i < z.size(); ++i) {
            g[i] = before;
            before *= std::cos(z[i] / root(i));
        }
        double after = 1;
        for (std::size_t i = z.size(); i-- > 0;) {
            g[i] = z[i] / 2000 + g[i] * after * std::sin(z[i] / root(i)) / root(i);
            after *= std::cos(z[i] / root(i));
        }
    }
};

struct Schwefel {
    double peak;
    double value(std::span<const double> z) const {
        double sum = 0;
        for (const double y : z) {
            const double inside = std::clamp(y, -schwefel::edge, schwefel::edge);
            sum += peak - inside * std::sin(std::sqrt(std::abs(inside))) + schwefel::curvature * square(y - inside);
        }
        return sum;
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        for (std::size_t i = 0; i < z.size(); ++i) {
            const double beyond = z[i] - std::clamp(z[i], -schwefel::edge, schwefel::edge);
            const double s = std::sqrt(std::abs(z[i]));
            g[i] = beyond != 0 ? 2 * schwefel::curvature * beyond : -(std::sin(s) + 0.5 * s * std::cos(s));
        }
    }
};

struct Rosenbrock {
    static double value(std::span<const double> z) {
        double sum = 0;
        for (std::size_t i = 0; i + 1 < z.size(); ++i)
            sum += 100 * square(z[i + 1] - z[i] * z[i]) + square(z[i] - 1);
        return sum;
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        std::fill(g.begin(), g.end(), 0.0);
        for (std::size_t i = 0; i + 1 < z.size(); ++i) {
            const double valley = 200 * (z[i + 1] - z[i] * z[i]);
            g[i] += 2 * (z[i] - 1) - 2 * z[i] * valley;
            g[i + 1] += valley;
        }
    }
};

struct Levy {
    static double value(std::span<const double> z) {
        const auto w = [z](std::size_t i) { return 1 + (z[i] - 1) / 4; };
        const std::size_t last = z.size() - 1;
        double sum = square(std::sin(pi * std::remainder(w(0), 1.0)));
        for (std::size_t i = 0; i < last; ++i)
            sum += square(w(i) - 1) * (1 + 10 * square(std::sin(pi * w(i) + 1)));
        return sum + square(w(last) - 1) * (1 + square(std::sin(2 * pi * std::remainder(w(last), 0.5))));
    }
    static void gradient(std::span<const double> z, std::span<double> g) {
        const std::size_t last = z.size() - 1;
        for (std::size_t i = 0; i <= last; ++i) {
            const double w = 1 + (z[i] - 1) / 4;
            const double angle = i < last ? pi * w + 1 : 2 * pi * w;
            const double height = i < last ? 10 : 1;
            const double rate = i < last ? pi : 2 * pi;
            const double slope = 2 * (w - 1) * (1 + height * square(std::sin(angle))) +
                                 square(w - 1) * height * rate * std::sin(2 * angle) +
                                 (i == 0 ? pi * std::sin(2 * pi * w) : 0);
            g[i] = slope / 4;
        }
    }
};

} // namespace pearlite::models::test_function_formulas
