#pragma once
/// State-space models of known parameters that grow by time: f_n = p(x_1..x_n, y_1..y_n), so that Z_n = p(y_1..y_n) and
/// W_n = p(y_{n+1} | x_n). Without moves, resample-move along them is the particle filter of the proposal.

#include "pearlite/model/detail/growing_target.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

/// Trajectories, a row of padded_size() particles for each number of a state: those of the states that are there, and
/// of one more that is proposed.
class StateBlock final : public Block {
  public:
    /// `fields`: numbers of a state.
    StateBlock(Index times, Index fields, Index size)
        : fields_(fields), size_(size), numbers_(at(times * fields * padded(size)), 0.0) {}
    Index size() const override { return size_; }
    Index padded_size() const override { return padded(size_); }
    std::size_t packed_bytes() const override { return at(n_rows()) * sizeof(double); }
    void pack(Index slot, std::span<std::byte> out) const override;
    void unpack(Index slot, std::span<const std::byte> in) override;

    double* row(Index t, Index field = 0) { return numbers_.data() + (t * fields_ + field) * padded_size(); }
    const double* row(Index t, Index field = 0) const {
        return numbers_.data() + (t * fields_ + field) * padded_size();
    }
    void add_time() { numbers_.resize(numbers_.size() + at(fields_ * padded_size()), 0.0); }

  private:
    Index n_rows() const { return std::ssize(numbers_) / padded_size(); }

    Index fields_, size_;
    std::vector<double> numbers_;
};

/// A hidden Markov process x_0, x_1, ... and its observations, for whole blocks.
class StateProcess {
  public:
    virtual ~StateProcess() = default;
    /// Number of observations, at least 1.
    virtual Index length() const = 0;
    /// Numbers of a state.
    virtual Index fields() const { return 1; }
    /// log p(y_0).
    virtual double log_first() const = 0;
    /// x_0 given y_0, exactly.
    virtual void draw_first(StateBlock& block, const model::BlockStreams& streams) const = 0;
    /// x_t given x_{t-1}, by a proposal q that may know y_t; log_weights[i] = log p(x_t, y_t | x_{t-1})/q(x_t). t >= 1.
    virtual void propose(StateBlock& block, Index t, const model::BlockStreams& streams,
                         std::span<double> log_weights) const = 0;
    /// The weight is p(y_t | x_{t-1}) whatever is proposed, and q the distribution of x_t given x_{t-1} and y_t.
    virtual bool proposes_exactly() const = 0;
    /// Moves x_from .. x_{n-1}, one after another; leaves p(x_0..x_{n-1} | y_0..y_{n-1}) invariant.
    virtual void sweep(StateBlock& block, Index from, Index n, const model::BlockStreams& streams) const = 0;
    /// out[i] = log p(x_0..x_{n-1}, y_0..y_{n-1}).
    virtual void log_density(const StateBlock& block, Index n, std::span<double> out) const = 0;
    /// log p(y), where it can be computed.
    virtual std::optional<double> log_likelihood() const = 0;
    /// The parameters, in words.
    virtual std::string description() const = 0;
    virtual void fingerprint(model::Fingerprint& fingerprint) const = 0;
};

/// One order, "time". A sweep moves the last `lag` states, or all of them.
std::shared_ptr<const model::Growth> growth_by_time(std::shared_ptr<const StateProcess> process,
                                                    std::optional<Index> lag = {});

} // namespace pearlite::models
