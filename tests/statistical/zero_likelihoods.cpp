// The pearlite command with models whose likelihood is zero nearly everywhere, or the same, and an energy that is
// infinite nearly everywhere.
#include "pearlite/app/custom_energy.hpp"
#include "pearlite/app/custom_model.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace {

using pearlite::Index;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A uniform prior in the cube [0, 1]^d.
template <int d>
class Cube {
  public:
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names;
        for (int k = 1; k <= d; ++k)
            names.push_back("x" + std::to_string(k));
        return names;
    }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.uniform();
    }
    double log_prior(std::span<const double> x) const {
        for (const double value : x)
            if (!(value >= 0 && value <= 1))
                return -infinity;
        return 0;
    }

  protected:
    /// Whether x is in the cube with this corner and side.
    static bool is_in(std::span<const double> x, double corner, double side) {
        for (const double value : x)
            if (!(value >= corner && value < corner + side))
                return false;
        return true;
    }
};

/// Likelihoods 1 and 3 in two cubes that are 0.4 % of the prior.
class TwoBoxes : public Cube<5> {
  public:
    double log_likelihood(std::span<const double> x) const {
        return is_in(x, 0.05, side_) ? 0 : is_in(x, 0.6, side_) ? std::log(3.0) : -infinity;
    }
    std::optional<double> exact_log_ratio() const { return std::log(4 * share); }

  private:
    static constexpr double share = 0.002; ///< of a cube
    double side_ = std::pow(share, 0.2);
};

/// A likelihood that is positive on 0.1 % of the prior, and falls there to e^-2 in each of ten directions.
class ThinBox : public Cube<10> {
  public:
    double log_likelihood(std::span<const double> x) const {
        if (!is_in(x, 0.2, side_))
            return -infinity;
        double sum = 0;
        for (const double value : x)
            sum += value - 0.2;
        return -2 * sum / side_;
    }
    std::optional<double> exact_log_ratio() const { return 10 * std::log(side_ * -std::expm1(-2.0) / 2); }

  private:
    double side_ = std::pow(0.001, 0.1);
};

/// A likelihood of zero everywhere.
class Nothing : public Cube<2> {
  public:
    double log_likelihood(std::span<const double> /*x*/) const { return -infinity; }
};

/// The same likelihood everywhere.
class Flat : public Cube<3> {
  public:
    double log_likelihood(std::span<const double> /*x*/) const { return -3.5; }
    std::optional<double> exact_log_ratio() const { return -3.5; }
};

/// A slot |x1 - x2| < width in a square, in which the energy is x1^2; infinite beyond.
class Slot {
  public:
    explicit Slot(pearlite::io::Section& section) : width_(section.number("width", 0.001, {.low = 0})) {}
    Index dimension() const { return 2; }
    double energy(std::span<const double> x) const { return std::abs(x[0] - x[1]) < width_ ? x[0] * x[0] : infinity; }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const { fingerprint.add(width_); }

  private:
    double width_;
    std::array<double, 2> lower_{-5, -5}, upper_{5, 5};
};

} // namespace

int main(int argc, char** argv) {
    using pearlite::app::custom_model;
    auto models = pearlite::app::built_in_models();
    models.push_back(custom_model<TwoBoxes>("two-boxes", "two cubes in 5 dimensions"));
    models.push_back(custom_model<ThinBox>("thin-box", "a cube of 0.1 % in 10 dimensions"));
    models.push_back(custom_model<Nothing>("nothing", "a likelihood of zero"));
    models.push_back(custom_model<Flat>("flat", "the same likelihood everywhere"));
    models.push_back(pearlite::app::custom_energy<Slot>("slot", "a slot in a square"));
    return pearlite::app::main(argc, argv, models);
}
