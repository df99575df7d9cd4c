#pragma once
/// The measurements of parallel tempering: sums over its scans, the travels of replicas, and recorded energies.

#include "algorithm/common/trace.hpp"
#include "estimator/mbar/ladder_mbar.hpp"
#include "path/schedule.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

namespace pearlite::algorithm {

/// A replica's history, which travels with its state.
struct ReplicaTag {
    /// The tag of a replica that has not been at an end of the ladder. Later tags are 2 r if it was last at the start,
    /// and 2 r - 1 if it was last at the end, where r is its number of passages from b_0 to b_K.
    static constexpr std::int64_t nowhere = -1;
    static std::int64_t visit_start(std::int64_t tag) { return is_from_end(tag) || tag == nowhere ? tag + 1 : tag; }
    static std::int64_t visit_end(std::int64_t tag) { return is_from_end(tag) || tag == nowhere ? tag : tag + 1; }
    static std::int64_t passages(std::int64_t tag) { return (tag + 1) / 2; }

  private:
    static bool is_from_end(std::int64_t tag) { return tag % 2 == 1; }
};

/// Sums over the kept scans, of the replica systems i = 0..R-1 at the temperatures t = 0..T-1: element t R + i; a rank
/// has the elements of the states that it holds. u = d log f_b/db at b_t.
struct TemperingSums {
    std::vector<double> u, u_first_half, u_square;
    /// sum exp(x - shift) of x = log f_{t+1} - log f_t (forward, not for the last t) at x ~ p_t, with its shift.
    std::vector<double> ratio, ratio_shift;
    /// Expected swaps with the next temperature, over the scans at which the pair's turn came.
    std::vector<double> swaps;
    std::vector<std::int64_t> tags; ///< see ReplicaTag

    /// The sums of n states before the first scan.
    static TemperingSums of_states(std::size_t n);

    /// The place of a scan among the measured scans.
    struct Scan {
        bool is_first = false;
        bool is_in_first_half = false;
    };
    /// Adds one scan's u and log f_{t+1} - log f_t of the states first, first + 1, ...
    void add(std::size_t first, std::span<const double> derivatives, std::span<const double> log_ratios,
             const Scan& scan);

    /// Fields of a checkpoint: a sharded field for each sum, sharded like the particles of `states`.
    void fields(Fields& f, const population::Generation& states) {
        each([&](const char* name, auto& values) {
            constexpr bool is_real = std::is_same_v<decltype(values), std::vector<double>&>;
            f.sharded(name, states.array_field(values, is_real ? ItemType::float64 : ItemType::int64));
        });
    }

  private:
    /// use(name in files, values) for each of the sums.
    template <class Use>
    void each(Use&& use) {
        use("sum_u", u);
        use("sum_u_first_half", u_first_half);
        use("sum_u_square", u_square);
        use("sum_ratio", ratio);
        use("ratio_shift", ratio_shift);
        use("sum_swaps", swaps);
        use("replica_tags", tags);
    }
};

/// The number of scans in after+1 .. last at which the pair (t, t+1) has its turn: the scans of t's parity.
Index due_scans(Index t, Index after, Index last);

/// Collective. The trace after `scans` scans, from the sums of the states that this rank owns under `layout`, whose
/// block t holds the R states at temperature t of the schedule: one entry per temperature; log_ratio by the trapezoidal
/// rule, `ess` the number of measurements.
Trace tempering_trace(const parallel::Communicator& ranks, const TemperingSums& sums,
                      const parallel::BlockLayout& layout, const path::Schedule& schedule, Index burn_in, Index scans);

// u = d log f_b/db of measured scans at all temperatures, for MBAR.

/// The values of u of all states of a generation, whose block t holds the states at temperature t, at a fixed interval
/// of scans: as many as fit in `most_bytes` and as MBAR's equations can use with a billion products, but at least 32 of
/// each state.
class RecordedEnergies {
  public:
    /// `scans`: the number of measured scans.
    RecordedEnergies(const population::Generation& states, Index scans, std::size_t most_bytes);

    /// Takes note of u of the states of local block b after the n-th measured scan, n >= 1, if its turn has come.
    void record(const population::Generation& states, Index b, std::span<const double> u, Index n);

    estimator::LadderRecords records() const { return {values_, scans_}; }

    /// For a checkpoint: an item is a state.
    ShardedField field();

  private:
    static Index thinning(const population::Generation& states, Index scans, std::size_t most_bytes);

    parallel::BlockLayout layout_;
    Index thin_, scans_;
    std::vector<double> values_;
};

// How far the moves of a scan carry the states at each temperature, exchanges apart.

/// Sums over some of the measured scans, evenly spread, enough for the motion of 1024 states at a temperature. The
/// coldest states may stand still although the ladder works: exchanges bring new ones.
class TemperingMotion {
  public:
    /// Watches the blocks of `states`, one for each temperature; `accepts`: whether their kernel accepts and rejects.
    TemperingMotion(std::shared_ptr<const model::Target> target, const population::Generation& states, Index kept_scans,
                    bool accepts);

    /// Whether the moves of the n-th measured scan, n >= 1, are watched: none if there is nothing to compare.
    bool watches(Index n) const { return watch_.n_sums() > 0 && n % stride_ == 0; }
    /// Takes note of the states of local block b before their moves at b_to.
    void remember(const population::Generation& states, Index b, double b_to) { watch_.remember(states, b, b_to); }
    /// Compares them with the states after `moves` moves, of which `accepted` were accepted, over all states.
    /// `energies`, `shape`: as in MotionWatch.
    void compare(const population::Generation& states, Index b, std::span<const double> energies,
                 const kernel::Shape* shape, Index moves, Index accepted);

    /// Collective. Fills in the trace's moves, acceptance and mobility of all temperatures.
    void write_to(const parallel::Communicator& ranks, Trace& trace) const;

    /// For a checkpoint: an item for each temperature.
    ShardedField field();

  private:
    MotionWatch watch_;
    parallel::BlockLayout layout_;
    Index stride_;
    bool accepts_;
    std::size_t width_;             ///< of a temperature: the sums of its motion, and those of its moves
    std::vector<double> sums_;      ///< of the temperatures here
    std::vector<double> no_weight_; ///< log weights of equal weights
};

} // namespace pearlite::algorithm
