#pragma once
/// Operations on points of a box; each acts on all chains at once (Karagiannis et al. 2017, section 4; Liang & Wong
/// 2001; differential steps: ter Braak 2006).

#include "pearlite/model/energy/detail/search_space.hpp"
#include "pearlite/model/energy/energy.hpp"
#include "pearlite/model/energy/local_moves.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pearlite::kernel {

/// Chains as the columns of a d x padded matrix whose rows are contiguous, and their proposals: a lane for each chain
/// that takes part, so that nothing is computed for the other chains.
class BoxChains {
  public:
    BoxChains(Index dimension, Index size);

    Index size() const { return size_; }
    Index padded_size() const { return points_.cols(); }
    Index dimension() const { return points_.rows(); }
    std::size_t packed_bytes() const { return static_cast<std::size_t>(dimension()) * sizeof(double); }
    void pack(Index slot, std::span<std::byte> out) const;
    void unpack(Index slot, std::span<const std::byte> in);
    /// Slot i becomes the state in slot source[i] of `from`, if source[i] is not negative.
    void copy(const BoxChains& from, std::span<const Index> source);

    model::LaneMatrix& points() { return points_; }
    const model::LaneMatrix& points() const { return points_; }

    /// The last proposals: d x lanes, of which the first n_proposed() are chains.
    const model::LaneMatrix& proposed() const { return work().proposed; }
    model::LaneMatrix& proposals() { return work().proposed; }
    Index n_proposed() const { return static_cast<Index>(taking_part_.size()); }
    /// The draws of the last mutation if it was a local move, and its coordinate if it changed only one.
    model::LocalDraws draws(Index slot) const;
    Index coordinate(Index slot) const { return chosen_[static_cast<std::size_t>(slot)]; }
    model::LaneColumn proposal(Index slot) { return {work().proposed, slot}; }
    void set_log_jacobian(Index slot, double value) { log_jacobian_[slot] = value; }
    /// Room for the energies of the proposals.
    std::span<double> proposed_energies() { return {energies_.data(), static_cast<std::size_t>(lanes_)}; }

    /// Energies of proposals outside the closed box become +inf.
    void refuse_outside(std::span<const double> lower, std::span<const double> upper);
    /// Hands the proposals out by slots. log_ratios: the Jacobian, and for a scale s that depends on the region
    /// D log(s/s') - |step|^2 (1/s'^2 - 1/s^2) / 2.
    void report(const model::ProposalScale& scale, std::span<const double> energies, model::Proposals& proposals) const;
    void accept(std::span<const std::uint8_t> accepted);

  private:
    friend class BoxOperations;
    friend class BoxDraft; // what an operation sees
    using Noise = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    /// Matrices of d x lanes, for one number of lanes.
    struct Work {
        model::LaneMatrix own, first, second, proposed;
    };

    void begin_with_all(const model::ProposalScale& scale, std::span<const double> energies);
    void begin_with(std::span<const std::uint8_t> active, const model::ProposalScale& scale,
                    std::span<const double> energies);
    void begin(const model::ProposalScale& scale, std::span<const double> energies);
    bool is_everyone() const { return lanes_ == padded_size(); }
    /// The columns of the chains that take part: `from` itself if all chains do, else a copy in `to`.
    const model::LaneMatrix& columns(const model::LaneMatrix& from, model::LaneMatrix& to);
    /// Copies row 0 of the noise of the chains that take part.
    void take_noise(Vector& r) const;
    Index slot(Index lane) const { return taking_part_[static_cast<std::size_t>(lane)]; }
    Work& work() { return works_[static_cast<std::size_t>(lanes_ / lane_padding)]; }
    const Work& work() const { return works_[static_cast<std::size_t>(lanes_ / lane_padding)]; }

    Index size_;
    model::LaneMatrix points_;
    Noise noise_;                ///< by slots
    model::LaneMatrix uniforms_; ///< by slots

    std::vector<Index> taking_part_; ///< slots in increasing order
    Index lanes_ = 0;                ///< their number, padded
    std::vector<Work> works_;        ///< by lanes / lane_padding
    Vector energies_;                ///< of the proposals, by lanes, as all members below
    Vector scales_, log_jacobian_;
    Vector square_step_;                                                                ///< |normal draws x scale|^2
    Vector step_;                                                                       ///< or factor of a direction
    std::vector<Index> coordinates_;                                                    ///< chosen ones, or cuts
    std::vector<Index> chosen_;                                                         ///< the last of them, by slots
    Eigen::Matrix<std::int64_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> cuts_; ///< d x lanes
    std::vector<Index> source_;                                                         ///< of columns to be copied
    Index normal_draws_ = 0;                                                            ///< D
};

/// The operations that chains make unless others are listed.
std::vector<std::string> default_box_operations();

struct BoxOperationSettings {
    /// Names of src/kernel/search/box/list_of_operations.inl, and of the energy's own moves.
    std::vector<std::string> operations = default_box_operations();
    Index mutation_points = 1;  ///< coordinates of the k-point mutation, at most d
    Index crossover_points = 2; ///< of the k-point crossover; at most d - 1
    double first_scale = 0.1;   ///< standard deviation of the first steps, in units of the coordinates
    double start_sd = 1;        ///< of starts in an infinite box
};

struct BoxOperationEntry;

/// The operations of a search in a box, in the order of its settings.
class BoxOperations {
  public:
    /// `own`: local moves that the energy offers. InputError if the settings name an operation twice or an unknown
    /// operation, or do not fit the dimension.
    BoxOperations(const BoxOperationSettings& settings, Index dimension, std::span<const model::LocalMove> own = {});

    std::span<const model::Operation> list() const { return list_; }
    void draw_start(BoxChains& chains, std::span<const double> lower, std::span<const double> upper,
                    const model::BlockStreams& streams) const;
    void mutate(BoxChains& chains, Index op, const model::ProposalScale& scale, std::span<const double> energies,
                const model::BlockStreams& streams) const;
    /// `second`: the second partners if the operation has two, else null.
    void cross(BoxChains& chains, const BoxChains& partners, const BoxChains* second, Index op,
               const model::Meetings& meetings, const model::ProposalScale& scale, std::span<const double> energies,
               const model::BlockStreams& streams) const;

    /// The number of the energy's own move that an operation is, if any; mutate() makes only the draws of such a move.
    std::optional<Index> own_move(Index op) const { return own_moves_[static_cast<std::size_t>(op)]; }
    bool changes_one_coordinate(Index op) const;

    /// Names that settings may list beside the energy's own moves, in the order of list_of_operations.inl.
    static const std::vector<std::string>& names();

  private:
    void add(const std::string& name, const BoxOperationEntry& entry, Index dimension, std::optional<Index> own);

    BoxOperationSettings settings_;
    std::vector<const BoxOperationEntry*> entries_;
    std::vector<std::optional<Index>> own_moves_;
    std::vector<model::Operation> list_;
};

} // namespace pearlite::kernel
