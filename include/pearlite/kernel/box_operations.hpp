#pragma once
/// Operations on points of a box, an operation on all chains at once (Karagiannis et al. 2017, section 4; Liang & Wong
/// 2001; differential steps: ter Braak 2006).

#include "pearlite/model/energy.hpp"
#include "pearlite/model/search_space.hpp"

#include <string>
#include <vector>

namespace pearlite::kernel {

/// Chains as the columns of a d x padded matrix whose rows are contiguous, and what they propose.
class BoxChains {
  public:
    BoxChains(Index dimension, Index size);

    Index size() const { return size_; }
    Index padded_size() const { return points_.cols(); }
    Index dimension() const { return points_.rows(); }
    std::size_t packed_bytes() const { return static_cast<std::size_t>(dimension()) * sizeof(double); }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);

    model::LaneMatrix& points() { return points_; }
    const model::LaneMatrix& points() const { return points_; }
    const model::LaneMatrix& proposed() const { return proposed_; }

    void accept(std::span<const std::uint8_t> accepted);
    /// Energies of proposals outside the closed box become +inf.
    void refuse_outside(std::span<const double> lower, std::span<const double> upper, std::span<double> energies) const;
    /// log_ratios of the last proposals: the Jacobian, and for a scale s that depends on the region
    /// D log(s/s') - |step|^2 (1/s'^2 - 1/s^2) / 2.
    void add_scale_ratios(const model::ProposalScale& scale, std::span<const double> energies,
                          model::Proposals& proposals) const;

  private:
    friend class BoxOperations;
    Index size_;
    model::LaneMatrix points_, proposed_, noise_;
    std::vector<double> scales_;       ///< of each chain's proposal
    std::vector<double> log_jacobian_; ///< of each chain's proposal
    std::vector<double> square_step_;  ///< |normal draws x scale|^2
    Index normal_draws_ = 0;           ///< D
};

struct BoxOperationSettings {
    /// metropolis, hit-and-run, k-point, k-point-crossover, snooker, linear, differential.
    std::vector<std::string> operations{"metropolis",        "hit-and-run", "k-point",
                                        "k-point-crossover", "snooker",     "linear"};
    Index mutation_points = 1;  ///< coordinates of the k-point mutation, at most d
    Index crossover_points = 2; ///< of the k-point crossover; at most d - 1
    double first_scale = 0.1;   ///< of the box's width, or of start_sd
    double start_sd = 1;        ///< of starts in an infinite box
};

class BoxOperations {
  public:
    BoxOperations(const BoxOperationSettings& settings, Index dimension);

    std::span<const model::Operation> list() const { return list_; }
    void draw_start(BoxChains& chains, std::span<const double> lower, std::span<const double> upper,
                    const model::BlockStreams& streams) const;
    void mutate(BoxChains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams) const;
    void cross(BoxChains& chains, std::span<const BoxChains> partners, Index op, const model::Meetings& meetings,
               const model::ProposalScale& scale, std::span<const double> energies,
               const model::BlockStreams& streams) const;

    /// Names that settings may list, in the order of the enumeration.
    static const std::vector<std::string>& names();

  private:
    enum class Step { metropolis, hit_and_run, k_point, k_point_crossover, snooker, linear, differential };

    void metropolis(BoxChains& chains, const model::BlockStreams& streams) const;
    void hit_and_run(BoxChains& chains, const model::BlockStreams& streams) const;
    void k_point(BoxChains& chains, const model::BlockStreams& streams) const;
    void k_point_crossover(BoxChains& chains, const BoxChains& partners, const model::Meetings& meetings,
                           const model::BlockStreams& streams) const;
    void snooker(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const;
    void linear(BoxChains& chains, const BoxChains& partners, const model::BlockStreams& streams) const;
    void differential(BoxChains& chains, const BoxChains& first, const BoxChains& second,
                      const model::BlockStreams& streams) const;

    BoxOperationSettings settings_;
    std::vector<Step> steps_;
    std::vector<model::Operation> list_;
};

} // namespace pearlite::kernel
