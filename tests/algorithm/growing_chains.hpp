#pragma once
/// A user's growing model with a known normaliser: x_i in {0, 1} on a line, no two neighbours both 1, f_n =
/// activity^(number of ones), so that Z_{n+1} = Z_n + activity Z_{n-1}.

#include "algorithm/growing_runs.hpp"
#include "pearlite/model/detail/growing_of.hpp"

namespace pearlite::algorithm::testing {

class HardChain {
  public:
    /// `believed` is the activity that the moves use: the density's, except in a wrong twin.
    HardChain(Index n, double activity, double believed) : n_(n), activity_(activity), believed_(believed) {}

    Index n_variables() const { return n_; }
    double log_normaliser_first() const { return std::log1p(activity_); }
    void draw_first(random::Stream& stream, std::span<double> first) const {
        first[0] = stream.bernoulli(activity_ / (1 + activity_)) ? 1 : 0;
    }
    void move(random::Stream& stream, std::span<double> x) const {
        for (std::size_t i = 0; i < x.size(); ++i) {
            const bool is_free = (i == 0 || x[i - 1] == 0) && (i + 1 == x.size() || x[i + 1] == 0);
            x[i] = is_free && stream.bernoulli(believed_ / (1 + believed_)) ? 1 : 0;
        }
    }
    double log_density(std::span<const double> x) const {
        return std::accumulate(x.begin(), x.end(), 0.0) * std::log(activity_);
    }
    std::optional<double> exact_log_normaliser() const {
        double last = 1, sum = 1 + activity_; // Z_0, Z_1
        for (Index n = 1; n < n_; ++n)
            last = std::exchange(sum, sum + activity_ * last);
        return std::log(sum);
    }
    std::vector<std::string> quantity_names() const { return {"ones"}; }
    void quantities(std::span<const double> x, std::span<double> out) const {
        out[0] = std::accumulate(x.begin(), x.end(), 0.0);
    }

  protected:
    double activity() const { return activity_; }

  private:
    Index n_;
    double activity_, believed_;
};

/// W_n in closed form.
class WeighedChain : public HardChain {
  public:
    using HardChain::HardChain;
    double log_weight(std::span<const double> x) const { return x.back() == 0 ? std::log1p(activity()) : 0; }
    void draw_next(random::Stream& stream, std::span<const double> x, std::span<double> next) const {
        next[0] = x.back() == 0 && stream.bernoulli(activity() / (1 + activity())) ? 1 : 0;
    }
};

/// x_{n+1} is proposed independently of x_n and is often impossible.
class ProposedChain : public HardChain {
  public:
    using HardChain::HardChain;
    double propose(random::Stream& stream, std::span<const double> x, std::span<double> next) const {
        next[0] = stream.bernoulli(0.5) ? 1 : 0;
        if (next[0] == 0)
            return std::log(2);
        return x.back() == 0 ? std::log(2 * activity()) : log_zero;
    }
};

template <class Chain>
GrowingPointer growing_chain(Index n, double activity, double believed) {
    return model::growth_of(Chain(n, activity, believed))->growing("given", 1);
}

} // namespace pearlite::algorithm::testing
