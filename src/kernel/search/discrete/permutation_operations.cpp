#include "pearlite/kernel/detail/permutation_operations.hpp"
#include "pearlite/core/error.hpp"
#include "random/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace pearlite::kernel {

void PermutationChains::apply(std::span<std::int32_t> x, PermutationStep step, const Places& places) {
    const auto first = x.begin() + places.first, second = x.begin() + places.second;
    switch (step) {
    case PermutationStep::swap:
        std::iter_swap(first, second);
        break;
    case PermutationStep::insertion:
        if (first < second)
            std::rotate(first, first + 1, second + 1);
        else
            std::rotate(second, first, first + 1);
        break;
    case PermutationStep::reversal:
        std::reverse(first, second + 1);
        break;
    }
}

void PermutationChains::undo_step(Index slot) {
    const auto [first, second] = places(slot);
    apply(state(slot), step_, step_ == PermutationStep::insertion ? Places{second, first} : Places{first, second});
}

void PermutationChains::accept(std::span<const std::uint8_t> accepted) {
    for (Index i = 0; i < size(); ++i) {
        if (accepted[at(i)] == 0)
            continue;
        accept_energy(i);
        make_step(i);
    }
}

const std::vector<std::string>& PermutationOperations::names() {
    static const std::vector<std::string> names{"swap", "insertion", "reversal"};
    return names;
}

PermutationOperations::PermutationOperations(const PermutationOperationSettings& settings, Index size,
                                             const std::vector<bool>& is_local)
    : size_(size) {
    if (size < 2)
        throw InputError("a permutation needs two elements at least, not " + std::to_string(size));
    for (const auto& name : settings.operations) {
        const auto place = std::find(names().begin(), names().end(), name);
        if (place == names().end())
            throw InputError("there is no operation \"" + name + "\"");
        const auto step = static_cast<PermutationStep>(place - names().begin());
        if (std::find(steps_.begin(), steps_.end(), step) != steps_.end())
            throw InputError("the operation \"" + name + "\" is listed twice");
        steps_.push_back(step);
        list_.push_back({.name = name, .is_local = is_local[static_cast<std::size_t>(step)]});
    }
    if (list_.empty())
        throw InputError("expected an operation at least");
}

void PermutationOperations::draw(random::Stream& stream, std::span<std::int32_t> permutation) const {
    std::iota(permutation.begin(), permutation.end(), 0);
    for (std::size_t k = permutation.size(); k > 1; --k)
        std::swap(permutation[k - 1], permutation[stream.index(k)]);
}

void PermutationOperations::mutate(PermutationChains& chains, Index op, const model::BlockStreams& streams) const {
    const Index p = chains.padded_size();
    auto& u = chains.uniforms_;
    u.resize(static_cast<std::size_t>(2 * p));
    random::fill_uniform_lanes(streams.at(random::Purpose::site, 0), p, u);
    chains.step_ = steps_[static_cast<std::size_t>(op)];
    chains.places_.resize(static_cast<std::size_t>(chains.size()));
    for (Index i = 0; i < chains.size(); ++i) {
        const double* const draws = u.data() + i;
        auto first = static_cast<Index>(draws[0] * static_cast<double>(size_));
        auto second = static_cast<Index>(draws[p] * static_cast<double>(size_ - 1));
        second += second >= first ? 1 : 0;
        if (chains.step_ == PermutationStep::reversal && first > second)
            std::swap(first, second);
        chains.places_[static_cast<std::size_t>(i)] = {first, second};
    }
}

} // namespace pearlite::kernel
