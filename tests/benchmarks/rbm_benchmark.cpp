/// Updates per second (chains through one temperature) of one core on an RBM of 784 x 500 units, on each path of the
/// kernels that the machine has. Timed in the same run in turns, so that the counters are ratios of best rates:
///   of_products  to Eigen's float matrix products of the same shapes alone
///   of_plain     to a plain loop of the whole update: float weights added where a unit is on, library exponentials
///   of_ceiling   to the rate at which the CPU could multiply: tiles of bytes by tdpbssd (amx), bytes by vpdpbusd
///                (avx512, vnni), three limbs a weight, or floats by 256-bit fused multiply-adds (portable, avx2)

#include "float_products.hpp"
#include "models/rbm/rbm.hpp"
#include "simd/instructions.hpp"
#include "simd/path.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using pearlite::Index;
using pearlite::models::Rbm;
using pearlite::models::RbmBlock;
using pearlite::models::RbmParameters;
using pearlite::simd::Path;

constexpr Index n_visible = 784;
constexpr Index n_hidden = 500;
constexpr int n_temperatures = 1000;

template <class Function>
double seconds(Function&& function) {
    const auto start = std::chrono::steady_clock::now();
    function();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// W'V and W H for one block, nothing else.
struct Products {
    explicit Products(Index n_chains)
        : weights(Eigen::MatrixXf::Random(n_visible, n_hidden)),
          visible(Eigen::MatrixXf::Random(n_visible, n_chains)),
          units(Eigen::MatrixXf::Random(n_hidden, n_chains)),
          hidden(n_hidden, n_chains),
          field(n_visible, n_chains) {}

    void eigen() {
        pearlite::simd::on_this_cpu(
            [&](auto cpu) { pearlite::benchmarks::multiply<decltype(cpu)>(weights, visible, units, hidden, field); });
        benchmark::ClobberMemory();
    }

    Eigen::MatrixXf weights, visible, units, hidden, field;
};

/// The update of one chain in simple code.
class PlainUpdate {
  public:
    explicit PlainUpdate(const RbmParameters& rbm)
        : rows_(rbm.weights.transpose().cast<float>()),
          columns_(rbm.weights.cast<float>()),
          visible_(n_visible, 1),
          hidden_(n_hidden, 0) {}

    double operator()(float b, float step) {
        double log_weight = 0;
        Eigen::VectorXf c = Eigen::VectorXf::Zero(n_hidden);
        for (Index i = 0; i < n_visible; ++i)
            if (visible_[at(i)] != 0)
                c += rows_.col(i);
        for (Index j = 0; j < n_hidden; ++j) {
            log_weight += std::log1p(std::exp((b + step) * c[j])) - std::log1p(std::exp(b * c[j]));
            hidden_[at(j)] = uniform() < 1 / (1 + std::exp(-b * c[j])) ? 1 : 0;
        }
        Eigen::VectorXf field = Eigen::VectorXf::Zero(n_visible);
        for (Index j = 0; j < n_hidden; ++j)
            if (hidden_[at(j)] != 0)
                field += columns_.col(j);
        for (Index i = 0; i < n_visible; ++i)
            visible_[at(i)] = uniform() < 1 / (1 + std::exp(-b * field[i])) ? 1 : 0;
        return log_weight;
    }

  private:
    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    float uniform() {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return static_cast<float>(state_ >> 40) * 0x1p-24f;
    }

    Eigen::MatrixXf rows_, columns_;
    std::vector<char> visible_, hidden_;
    std::uint64_t state_ = 1;
};

constexpr int in_flight = 12, repeats = 20000;

void multiply_bytes() {
    for (int r = 0; r < repeats; ++r)
        asm volatile("vpdpbusd %%zmm0, %%zmm0, %%zmm1; vpdpbusd %%zmm0, %%zmm0, %%zmm2;"
                     "vpdpbusd %%zmm0, %%zmm0, %%zmm3; vpdpbusd %%zmm0, %%zmm0, %%zmm4;"
                     "vpdpbusd %%zmm0, %%zmm0, %%zmm5; vpdpbusd %%zmm0, %%zmm0, %%zmm6;"
                     "vpdpbusd %%zmm0, %%zmm0, %%zmm7; vpdpbusd %%zmm0, %%zmm0, %%zmm8;"
                     "vpdpbusd %%zmm0, %%zmm0, %%zmm9; vpdpbusd %%zmm0, %%zmm0, %%zmm10;"
                     "vpdpbusd %%zmm0, %%zmm0, %%zmm11; vpdpbusd %%zmm0, %%zmm0, %%zmm12"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12");
}

void multiply_floats() {
    for (int r = 0; r < repeats; ++r)
        asm volatile("vfmadd231ps %%ymm0, %%ymm0, %%ymm1; vfmadd231ps %%ymm0, %%ymm0, %%ymm2;"
                     "vfmadd231ps %%ymm0, %%ymm0, %%ymm3; vfmadd231ps %%ymm0, %%ymm0, %%ymm4;"
                     "vfmadd231ps %%ymm0, %%ymm0, %%ymm5; vfmadd231ps %%ymm0, %%ymm0, %%ymm6;"
                     "vfmadd231ps %%ymm0, %%ymm0, %%ymm7; vfmadd231ps %%ymm0, %%ymm0, %%ymm8;"
                     "vfmadd231ps %%ymm0, %%ymm0, %%ymm9; vfmadd231ps %%ymm0, %%ymm0, %%ymm10;"
                     "vfmadd231ps %%ymm0, %%ymm0, %%ymm11; vfmadd231ps %%ymm0, %%ymm0, %%ymm12"
                     :
                     :
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
                       "xmm12");
}

/// The layout that ldtilecfg reads: palette 1, eight tiles of 16 rows of 64 bytes.
struct TileShapes {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

void multiply_tiles() {
    const TileShapes shapes;
    asm volatile("ldtilecfg %0" : : "m"(shapes));
    for (int r = 0; r < repeats; ++r)
        asm volatile("tdpbssd %%tmm6, %%tmm7, %%tmm0; tdpbssd %%tmm6, %%tmm7, %%tmm1;"
                     "tdpbssd %%tmm6, %%tmm7, %%tmm2; tdpbssd %%tmm6, %%tmm7, %%tmm3;"
                     "tdpbssd %%tmm6, %%tmm7, %%tmm4; tdpbssd %%tmm6, %%tmm7, %%tmm5;"
                     "tdpbssd %%tmm6, %%tmm7, %%tmm0; tdpbssd %%tmm6, %%tmm7, %%tmm1;"
                     "tdpbssd %%tmm6, %%tmm7, %%tmm2; tdpbssd %%tmm6, %%tmm7, %%tmm3;"
                     "tdpbssd %%tmm6, %%tmm7, %%tmm4; tdpbssd %%tmm6, %%tmm7, %%tmm5"
                     :);
    asm volatile("tilerelease");
}

/// Updates a second if the CPU did nothing but multiply 2 x 784 x 500 weights with the units of a chain.
double multiplier_ceiling(Path path) {
    const bool has_bytes = path == Path::vnni || path == Path::avx512;
    const auto available = pearlite::simd::available_paths();
    if (has_bytes && std::find(available.begin(), available.end(), Path::vnni) == available.end())
        return std::numeric_limits<double>::quiet_NaN();
    double best = std::numeric_limits<double>::infinity();
    for (int again = 0; again < 5; ++again)
        best = std::min(best, seconds(path == Path::amx ? multiply_tiles
                                      : has_bytes       ? multiply_bytes
                                                        : multiply_floats));
    const double weights = path == Path::amx ? 16.0 * 16 * 64 / 3 : has_bytes ? 64.0 / 3 : 8; // of an instruction
    return weights * in_flight * repeats / best / (2.0 * n_visible * n_hidden);
}

void rbm_anneal(benchmark::State& state, Path path) {
    const Index n_chains = state.range(0);
    const RbmParameters parameters = pearlite::models::random_rbm(n_visible, n_hidden, 0.1, 0.5, 1);
    const Rbm rbm(parameters, path);
    RbmBlock block = rbm.make_block(n_chains);
    rbm.draw_start(block, {1, 0, 0, 0, 0});
    std::vector<double> log_weights(static_cast<std::size_t>(n_chains), 0.0), derivative(log_weights.size());
    Products products(n_chains);
    PlainUpdate plain(parameters);
    std::uint32_t step = 0;
    double update_seconds = std::numeric_limits<double>::infinity();
    double product_seconds = update_seconds, plain_seconds = update_seconds;
    for (auto _ : state) {
        const double b = static_cast<double>(step % n_temperatures) / n_temperatures;
        ++step;
        const double elapsed = seconds([&] {
            rbm.anneal(block, b, b + 1.0 / n_temperatures, {1, step, 0, 0, 0}, log_weights, derivative);
        });
        state.SetIterationTime(elapsed);
        update_seconds = std::min(update_seconds, elapsed);
        for (int again = 0; step % 16 == 0 && again < 4;
             ++again) { // the first of four brings its weights into the cache
            product_seconds = std::min(product_seconds, seconds([&] { products.eigen(); }));
            plain_seconds = std::min(plain_seconds, seconds([&] {
                                         benchmark::DoNotOptimize(plain(static_cast<float>(b), 1.0f / n_temperatures));
                                     }));
        }
    }
    const auto chains = static_cast<double>(n_chains);
    state.counters["updates"] = benchmark::Counter(chains * static_cast<double>(step), benchmark::Counter::kIsRate);
    state.counters["best_updates"] = chains / update_seconds;
    state.counters["products"] = chains / product_seconds;
    state.counters["of_products"] = product_seconds / update_seconds;
    state.counters["of_plain"] = plain_seconds * chains / update_seconds;
    state.counters["of_ceiling"] = chains / update_seconds / multiplier_ceiling(path);
}

} // namespace

int main(int argc, char** argv) {
    const auto name_of_rows = [](Path path) { return "rbm_anneal/" + std::string(pearlite::simd::name_of(path)); };
    const Path chosen = pearlite::simd::chosen_path().path;
    benchmark::RegisterBenchmark("rbm_anneal", [=](benchmark::State& state) { rbm_anneal(state, chosen); })
        ->Arg(64)
        ->Arg(128)
        ->Arg(256)
        ->Arg(512)
        ->UseManualTime();
    for (const Path path : pearlite::simd::available_paths())
        benchmark::RegisterBenchmark(name_of_rows(path).c_str(),
                                     [=](benchmark::State& state) { rbm_anneal(state, path); })
            ->Arg(512)
            ->UseManualTime();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
