#pragma once
/// The record of a sampler at each temperature.

#include "algorithm/common/motion_watch.hpp"

#include <exception>
#include <span>
#include <vector>

namespace pearlite::algorithm {

/// One entry per temperature, b_0 first. E and Var are over p_b, estimated with the weights of that temperature and the
/// states after its move, of u = d log f_b/db: their integral over b is log Z, and Var drives optimal schedules.
struct Trace {
    std::vector<double> inverse_temperature;
    std::vector<double> log_ratio;   ///< running log Z_b/Z_0
    std::vector<double> ess;         ///< in particles
    std::vector<double> mean_u;      ///< -inf at b_0 if a particle has likelihood 0 there
    std::vector<double> variance_u;  ///< then NaN
    std::vector<double> acceptance;  ///< fraction, NaN where nothing was proposed; empty for kernels that never reject
    std::vector<std::int64_t> moves; ///< transitions of each particle; 0 where none was made
    /// Motion of the first particles over the moves (kernel::Motion), NaN where it is not known: of points in the norm
    /// of the population's covariance, of u, of the worst coordinate and of the median one; and the share that stayed.
    std::vector<double> mobility, mobility_energy, mobility_worst, mobility_median, unmoved;
    /// Families behind the mean of u and behind the share that stayed (MotionFamilies), for samplers that resample;
    /// else empty.
    std::vector<double> energy_families, unmoved_families;
    std::vector<std::int64_t> resampled; ///< 0 or 1, for samplers that resample; else empty
    std::vector<std::int64_t> eves;      ///< surviving Eves, for samplers that resample; else empty
    std::vector<double> weight_tau;      ///< autocorrelation time of the weights to b_k, for samplers whose particles
                                         ///< are states of chains; else empty

    /// The names of the arrays, in checkpoints and results.
    template <class Fields>
    void fields(Fields& f) {
        f("inverse_temperature", inverse_temperature);
        f("ess", ess);
        f("log_ratio", log_ratio);
        f("mean_u", mean_u);
        f("variance_u", variance_u);
        f("acceptance", acceptance);
        f("moves", moves);
        f("mobility", mobility);
        f("mobility_energy", mobility_energy);
        f("mobility_worst", mobility_worst);
        f("mobility_median", mobility_median);
        f("unmoved", unmoved);
        f("resampled", resampled);
        f("eves", eves);
        f("weight_tau", weight_tau);
        // Checkpoints of 0.1.0 have no families, as those of samplers that do not resample.
        if constexpr (requires { f.has_items("", 0); })
            if (f.is_reading() && !f.has_items("energy_families", std::ssize(inverse_temperature))) {
                const auto unknown = resampled.empty() ? 0 : inverse_temperature.size();
                energy_families.assign(unknown, std::numeric_limits<double>::quiet_NaN());
                unmoved_families = energy_families;
                return;
            }
        f("energy_families", energy_families);
        f("unmoved_families", unmoved_families);
    }
};

/// On-the-fly statistics of annealing: (w, x) weighted with w_k, which already holds the increment to b_k, targets p_k.
/// Blocks add their partial sums; one collective reduces many temperatures, so that a step waits for no other rank.
class OnTheFly {
  public:
    /// Opens the record of the next temperature, at which each of n particles makes `moves` (0: nothing is accepted or
    /// rejected there, and the acceptance is NaN).
    void begin(double inverse_temperature, Index moves, Index particles);
    /// A block's log weights and derivatives d log f_b/db, its number of accepted proposals, and its motion if it is
    /// watched.
    void add_block(std::span<const double> log_weights, std::span<const double> derivatives, Index accepted,
                   BlockMotion motion = {});
    Index pending() const { return static_cast<Index>(records_.size()); }

    /// Collective: two reductions. Reduces the pending temperatures and appends them to the trace. n_particles over all
    /// ranks; log_ratio_offset is added to log mean w; `accepts` says whether the kernel is one that accepts and
    /// rejects. The ranks agree on `failure`, an error of this rank since they last did.
    void flush(const parallel::Communicator& ranks, Index n_particles, double log_ratio_offset, bool accepts,
               Trace& trace, const std::exception_ptr& failure = nullptr);

    /// The largest log weights of all ranks: of the particles, and of the watched ones.
    struct Largest {
        double of_all = 0, of_watched = 0;
    };
    /// The sums of a record's blocks on all ranks.
    struct Sums {
        std::vector<double> values;
        std::int64_t accepted = 0;
        bool by_family = false; ///< the last sums are those of families
        kernel::Motion motion() const {
            const std::size_t of_families = by_family ? n_family_sums : 0;
            return motion_of(std::span(values).subspan(n_of_record, values.size() - n_of_record - of_families));
        }
    };
    /// Collective: one reduction. The sums of the only record pending, which append() then takes to the trace, or
    /// drop() leaves out. `n_motions`: sums of a block that is watched by families; `further`: numbers that are added
    /// over the ranks, in place. The ranks agree on `failure`.
    Sums sum(const parallel::Communicator& ranks, const Largest& largest, std::size_t n_motions,
             std::span<std::int64_t> further, const std::exception_ptr& failure) const;
    void append(const Sums& sums, const Largest& largest, Index n_particles, double log_ratio_offset, bool accepts,
                Trace& trace);
    void drop() { records_.clear(); }

  private:
    static constexpr std::size_t n_of_record = 4; ///< sums but those of motions
    /// Partial sums of one block, with weights relative to the block's largest.
    struct Partial {
        double log_max, weight, square, first, second;
    };
    struct Record {
        double inverse_temperature;
        Index moves, particles;
        std::vector<Partial> blocks;
        std::vector<BlockMotion> motions; ///< of watched blocks
        std::int64_t accepted = 0;
    };
    /// The largest log weight of each record's blocks and of its watched blocks, then the number of a motion's sums.
    std::vector<double> largest() const;
    /// Adds this rank's part of a record: n_of_record sums, then those of its motion, the last `of_families` of which
    /// are those of families.
    static void add(const Record& record, const Largest& largest, std::size_t of_families, std::span<ExactSum> sums);
    static void append(const Record& record, const Sums& sums, double log_max, Index n_particles,
                       double log_ratio_offset, bool accepts, Trace& trace);

    std::vector<Record> records_;
};

} // namespace pearlite::algorithm
