// The pearlite command with additional models of known evidence: difficult shapes of users' problems, without
// gradients.
#include "pearlite/app/custom_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace {

using pearlite::Index;

/// log N(x; 0, sd^2). The logarithm of sd is taken once.
class LogNormal {
  public:
    explicit LogNormal(double sd)
        : scale_(-0.5 / (sd * sd)), constant_(-std::log(sd) - 0.5 * std::log(2 * std::numbers::pi)) {}
    double operator()(double x) const { return scale_ * x * x + constant_; }

  private:
    double scale_, constant_;
};

double log_normal(double x, double sd) {
    return LogNormal(sd)(x);
}

/// x1, x2, ... of a name x.
std::vector<std::string> numbered(const std::string& name, Index n) {
    std::vector<std::string> names;
    for (Index k = 1; k <= n; ++k)
        names.push_back(name + std::to_string(k));
    return names;
}

/// The prior of several densities: independent normal distributions of mean 0 about the origin.
class WidePrior {
  public:
    WidePrior(Index dimension, double sd, double first_sd)
        : dimension_(dimension), sd_(sd), first_sd_(first_sd), log_first_(first_sd), log_other_(sd) {}

    std::vector<std::string> parameter_names() const { return numbered("x", dimension_); }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = sd_ * stream.normal();
        x[0] *= first_sd_ / sd_;
    }
    double log_prior(std::span<const double> x) const {
        double sum = log_first_(x[0]);
        for (const double value : x.subspan(1))
            sum += log_other_(value);
        return sum;
    }

  protected:
    double sd() const { return sd_; }
    /// The log prior of each coordinate except the first.
    const LogNormal& log_other() const { return log_other_; }

  private:
    Index dimension_;
    double sd_, first_sd_;
    LogNormal log_first_, log_other_;
};

/// The posterior is Neal's funnel (2003): v ~ N(0, 3^2), nine x_i ~ N(0, e^v). log Z = 0.
class Funnel : public WidePrior {
  public:
    Funnel() : WidePrior(10, 10, 3) {}
    double log_likelihood(std::span<const double> x) const {
        const LogNormal log_neck(std::exp(x[0] / 2));
        double sum = 0;
        for (const double value : x.subspan(1))
            sum += log_neck(value) - log_other()(value);
        return sum;
    }
    std::optional<double> exact_log_ratio() const { return 0; }
};

/// The posterior is the banana of Haario, Saksman & Tamminen (1999) in 20 dimensions: N(0, diag(100, 1, ..., 1)), bent
/// by x_2 -> x_2 + 0.03 x_1^2 - 3. log Z = 0.
class Banana : public WidePrior {
  public:
    Banana() : WidePrior(20, 10, 20) {}
    double log_likelihood(std::span<const double> x) const {
        double sum = log_bent_(x[0]) + log_unit_(x[1] + 0.03 * x[0] * x[0] - 3);
        for (const double value : x.subspan(2))
            sum += log_unit_(value);
        return sum - log_prior(x);
    }
    std::optional<double> exact_log_ratio() const { return 0; }

  private:
    LogNormal log_bent_{10}, log_unit_{1};
};

/// The likelihood has two normal peaks in four dimensions, with a tenth and nine tenths of the mass.
class TwoPeaks : public WidePrior {
  public:
    /// Standard deviations of the peaks.
    explicit TwoPeaks(double minor = 0.5, double major = 0.5)
        : WidePrior(4, 5, 5), minor_(minor), major_(major), log_minor_(minor), log_major_(major) {}
    double log_likelihood(std::span<const double> x) const {
        double minor = log_tenth, major = log_nine_tenths;
        for (const double value : x) {
            minor += log_minor_(value + centre);
            major += log_major_(value - centre);
        }
        return std::max(minor, major) + std::log1p(std::exp(-std::abs(minor - major)));
    }
    std::optional<double> exact_log_ratio() const {
        const auto under_prior = [&](double width) {
            return std::exp(4 * log_normal(centre, std::hypot(sd(), width)));
        };
        return std::log(0.1 * under_prior(minor_) + 0.9 * under_prior(major_));
    }

  private:
    static constexpr double centre = 3;
    static inline const double log_tenth = std::log(0.1), log_nine_tenths = std::log(0.9);
    double minor_, major_;
    LogNormal log_minor_, log_major_;
};

/// The peak of nine tenths is so narrow that few particles find it.
class UnequalPeaks : public TwoPeaks {
  public:
    UnequalPeaks() : TwoPeaks(0.8, 0.25) {}
};

/// The posterior has the tails of Student's t distribution with three degrees of freedom in each of ten directions;
/// those of the prior are lighter. log Z = 0.
class StudentTails : public WidePrior {
  public:
    StudentTails() : WidePrior(10, 10, 10) {}
    double log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (const double value : x)
            sum += log_scale_ - 2 * std::log1p(value * value / 3) - log_other()(value);
        return sum;
    }
    std::optional<double> exact_log_ratio() const { return 0; }

  private:
    double log_scale_ = std::log(2 / (std::sqrt(3) * std::numbers::pi));
};

/// A uniform prior in a cube.
class Cube {
  public:
    Cube(Index dimension, double low, double high) : dimension_(dimension), low_(low), high_(high) {}
    std::vector<std::string> parameter_names() const { return numbered("x", dimension_); }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = low_ + (high_ - low_) * stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        for (const double value : x)
            if (!(value >= low_ && value <= high_))
                return -std::numeric_limits<double>::infinity();
        return -static_cast<double>(dimension_) * std::log(high_ - low_);
    }

  private:
    Index dimension_;
    double low_, high_;
};

/// The posterior sits in a corner of the cube [0, 1]^10: exponential distributions of scale 0.01.
class Corner : public Cube {
  public:
    Corner() : Cube(10, 0, 1) {}
    double log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (const double value : x)
            sum += value;
        return -sum / scale;
    }
    std::optional<double> exact_log_ratio() const { return 10 * std::log(scale * -std::expm1(-1 / scale)); }

  private:
    static constexpr double scale = 0.01;
};

/// Two thin shells in five dimensions (Feroz, Hobson & Bridges 2009): radius 2, width 0.1, centres 7 apart, in a cube.
class Shells : public Cube {
  public:
    Shells() : Cube(5, -6, 6) {}
    double log_likelihood(std::span<const double> x) const {
        double of_others = 0;
        for (const double value : x.subspan(1))
            of_others += value * value;
        const auto shell = [&](double centre) {
            return log_normal(std::hypot(x[0] - centre, std::sqrt(of_others)) - radius, width);
        };
        const double left = shell(-3.5), right = shell(3.5);
        return std::max(left, right) + std::log1p(std::exp(-std::abs(left - right)));
    }
    /// The sphere of radius r has the surface (8/3) pi^2 r^4; both shells lie in the cube.
    std::optional<double> exact_log_ratio() const {
        double total = 0;
        constexpr double step = 0.001;
        for (double r = 1; r <= 3; r += step)
            total += step * std::pow(r, 4) * std::exp(log_normal(r - radius, width));
        return std::log(2 * total * 8 / 3 * std::numbers::pi * std::numbers::pi) - 5 * std::log(12.0);
    }

  private:
    static constexpr double radius = 2, width = 0.1;
};

/// Counts of 112 years whose rate changes at an unknown time: rates ~ Gamma(2, 1) and a time ~ U(0, 112), within the
/// years of which the likelihood is constant. Points are (earlier rate, later rate, time).
class ChangePoint {
  public:
    ChangePoint() {
        for (int year = 0; year < years; ++year) {
            const int count =
                static_cast<int>((year < 40 ? 3.1 : 0.9) * 2 * std::pow(std::sin(1 + year * year), 2) + 0.5);
            so_far_[static_cast<std::size_t>(year) + 1] = so_far_[static_cast<std::size_t>(year)] + count;
            log_factorials_ += std::lgamma(count + 1.0);
        }
    }
    std::vector<std::string> parameter_names() const { return {"earlier", "later", "time"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (std::size_t k = 0; k < 2; ++k)
            x[k] = -std::log(stream.uniform() * stream.uniform());
        x[2] = years * stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        if (!(x[0] > 0 && x[1] > 0 && x[2] >= 0 && x[2] < years))
            return -std::numeric_limits<double>::infinity();
        return std::log(x[0]) - x[0] + std::log(x[1]) - x[1] - std::log(years);
    }
    double log_likelihood(std::span<const double> x) const {
        const double year = std::floor(x[2]), before = so_far_[static_cast<std::size_t>(year)];
        return before * std::log(x[0]) - year * x[0] + (so_far_.back() - before) * std::log(x[1]) -
               (years - year) * x[1] - log_factorials_;
    }
    /// Given the year, the rates integrate to gamma functions.
    std::optional<double> exact_log_ratio() const {
        const auto part = [](double counts, double n) {
            return std::lgamma(counts + 2) - (counts + 2) * std::log(1 + n);
        };
        std::array<double, years> logs{};
        for (int year = 0; year < years; ++year) {
            const double before = so_far_[static_cast<std::size_t>(year)];
            logs[static_cast<std::size_t>(year)] = part(before, year) + part(so_far_.back() - before, years - year);
        }
        const double largest = *std::max_element(logs.begin(), logs.end());
        double total = 0;
        for (const double value : logs)
            total += std::exp(value - largest);
        return largest + std::log(total / years) - log_factorials_;
    }

  private:
    static constexpr int years = 112;
    std::array<double, years + 1> so_far_{};
    double log_factorials_ = 0;
};

/// The effects of eight schools (Rubin 1981): mean ~ N(0, 5^2), spread ~ half-normal(5), effect_j = mean + spread z_j.
/// Points are (mean, log spread, z_1 .. z_8).
class Schools {
  public:
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names = numbered("z", static_cast<Index>(effects.size()));
        names.insert(names.begin(), {"mean", "log_spread"});
        return names;
    }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.normal();
        x[0] *= 5;
        x[1] = std::log(std::abs(5 * x[1]));
    }
    double log_prior(std::span<const double> x) const {
        double sum = log_normal(x[0], 5) + log_normal(std::exp(x[1]), 5) + std::log(2.0) + x[1];
        for (const double z : x.subspan(2))
            sum += log_normal(z, 1);
        return sum;
    }
    double log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (std::size_t j = 0; j < effects.size(); ++j)
            sum += log_normal(effects[j] - x[0] - std::exp(x[1]) * x[2 + j], errors[j]);
        return sum;
    }
    /// The z integrate to y_j ~ N(mean, spread^2 + s_j^2); the trapezoidal rule does the rest.
    std::optional<double> exact_log_ratio() const {
        double total = 0;
        for (double mean = -40; mean <= 40; mean += 0.05)
            for (double log_spread = -12; log_spread <= 4; log_spread += 0.02) {
                const double spread = std::exp(log_spread);
                double sum = log_normal(mean, 5) + log_normal(spread, 5) + std::log(2.0) + log_spread;
                for (std::size_t j = 0; j < effects.size(); ++j)
                    sum += log_normal(effects[j] - mean, std::hypot(spread, errors[j]));
                total += std::exp(sum);
            }
        return std::log(total * 0.05 * 0.02);
    }

  private:
    static constexpr std::array<double, 8> effects{28, 8, -3, 7, -1, 1, 18, 12}, errors{15, 10, 16, 11, 9, 11, 10, 18};
};

/// A line through fifty points with an unknown error, as in the Python tutorial: y_i ~ N(a + b x_i, sd^2), priors
/// a, b ~ N(0, 5^2) and log sd ~ N(-1, 1). Where sd is small, a and b have less room.
class Line {
  public:
    Line() {
        for (int i = 0; i < n; ++i) {
            const double x = (2.0 * i - (n - 1)) / (n - 1), y = 1 + 2 * x + 0.42 * std::sin(i * i);
            xx_ += x * x;
            y_ += y;
            xy_ += x * y;
            yy_ += y * y;
        }
    }
    std::vector<std::string> parameter_names() const { return {"a", "b", "log_sd"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        x[0] = 5 * stream.normal();
        x[1] = 5 * stream.normal();
        x[2] = -1 + stream.normal();
    }
    double log_prior(std::span<const double> x) const {
        return log_normal(x[0], 5) + log_normal(x[1], 5) + log_normal(x[2] + 1, 1);
    }
    double log_likelihood(std::span<const double> x) const { // the x_i add up to 0
        const double squares = yy_ - 2 * (x[0] * y_ + x[1] * xy_) + n * x[0] * x[0] + xx_ * x[1] * x[1];
        return -0.5 * squares * std::exp(-2 * x[2]) - n * (x[2] + 0.5 * std::log(2 * std::numbers::pi));
    }
    /// Given sd, mean, slope and residuals of y are independent and normal; the trapezoidal rule does the rest.
    std::optional<double> exact_log_ratio() const {
        double total = 0;
        for (double log_sd = -8; log_sd <= 6; log_sd += 0.002) {
            const double error = std::exp(2 * log_sd), mean = error + 25 * n, slope = error + 25 * xx_;
            const double of_mean = y_ * y_ / n, of_slope = xy_ * xy_ / xx_;
            const double squares = (yy_ - of_mean - of_slope) / error + of_mean / mean + of_slope / slope;
            const double log_determinant = (n - 2) * 2 * log_sd + std::log(mean) + std::log(slope);
            total += std::exp(log_normal(log_sd + 1, 1) - 0.5 * (squares + log_determinant));
        }
        return std::log(total * 0.002) - 0.5 * n * std::log(2 * std::numbers::pi);
    }

  private:
    static constexpr int n = 50;
    double xx_ = 0, y_ = 0, xy_ = 0, yy_ = 0;
};

} // namespace

int main(int argc, char** argv) {
    using pearlite::app::custom_model;
    auto models = pearlite::app::built_in_models();
    models.push_back(custom_model<Funnel>("funnel", "Neal's funnel in 10 dimensions"));
    models.push_back(custom_model<Banana>("banana", "a bent normal distribution in 20 dimensions"));
    models.push_back(custom_model<TwoPeaks>("two-peaks", "two peaks of unequal mass in 4 dimensions"));
    models.push_back(custom_model<UnequalPeaks>("unequal-peaks", "two peaks of unequal mass and width"));
    models.push_back(custom_model<StudentTails>("student-tails", "tails of Student's t in 10 dimensions"));
    models.push_back(custom_model<Corner>("corner", "a corner of a cube in 10 dimensions"));
    models.push_back(custom_model<Shells>("shells", "two thin shells in 5 dimensions"));
    models.push_back(custom_model<ChangePoint>("change-point", "counts whose rate changes at an unknown time"));
    models.push_back(custom_model<Schools>("schools", "the effects of eight schools"));
    models.push_back(custom_model<Line>("line", "a line through fifty points with an unknown error"));
    return pearlite::app::main(argc, argv, models);
}
