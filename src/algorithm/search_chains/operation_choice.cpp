#include "algorithm/search_chains/operation_choice.hpp"

#include "pearlite/core/detail/contract.hpp"

namespace pearlite::algorithm {

OperationChoice::OperationChoice(std::span<const model::Operation> operations, std::vector<double> rates)
    : rates_(rates.empty() ? std::vector<double>(operations.size(), 1.0) : std::move(rates)) {
    PEARLITE_EXPECTS(rates_.size() == operations.size());
    for (std::size_t k = 0; k < operations.size(); ++k) {
        mutation_rates_.push_back(operations[k].kind == model::Operation::Kind::mutation ? rates_[k] : 0);
        sum_ += rates_[k];
        mutation_sum_ += mutation_rates_[k];
    }
}

Index OperationChoice::draw(random::Stream& stream, bool may_cross) const {
    const auto& rates = may_cross ? rates_ : mutation_rates_;
    double u = stream.uniform() * (may_cross ? sum_ : mutation_sum_);
    Index last = 0;
    for (std::size_t k = 0; k < rates.size(); ++k) {
        if (rates[k] <= 0)
            continue;
        last = static_cast<Index>(k);
        if ((u -= rates[k]) < 0)
            break;
    }
    return last;
}

} // namespace pearlite::algorithm
