// A user's model whose gradient has one wrong sign, which `check` must report.
#include "pearlite/app/custom_model.hpp"

struct Wrong {
    std::vector<std::string> parameter_names() const { return {"x", "y"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const {
        x[0] = stream.normal();
        x[1] = stream.normal();
    }
    double log_prior(std::span<const double> x) const { return -0.5 * (x[0] * x[0] + x[1] * x[1]); }
    double log_likelihood(std::span<const double> x) const { return -2 * (x[0] - 1) * (x[0] - 1) - x[1] * x[0]; }
    void gradient(std::span<const double> x, double b, std::span<double> out) const {
        out[0] = -x[0] - b * (4 * (x[0] - 1) + x[1]);
        out[1] = -x[1] + b * x[0]; // - b x
    }
};

int main(int argc, char** argv) {
    return pearlite::app::main(argc, argv,
                               {pearlite::app::custom_model<Wrong>("wrong", "a gradient with one wrong sign")});
}
