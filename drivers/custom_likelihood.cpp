// A model of your own whose likelihood can only be estimated, in one file (docs/own-models.md walks through it):
// measurements of quantities that differ from the quantity of interest.
//
//     theta ~ N(0, prior_sd^2);   v_j | theta ~ N(theta, spread^2);   y_j | v_j ~ N(v_j, noise^2), j = 1 .. n
//
// p(y | theta) is an integral over the v_j, here estimated by averages over draws of them. (It is known, so that the
// answer can be checked.)

#include "pearlite/app/custom_model.hpp"

#include <cmath>
#include <numbers>

using pearlite::Index;

class Measurements {
  public:
    explicit Measurements(pearlite::io::Section& section)
        : y_(section.numbers("values", std::vector<double>{0.3, 1.9, -0.4, 1.2, 2.4, 0.8})),
          prior_sd_(section.number("prior_sd", 2.0, {.low = 0, .open_low = true})),
          spread_(section.number("spread", 1.0, {.low = 0, .open_low = true})),
          noise_(section.number("noise", 0.7, {.low = 0, .open_low = true})),
          particles_(section.integer("particles", 32, {.low = 1})) {}

    std::vector<std::string> parameter_names() const { return {"theta"}; }
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = prior_sd_ * stream.normal(); }

    // For each point, a column of `points`: the log prior, and the log of an estimate of the likelihood. The estimate,
    // not its logarithm, must be without bias, and all its randomness must come from the point's stream.
    void estimate(const pearlite::Matrix& points, const pearlite::model::BlockStreams& streams,
                  std::span<double> log_prior, std::span<double> log_likelihood) const {
        for (std::size_t i = 0; i < log_prior.size(); ++i) {
            const auto column = static_cast<Index>(i);
            pearlite::random::Stream stream(streams.at(pearlite::model::likelihood_draws, column));
            const double theta = points(0, column);
            log_prior[i] = log_normal(theta, prior_sd_);
            log_likelihood[i] = 0;
            for (const double y : y_) { // factors with draws of their own: the product has no bias either
                double sum = 0;
                for (Index k = 0; k < particles_; ++k)
                    sum += std::exp(log_normal(y - theta - spread_ * stream.normal(), noise_));
                log_likelihood[i] += std::log(sum / static_cast<double>(particles_));
            }
        }
    }

    // Optional: the number of draws of an estimate, and its key. The command tune chooses this number.
    static constexpr const char* particles_key = "particles";
    Index particles() const { return particles_; }
    void set_particles(Index n) { particles_ = n; }

    // Optional: the exact log likelihood, for comparison.
    double exact_log_likelihood(std::span<const double> x) const {
        double sum = 0;
        for (const double y : y_)
            sum += log_normal(y - x[0], std::hypot(spread_, noise_));
        return sum;
    }

    // Optional: the known answer, log evidence: n measurements of sd s are one of their mean of sd s / sqrt(n), whose
    // own prior is N(0, prior_sd^2).
    std::optional<double> exact_log_ratio() const {
        const auto n = static_cast<double>(y_.size());
        double mean = 0;
        for (const double y : y_)
            mean += y / n;
        const double sd_of_mean = std::hypot(spread_, noise_) / std::sqrt(n);
        const double at_mean[] = {mean};
        return exact_log_likelihood(at_mean) - log_normal(0, sd_of_mean) +
               log_normal(mean, std::hypot(prior_sd_, sd_of_mean));
    }

    void fingerprint(pearlite::model::Fingerprint& fingerprint) const {
        fingerprint.add(std::span<const double>(y_));
        for (const double value : {prior_sd_, spread_, noise_})
            fingerprint.add(value);
        fingerprint.add(static_cast<double>(particles_));
    }

  private:
    static double log_normal(double x, double sd) {
        return -0.5 * (x / sd) * (x / sd) - std::log(sd * std::sqrt(2 * std::numbers::pi));
    }

    std::vector<double> y_;
    double prior_sd_, spread_, noise_;
    Index particles_;
};

int main(int argc, char** argv) {
    return pearlite::app::main(
        argc, argv, {pearlite::app::custom_model<Measurements>("measurements", "quantities that differ, measured")});
}
