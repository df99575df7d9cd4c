#pragma once
/// The Gaussian toy of Habeck (2017, section 4) with autoregressive transitions: every distribution on the way is
/// normal, and the lag of the chains behind it can be computed.

#include "models/gaussian/gaussian.hpp"
#include "pearlite/core/column_block.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "pearlite/model/detail/path_moments.hpp"

namespace pearlite::models {

/// The geometric path between the two normal densities of GaussianSettings, unnormalised: both have the maximum 1. p_b
/// is normal with precision (1-b)/start_sd^2 + b/end_sd^2 in each of the independent dimensions. A move is
///     x' ~ N((1-t) mu_b + t x, (1-t^2) sd_b^2),  t = correlation:
/// reversible; t = 0 draws from p_b at once. A particle is a column of the block. Fulfils AnnealedModel,
/// HasReversibleMove, HasLinearPath, HasEndSampler, HasMode and HasStateSwap.
class AutoregressiveGaussian {
  public:
    using Block = ColumnBlock<double>;
    static constexpr bool move_is_reversible = true;
    static constexpr bool path_is_linear = true;

    /// correlation in [0, 1), else InputError.
    AutoregressiveGaussian(const GaussianSettings& settings, double correlation);

    double mean(double b) const;
    double sd(double b) const;

    Block make_block(Index size) const { return {settings_.dimension, size}; }
    void draw_start(Block& block, const model::BlockStreams& streams) const;
    void prepare(Block&) const {}
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const;
    void path_derivative(const Block& block, double b, std::span<double> out) const;
    void move(Block& block, double b, const model::BlockStreams& streams) const;
    void draw_end(Block& block, double b_end, const model::BlockStreams& streams) const;
    void set_mode(Block& block, double b_end, const model::BlockStreams& streams) const;
    void swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const;
    std::optional<double> log_normaliser_start() const { return log_normaliser(0); }
    std::optional<double> exact_log_ratio(double b_end) const { return log_normaliser(b_end) - log_normaliser(0); }
    /// The mean of u = d log f_b/db over p_b.
    std::optional<double> equilibrium_mean_u(double b) const;
    /// x1, x2, ...: the first coordinates, 4 at most.
    std::vector<std::string> quantity_names() const;
    Matrix path_quantities(const Block& block) const;
    std::vector<model::MeanAndSd> equilibrium_moments(double b) const;
    void fingerprint(model::Fingerprint& fingerprint) const;

  private:
    /// x = mean + width z, z of every particle from its own stream of that purpose, plus `kept` (x - mean).
    void draw(Block& block, double mean, double width, double kept, const model::BlockStreams& streams,
              random::Purpose purpose) const;
    double log_normaliser(double b) const;
    Index n_quantities() const;

    GaussianSettings settings_;
    double correlation_;
};

} // namespace pearlite::models
