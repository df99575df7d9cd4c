#include "models/state_space/growing/growing_states.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <cstring>

namespace pearlite::models {

void StateBlock::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
    for (Index k = 0; k < n_rows(); ++k)
        std::memcpy(out.data() + at(k) * sizeof(double), &numbers_[at(k * padded_size() + slot)], sizeof(double));
}

void StateBlock::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
    for (Index k = 0; k < n_rows(); ++k)
        std::memcpy(&numbers_[at(k * padded_size() + slot)], in.data() + at(k) * sizeof(double), sizeof(double));
}

namespace {

using model::BlockStreams;

class StateStage final : public model::GrowingStage {
  public:
    StateStage(std::shared_ptr<const StateProcess> process, Index lag) : process_(std::move(process)), lag_(lag) {}

    Index n() const override { return n_; }
    void grow() override { ++n_; }
    std::unique_ptr<Block> make_block(Index size) const override {
        return std::make_unique<StateBlock>(std::min(n_ + 1, process_->length()), process_->fields(), size);
    }
    void draw_first(Block& block, const BlockStreams& streams) const override {
        process_->draw_first(own(block), streams);
    }
    void sweep(Block& block, const BlockStreams& streams) const override {
        process_->sweep(own(block), std::max<Index>(n_ - lag_, 0), n_, streams);
    }
    void smooth(Block& block, const BlockStreams& streams, std::span<double> out) const override {
        process_->propose(own(block), n_, streams, out);
    }
    void augment(Block& block, const BlockStreams& streams) const override {
        auto& states = own(block);
        // Particles of one ancestor need not share their next state, where it has no part in the weight.
        if (process_->proposes_exactly()) {
            std::vector<double> weights(at(states.size()));
            process_->propose(states, n_, streams, weights);
        }
        if (n_ + 1 < process_->length())
            states.add_time();
    }
    void log_density(const Block& block, std::span<double> out) const override {
        process_->log_density(static_cast<const StateBlock&>(block), n_, out);
    }

  private:
    static StateBlock& own(Block& block) { return static_cast<StateBlock&>(block); }

    std::shared_ptr<const StateProcess> process_;
    Index lag_, n_ = 1;
};

class StatesByTime final : public model::GrowingTarget {
  public:
    StatesByTime(std::shared_ptr<const StateProcess> process, std::optional<Index> lag)
        : process_(std::move(process)), lag_(lag.value_or(process_->length())), log_first_(process_->log_first()) {}
    Index n_variables() const override { return process_->length(); }
    std::unique_ptr<model::GrowingStage> first_stage() const override {
        return std::make_unique<StateStage>(process_, lag_);
    }
    double log_normaliser_first() const override { return log_first_; }
    std::optional<double> exact_log_normaliser() const override { return process_->log_likelihood(); }
    void fingerprint(model::Fingerprint& fingerprint) const override {
        fingerprint.add("states by time");
        process_->fingerprint(fingerprint);
        fingerprint.add(static_cast<double>(lag_));
    }

  private:
    std::shared_ptr<const StateProcess> process_;
    Index lag_;
    double log_first_; // by quadrature in some processes
};

class TimeGrowth final : public model::Growth {
  public:
    TimeGrowth(std::shared_ptr<const StateProcess> process, std::optional<Index> lag)
        : process_(std::move(process)), lag_(lag) {}
    std::vector<std::string> orders() const override { return {"time"}; }
    std::shared_ptr<const model::GrowingTarget> growing(const std::string&, std::uint64_t) const override {
        return std::make_shared<const StatesByTime>(process_, lag_);
    }
    std::string description() const override {
        const std::string moved = lag_ ? "the last " + std::to_string(*lag_) : "all";
        return "the states, one a time, at fixed parameters: " + process_->description() + "; a sweep moves " + moved +
               " of them";
    }

  private:
    std::shared_ptr<const StateProcess> process_;
    std::optional<Index> lag_;
};

} // namespace

std::shared_ptr<const model::Growth> growth_by_time(std::shared_ptr<const StateProcess> process,
                                                    std::optional<Index> lag) {
    PEARLITE_EXPECTS(process->length() >= 1 && (!lag || *lag >= 1));
    return std::make_shared<const TimeGrowth>(std::move(process), lag);
}

} // namespace pearlite::models
