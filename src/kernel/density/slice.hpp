#pragma once
/// Slice sampling along a line through each point.

#include "kernel/density/density_kernel.hpp"

#include <optional>
#include <vector>

namespace pearlite::kernel {

/// Lines of the slice sampler, and its brackets on them.
struct Brackets {
    enum class Direction { hit_and_run, coordinate };
    Direction direction = Direction::hit_and_run;
    std::optional<double> width = {}; ///< w in standard deviations of the population; none: tuned
    Index most_widths = 8;            ///< m
};

/// The slice sampler of Neal (2003, "Slice sampling", section 4) on the line x + t e (Turchin 1971: hit-and-run):
///
/// * e = L z/|z|, z ~ N(0, I), L L' the population's covariance; or a coordinate, each with the same probability, times
///   its standard deviation. It does not depend on x.
/// * The slice is {t : f_b(x + t e) > u f_b(x)}, u uniform on (0, 1).
/// * A bracket of width w, at a random place around t = 0, steps out by widths until both ends are outside of the
///   slice, up to m widths in all, which a random number divides between the ends (figure 3).
/// * Candidates are uniform on the bracket, which shrinks to each one that is outside of the slice (figure 5). After
///   100 of them the point stays; as the reversed sequence of candidates ends there too, that is exact.
///
/// The points of a block search side by side: each round evaluates a candidate of each. "Accepted" are first candidates
/// inside the slice. w follows their share: too wide a bracket has few, too narrow a one nothing but them.
///
/// Not for estimated likelihoods, whose value at a point differs from one evaluation to the next.
class Slice : public DensityKernel {
  public:
    /// ContractViolation if the path's densities are estimates.
    Slice(Path path, const MoveSettings& moves, const Matrix* learnt = nullptr,
          Covariance covariance = Covariance::automatic, const Brackets& brackets = {});
    std::unique_ptr<Kernel> clone() const override { return std::make_unique<Slice>(*this); }

    /// Measured for a normal distribution and blocks of 16; every round counts, for all points of the block.
    double evaluations_per_move() const override { return 7; }

    Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const override;
    bool tunes_scale() const override { return !brackets_.width; }

  protected:
    /// A point's search for the next t. All t are multiples of e.
    struct Search {
        enum class Stage { stepping_down, stepping_up, shrinking, ended };
        Stage stage = Stage::ended;
        double level = 0;            ///< log density above which the slice is
        double lower = 0, upper = 0; ///< the bracket
        Index below = 0, above = 0;  ///< widths that each end may still step out
        Index candidates = 0;        ///< inside the bracket, so far
        double t = 0;                ///< to be evaluated next
    };
    /// Level and first bracket of a point with this log density, from three uniforms.
    virtual void open(Search& search, double log_density, double of_level, double of_place, double of_division) const;
    void prepare() override;

  private:
    /// Columns of block.normals become e.
    void draw_directions(model::DensityBlock& block, const model::BlockStreams& streams) const;
    /// Uniform k of particle i; draws more of them for all particles when the present ones are used up.
    double uniform(const model::DensityBlock& block, const model::BlockStreams& streams, Index k, Index i) const;
    /// Chooses t, with the next stage where this one has nothing left to evaluate.
    void choose(Search& search, const model::DensityBlock& block, const model::BlockStreams& streams, Index i) const;
    /// Takes note of the log density at t. Returns whether t is the end of the search.
    bool look(Search& search, double log_density) const;

    Brackets brackets_;
    Vector deviations_; ///< of the population's coordinates
    mutable std::vector<Search> searches_;
    mutable std::vector<double> uniforms_;
};

} // namespace pearlite::kernel
