// A model of your own whose gradient is computed automatically (docs/own-models.md): the effects of eight schools
// (Rubin 1981), measured with known errors, drawn about a common mean.
//
//     mean ~ N(0, 5^2),  spread ~ half-normal(5),  effect_j = mean + spread z_j,  z_j ~ N(0, 1),  y_j ~ N(effect_j,
//     s_j^2)
//
// The two log densities are templates on their scalar: with double they are the densities, with the scalar of automatic
// differentiation they have derivatives.

#include "pearlite/app/custom_model.hpp"
#include "pearlite/model/automatic_gradient.hpp"

#include <array>
#include <cmath>
#include <numbers>

class Schools {
  public:
    // Points are (mean, log spread, z_1 .. z_8).
    std::vector<std::string> parameter_names() const {
        std::vector<std::string> names{"mean", "log_spread"};
        for (std::size_t j = 1; j <= effects.size(); ++j)
            names.push_back("z" + std::to_string(j));
        return names;
    }

    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        for (double& value : x)
            value = stream.normal();
        x[0] *= 5;
        x[1] = std::log(std::abs(5 * x[1]));
    }

    template <class T>
    T log_prior(std::span<const T> x) const {
        using std::exp; // the scalar's own functions are found beside these
        const T spread = exp(x[1]);
        T sum = log_normal(T(x[0] / 5)) - std::log(5) + log_normal(T(spread / 5)) + std::log(2.0 / 5) + x[1];
        for (const T& z : x.subspan(2))
            sum += log_normal(z);
        return sum;
    }

    template <class T>
    T log_likelihood(std::span<const T> x) const {
        using std::exp;
        const T spread = exp(x[1]);
        T sum = 0;
        for (std::size_t j = 0; j < effects.size(); ++j)
            sum += log_normal(T((effects[j] - x[0] - spread * x[2 + j]) / errors[j])) - std::log(errors[j]);
        return sum;
    }

    // Reported in place of the coordinates.
    std::vector<std::string> quantity_names() const {
        std::vector<std::string> names{"mean", "spread"};
        for (std::size_t j = 1; j <= effects.size(); ++j)
            names.push_back("effect" + std::to_string(j));
        return names;
    }
    void quantities(std::span<const double> x, std::span<double> out) const {
        out[0] = x[0];
        out[1] = std::exp(x[1]);
        for (std::size_t j = 0; j < effects.size(); ++j)
            out[2 + j] = out[0] + out[1] * x[2 + j];
    }

    void fingerprint(pearlite::model::Fingerprint& fingerprint) const {
        fingerprint.add(effects);
        fingerprint.add(errors);
    }

  private:
    static constexpr std::array<double, 8> effects{28, 8, -3, 7, -1, 1, 18, 12}, errors{15, 10, 16, 11, 9, 11, 10, 18};

    template <class T>
    static T log_normal(const T& z) {
        return -0.5 * z * z - 0.5 * std::log(2 * std::numbers::pi);
    }
};

int main(int argc, char** argv) {
    using Model = pearlite::model::AutomaticGradient<Schools>;
    return pearlite::app::main(argc, argv,
                               {pearlite::app::custom_model<Model>("schools", "the effects of eight schools")});
}
