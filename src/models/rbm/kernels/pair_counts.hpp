#pragma once
/// How many chains have two units on, by counting the bits of planes, for kernel sources: a template over Bits, some
/// columns of 32 chains in a register of a path.

#include "models/rbm/kernels/kernels.hpp"

namespace pearlite::models::rbm_kernels {

namespace {

/// Words whose counts fit into a byte: of eight bits each.
inline constexpr std::int64_t words_of_bytes = 31;

template <class B>
[[gnu::always_inline]] inline typename B::V chains_with_both(const PairPlanes& planes, std::int64_t row,
                                                             std::int64_t column, std::int64_t n_columns) {
    const std::uint32_t* const words = planes.rows + row * planes.n_words;
    const std::uint32_t* from = planes.columns + column;
    auto chains = B::zero();
    for (std::int64_t w = 0; w < planes.n_words;) {
        const std::int64_t last = planes.n_words - w < words_of_bytes ? planes.n_words : w + words_of_bytes;
        auto bytes = B::zero();
        for (; w < last; ++w, from += n_columns)
            bytes = B::add_bytes(bytes, B::bits_of_bytes(B::load_both(from, words[w])));
        chains = B::add(chains, B::sums_of_bytes(bytes));
    }
    return chains;
}

template <class B>
void count_pairs_by(const PairTask& task) {
    for (std::int64_t row = 0; row < task.n_rows; ++row)
        for (std::int64_t column = 0; column < task.n_columns; column += B::columns) {
            auto count = B::zero();
            for (const PairPlanes& planes : task.planes)
                count =
                    B::add(count, B::multiply(chains_with_both<B>(planes, row, column, task.n_columns), planes.factor));
            B::store(task.counts + row * task.n_columns + column, count);
        }
}

} // namespace

} // namespace pearlite::models::rbm_kernels
