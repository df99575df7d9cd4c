#pragma once
/// The arithmetic of the layers of an RBM on sixteen chains at a time, one implementation for each simd::Path. All give
/// the same bits: sums of integer weights over units that are on, which are exact, and single-precision functions of
/// these in a fixed order of operations. Each kernel source is compiled for its instruction set; this header, which
/// they share, has no inline functions.
///
/// A tile is sixteen chains, a lane each. The binary units of a layer are bits: bit j of word w of a lane is unit
/// 32 w + j, and the words of a tile are [word][lane]. Other numbers of units are [unit][lane]. All arrays of lanes
/// are aligned to 64 bytes.

#include <cstddef>
#include <cstdint>

namespace pearlite::models::rbm_kernels {

inline constexpr std::int64_t tile_chains = 16;
inline constexpr std::int64_t word_units = 32;
/// Maximum number of units in a call: a product of this number of factors 1 + exp(-x) stays below 2^64.
inline constexpr std::int64_t panel_units = 64;
/// Number of output units whose sums are computed at a time.
inline constexpr std::int64_t output_padding = 16;

/// How a path wants the integer weights of a product; see weights.hpp.
enum class Format { integers, limbs, tiles };

struct PackedWeights {
    const void* data = nullptr;
    std::int64_t n_inputs = 0, n_outputs = 0;
    std::int64_t n_limbs = 3; ///< signed 8-bit digits of a weight: 3, 2 or 1
};

/// sums[tile][unit][lane] = sum of the weights of an output unit over the input units that are on, of n_units units
/// from first_unit on. Both are multiples of output_padding, n_units at most panel_units, which is the stride of tiles.
struct SumTask {
    PackedWeights weights;
    const void* states = nullptr; ///< the tiles as spread() wrote them, or words [tile][word][lane] if there is none
    std::int64_t n_tiles = 0;
    std::int64_t first_unit = 0, n_units = 0;
    std::int32_t* sums = nullptr;
    void* scratch = nullptr; ///< of scratch_bytes
};

/// Sums over at most panel_units units of a tile, each by lane.
struct Statistics {
    alignas(64) float positive[tile_chains]; ///< max(c, 0)
    alignas(64) float slope[tile_chains];    ///< c / (1 + exp(-b c))
    alignas(64) float factors[tile_chains];  ///< product of 1 + exp(-|b c|)
};

/// Counters of the chains' streams and the first unit of the draws.
struct DrawStreams {
    std::uint32_t seed[2]; ///< low first
    bool by_ars;           ///< else by Philox
    std::uint32_t step;
    std::uint32_t first_unit; ///< a multiple of panel_units
    alignas(64) std::uint32_t id[tile_chains];
    alignas(64) std::uint32_t purpose_and_id[tile_chains];
};

struct DrawTask {
    const float* x = nullptr; ///< [unit][lane]
    std::int64_t n_units = 0; ///< at most panel_units
    float scale = 0;          ///< -b log2(e)
    const DrawStreams* streams = nullptr;
    std::uint32_t* words = nullptr; ///< of the units drawn; bits beyond them are zero
    float* factors = nullptr;       ///< [lane]: as Statistics::factors
};

/// Chains of two layers as planes: a bit a chain in words of 32, bit k of word w being chain 32 w + k.
struct PairPlanes {
    const std::uint32_t* rows = nullptr;    ///< [unit][word]
    const std::uint32_t* columns = nullptr; ///< [word][unit], 64-byte aligned
    std::int64_t n_words = 0;
    std::int32_t factor = 1;
};

/// counts[row][column] = sum over both sets of planes of its factor times the number of chains in which both units are
/// on.
struct PairTask {
    PairPlanes planes[2];
    std::int64_t n_rows = 0, n_columns = 0; ///< n_columns a multiple of output_padding, which is the stride of rows
    std::int32_t* counts = nullptr;
};

struct Kernels {
    Format format;
    /// Bytes of a tile's units in the form that sums() reads, or 0: it reads words.
    std::size_t (*spread_bytes)(std::int64_t n_inputs);
    void (*spread)(const std::uint32_t* words, std::int64_t n_inputs, void* out);
    std::size_t (*scratch_bytes)(std::int64_t n_inputs);
    void (*sums)(const SumTask& task);
    /// x[unit][lane] = bias[unit] + scale[unit] sums[unit][lane].
    void (*fields)(const std::int32_t* sums, std::int64_t n_units, const float* scale, const float* bias, float* x);
    /// Statistics of c[unit][lane], with scale = -b log2(e).
    void (*statistics)(const float* c, std::int64_t n_units, float scale, Statistics& out);
    /// The same without slopes, of x[unit][lane] + step[lane] column[unit] at b = 1; step is 1, 0 or -1.
    void (*statistics_of_step)(const float* x, const float* column, const float* step, std::int64_t n_units,
                               Statistics& out);
    /// x[unit][lane] = (1 - part) low[unit][lane] + part high[unit][lane].
    void (*between)(const float* low, const float* high, float part, std::int64_t n_units, float* x);
    /// Its slope along part: sums[lane] = sum over units of (high - low)/(1 + exp(-x)).
    void (*slope_between)(const float* low, const float* high, float part, std::int64_t n_units, float* sums);
    /// x[unit][lane] += step[lane] column[unit].
    void (*step)(float* x, const float* column, const float* step, std::int64_t n_units);
    /// sums[lane] = sum over the units that are on of values[unit][lane], or of values[unit] for all lanes.
    void (*sum_on)(const std::uint32_t* words, const float* values, bool by_lane, std::int64_t n_units, float* sums);
    /// Unit i is on with probability 1/(1 + exp(-b x_i)): by 16 bits, and by 64 more where these do not decide.
    void (*draw)(const DrawTask& task);
    /// out[stride unit] = the lanes of a tile in which the unit is on, a bit each.
    void (*planes)(const std::uint32_t* words, std::int64_t n_units, std::uint16_t* out, std::int64_t stride);
    void (*count_pairs)(const PairTask& task);
};

extern const Kernels portable_kernels, avx2_kernels, avx512_kernels, vnni_kernels, amx_kernels;

/// The words [counter][word][lane] of the counters first_counter .. first_counter + n - 1 of the lanes, by ARS; n at
/// most panel_counters.
inline constexpr std::int64_t panel_counters = panel_units / 8;
void ars_words(const DrawStreams& streams, std::uint32_t first_counter, std::int64_t n, std::uint32_t* words);

/// Whether the CPU counts the bits of 32-bit lanes by an instruction (AVX-512 VPOPCNTDQ).
bool counts_bits();

/// A draw whose 16 bits did not decide: whether excess + u width < 0, u uniform on [0, 1) of 64 more bits of the stream
/// of that lane and unit (counted from the first of the task).
bool settle_draw(const DrawStreams& streams, std::int64_t unit, std::int64_t lane, float excess, float width);

} // namespace pearlite::models::rbm_kernels
