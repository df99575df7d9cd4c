// A model of your own in one file: a coin whose probability of heads is unknown (docs/own-models.md walks through it).
//
//     p ~ Beta(prior_a, prior_b);   successes | p ~ Binomial(trials, p), as one sequence of tosses (no binomial
//     coefficient)
//
// A density is a class with the functions below. It is annealed from prior to posterior: log f_b = log_prior + b
// log_likelihood.

#include "pearlite/app/custom_model.hpp"

#include <cmath>
#include <limits>

class Coin {
  public:
    // The keys of [model]. Each has a default and a range; errors are reported with file and line.
    explicit Coin(pearlite::io::Section& section)
        : trials_(static_cast<double>(section.integer("trials", 100, {.low = 0}))),
          successes_(static_cast<double>(
              section.integer("successes", 50, {.low = 0, .high = static_cast<pearlite::Index>(trials_)}))),
          a_(section.number("prior_a", 1.0, {.low = 0, .open_low = true})),
          b_(section.number("prior_b", 1.0, {.low = 0, .open_low = true})) {}

    // One name per dimension.
    std::vector<std::string> parameter_names() const { return {"p"}; }

    // An exact draw from the prior. All randomness comes from the stream, so that a seed gives the same bits on any
    // number of ranks.
    void draw_prior(pearlite::random::Stream& stream, std::span<double> x) const { x[0] = stream.beta(a_, b_); }

    // Normalised; -infinity outside the support, where the likelihood is never asked for.
    double log_prior(std::span<const double> x) const {
        if (!(x[0] > 0 && x[0] < 1))
            return -std::numeric_limits<double>::infinity();
        return (a_ - 1) * std::log(x[0]) + (b_ - 1) * std::log1p(-x[0]) - log_beta(a_, b_);
    }

    double log_likelihood(std::span<const double> x) const {
        return successes_ * std::log(x[0]) + (trials_ - successes_) * std::log1p(-x[0]);
    }

    // Optional: the known answer, log evidence; the result then comes with a z-score.
    std::optional<double> exact_log_ratio() const {
        return log_beta(a_ + successes_, b_ + trials_ - successes_) - log_beta(a_, b_);
    }

    // Optional: the data, so that a checkpoint made with other data is refused.
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const {
        for (const double value : {trials_, successes_, a_, b_})
            fingerprint.add(value);
    }

  private:
    static double log_beta(double a, double b) { return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b); }

    double trials_, successes_, a_, b_;
};

int main(int argc, char** argv) {
    return pearlite::app::main(argc, argv,
                               {pearlite::app::custom_model<Coin>("beta-bernoulli", "a coin of unknown bias")});
}
