#include "pearlite/random/stream.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/random/detail/ars.hpp"
#include "random/fill_kernels.hpp"
#include "random/philox_kernels.hpp"
#include "simd/scalar.hpp"

namespace pearlite::random {

namespace {

constexpr int id_bits = 56;

constexpr std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}
constexpr std::uint32_t high(std::uint64_t value) {
    return static_cast<std::uint32_t>(value >> 32);
}
constexpr std::uint64_t join(std::uint32_t low_word, std::uint32_t high_word) {
    return (static_cast<std::uint64_t>(high_word) << 32) | low_word;
}

/// Gamma(shape) = factor * exp(log_boost); log_boost is zero for shape >= 1 (Marsaglia & Tsang 2000, section 6 for
/// the boost). Kept apart because a boost of a small shape underflows, while ratios of two such numbers do not.
struct GammaDraw {
    double factor;
    double log_boost;
};

GammaDraw draw_gamma(Stream& stream, double shape) {
    PEARLITE_EXPECTS(shape > 0 && std::isfinite(shape));
    const double log_boost = shape < 1 ? simd::natural_log(stream.uniform()) / shape : 0.0;
    const double d = (shape < 1 ? shape + 1 : shape) - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = stream.normal();
        const double root = 1 + c * x;
        if (root <= 0)
            continue;
        const double v = root * root * root;
        if (simd::natural_log(stream.uniform()) < x * x / 2 + d * (1 - v + 3 * simd::natural_log(root)))
            return {d * v, log_boost};
    }
}

} // namespace

Counter Address::counter() const {
    PEARLITE_EXPECTS(id >> id_bits == 0);
    return {0, step, low(id), (static_cast<std::uint32_t>(purpose) << 24) | high(id)};
}

Seed derive_seed(const Seed& seed, std::uint64_t part) {
    const auto purpose = static_cast<std::uint32_t>(Purpose::batch_seed) << 24;
    const Counter words = generate({low(part), high(part), 0, purpose}, seed);
    return {join(words[0], words[1]), seed.generator};
}

std::uint32_t Stream::bits32() {
    if (used_ == 4) {
        words_ = generate(counter_, seed_);
        ++counter_[0];
        used_ = 0;
    }
    return words_[static_cast<std::size_t>(used_++)];
}

std::uint64_t Stream::bits64() {
    const std::uint32_t first = bits32();
    return join(first, bits32());
}

double Stream::uniform() {
    return simd::uniform53(bits64());
}

std::uint64_t Stream::index(std::uint64_t n) {
    PEARLITE_EXPECTS(n >= 1);
    WideCount product = static_cast<WideCount>(bits64()) * n;
    if (static_cast<std::uint64_t>(product) < n) {
        const std::uint64_t threshold = (0 - n) % n;
        while (static_cast<std::uint64_t>(product) < threshold)
            product = static_cast<WideCount>(bits64()) * n;
    }
    return static_cast<std::uint64_t>(product >> 64);
}

WideCount Stream::index128(WideCount n) {
    PEARLITE_EXPECTS(n >= 1);
    WideCount mask = n - 1;
    for (int shift = 1; shift < 128; shift *= 2)
        mask |= mask >> shift;
    for (;;) {
        const std::uint64_t low_bits = bits64();
        const WideCount value = ((static_cast<WideCount>(bits64()) << 64) | low_bits) & mask;
        if (value < n)
            return value;
    }
}

double Stream::normal() {
    if (has_spare_) {
        has_spare_ = false;
        return spare_normal_;
    }
    const double radius = std::sqrt(-2 * simd::natural_log(uniform()));
    const simd::CosineSine angle = simd::cosine_sine_2pi(uniform());
    spare_normal_ = radius * angle.sine;
    has_spare_ = true;
    return radius * angle.cosine;
}

double Stream::exponential() {
    return -simd::natural_log(uniform());
}

double Stream::gamma(double shape) {
    const GammaDraw draw = draw_gamma(*this, shape);
    return shape < 1 ? draw.factor * std::exp(draw.log_boost) : draw.factor;
}

double Stream::beta(double a, double b) {
    const GammaDraw first = draw_gamma(*this, a);
    const GammaDraw second = draw_gamma(*this, b);
    return 1 / (1 + second.factor / first.factor * std::exp(second.log_boost - first.log_boost));
}

Index Stream::categorical(std::span<const double> weights) {
    double sum = 0;
    bool valid = true;
    for (const double weight : weights) {
        sum += weight;
        valid = valid && weight >= 0;
    }
    PEARLITE_EXPECTS(valid && sum > 0 && std::isfinite(sum));
    const double target = uniform() * sum;
    double cumulative = 0;
    Index last_possible = 0;
    for (Index j = 0; j < static_cast<Index>(weights.size()); ++j) {
        const double weight = weights[static_cast<std::size_t>(j)];
        if (weight == 0)
            continue;
        cumulative += weight;
        last_possible = j;
        if (target < cumulative)
            return j;
    }
    return last_possible; // the product was rounded up to the sum
}

const char* name_of(Generator generator) {
    return generator == Generator::ars ? Ars::name : Philox::name;
}

Counter Philox::generate(Counter counter, Key key) {
    Counter words;
    kernels::Plain::packet<1>(counter, key, words.data());
    return words;
}

void Philox::fill(Counter counter, Key key, std::span<std::uint32_t> out) {
    simd::on_this_cpu([&](auto cpu) { Fills<decltype(cpu)>::words(counter, key, out); });
}

Counter generate(const Counter& counter, const Seed& seed) {
    if (seed.generator == Generator::ars)
        return Ars::generate(counter, Ars::key(seed.value));
    return Philox::generate(counter, Philox::key(seed.value));
}

void fill(const Counter& counter, const Seed& seed, std::span<std::uint32_t> out) {
    if (seed.generator == Generator::ars)
        Ars::fill(counter, Ars::key(seed.value), out);
    else
        Philox::fill(counter, Philox::key(seed.value), out);
}

} // namespace pearlite::random
