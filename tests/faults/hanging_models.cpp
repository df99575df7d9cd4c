#include "hanging_models.hpp"

#include "pearlite/app/custom_energy.hpp"
#include "pearlite/app/custom_model.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <unistd.h>

namespace pearlite::faults {

namespace {

/// The calls that this process may still make; negative if any number.
long long calls_before_the_hang() {
    const char* hang = std::getenv("PEARLITE_HANG");
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    char* after = nullptr;
    if (hang == nullptr || std::strtoll(hang, &after, 10) != std::atoll(rank != nullptr ? rank : "0"))
        return -1;
    return std::strtoll(after, nullptr, 10);
}

void call() {
    static long long left = calls_before_the_hang();
    if (left != 0) {
        --left;
        return;
    }
    std::fputs("hangs\n", stderr);
    for (;;)
        pause();
}

/// N(0, 1) twice.
struct Density {
    std::vector<std::string> parameter_names() const { return {"x"}; }
    void draw_prior(random::Stream& stream, std::span<double> x) const { x[0] = stream.normal(); }
    double log_prior(std::span<const double> x) const {
        return -0.5 * x[0] * x[0] - 0.5 * std::log(2 * std::numbers::pi);
    }
    double log_likelihood(std::span<const double> x) const {
        call();
        return -0.5 * x[0] * x[0];
    }
};

/// A spin x in {0, 1}: f_b = exp(2 b x), redrawn from f_b at every move.
struct Transition {
    using Block = ColumnBlock<double>;
    using Streams = model::BlockStreams;
    static constexpr bool move_is_reversible = true;

    Block make_block(Index size) const { return {1, size}; }
    void draw_start(Block& block, const Streams& streams) const { redraw(block, 0, random::Purpose::start, streams); }
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] += (to - from) * 2 * block.columns()(0, i);
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = 2 * block.columns()(0, i);
    }
    void move(Block& block, double b, const Streams& streams) const {
        call();
        redraw(block, b, random::Purpose::user, streams);
    }
    std::optional<double> log_normaliser_start() const { return std::log(2.0); }
    std::optional<double> exact_log_ratio(double b_end) const { return std::log((1 + std::exp(b_end * 2)) / 2); }
    void fingerprint(model::Fingerprint&) const {}

  private:
    static void redraw(Block& block, double b, random::Purpose purpose, const Streams& streams) {
        const double on = 1 / (1 + std::exp(-2 * b));
        for (Index i = 0; i < block.size(); ++i)
            block.columns()(0, i) = random::Stream(streams.at(purpose, i)).bernoulli(on) ? 1 : 0;
    }
};

/// Bits x_i, f_n = exp(2 sum x_i): drawn anew from p_n at every move.
struct Growth {
    static constexpr Index variables = 200;
    static constexpr double odds = 7.38905609893065; // exp(2)

    Index n_variables() const { return variables; }
    double log_normaliser_first() const { return std::log1p(odds); }
    void draw_first(random::Stream& stream, std::span<double> first) const { first[0] = bit(stream); }
    void move(random::Stream& stream, std::span<double> x) const {
        call();
        for (double& one : x)
            one = bit(stream);
    }
    double log_density(std::span<const double> x) const {
        double sum = 0;
        for (const double one : x)
            sum += 2 * one;
        return sum;
    }
    double log_weight(std::span<const double>) const { return std::log1p(odds); }
    void draw_next(random::Stream& stream, std::span<const double>, std::span<double> next) const {
        next[0] = bit(stream);
    }

  private:
    static double bit(random::Stream& stream) { return stream.bernoulli(odds / (1 + odds)) ? 1 : 0; }
};

/// A bowl in a box.
class Energy {
  public:
    Index dimension() const { return static_cast<Index>(lower_.size()); }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }
    double energy(std::span<const double> x) const {
        call();
        double sum = 0;
        for (const double value : x)
            sum += value * value;
        return sum;
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add(std::span(upper_)); }

  private:
    std::vector<double> lower_{-2, -2, -2}, upper_{2, 2, 2};
};

} // namespace

std::vector<app::ModelEntry> hanging_models() {
    return {app::custom_model<Density>("hanging-density", "a likelihood that may never return"),
            app::custom_annealed_model<Transition>("hanging-transition", "a transition that may never return", 16),
            app::custom_growing_model<Growth>("hanging-growth", "a density that grows, with such a transition", 16),
            app::custom_energy<Energy>("hanging-energy", "an energy that may never return")};
}

} // namespace pearlite::faults
