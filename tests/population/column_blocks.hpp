#pragma once
/// Plain blocks behind the interface of populations.

#include "pearlite/core/column_block.hpp"
#include "population/generation.hpp"

#include <memory>

namespace pearlite::testing_support {

/// Makes blocks of particles of so many numbers each.
template <class T>
population::MakeBlock column_blocks(Index rows) {
    return [rows](Index size) { return std::make_unique<BlockOf<ColumnBlock<T>>>(ColumnBlock<T>(rows, size)); };
}

/// The numbers of a block whose model keeps them in a ColumnBlock<T>.
template <class T = double>
auto& columns_of(Block& block) {
    return own_block<ColumnBlock<T>>(block).columns();
}
template <class T = double>
const auto& columns_of(const Block& block) {
    return own_block<ColumnBlock<T>>(block).columns();
}

} // namespace pearlite::testing_support
