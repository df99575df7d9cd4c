#pragma once
/// The common part of the kernels of densities: what they learn of a population, and how often they move.

#include "kernel/density/shape.hpp"
#include "kernel/kernel.hpp"
#include "kernel/moves.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <vector>

namespace pearlite::kernel {

/// A kernel moves points by transitions that leave p_b invariant and are their own time reversal. Their proposals have
/// a shape and a scale, the length of a step in units of the shape:
///
/// * online, the shape is that of the population before the moves, and the scale follows the acceptance at the
///   rounds before, log scale += a - a*, a* the wanted acceptance. Both depend on the particles that they move, which
///   biases Z;
/// * given, shape, scale and number of moves are those of a pilot, a row for each step; Z is then unbiased;
/// * or they are constants that the sampler sets.
class DensityKernel : public Kernel {
  public:
    using Path = std::shared_ptr<const path::DensityPath>;

    struct Settings {
        MoveSettings moves;
        Covariance covariance = Covariance::automatic;
        double scale = 1;               ///< at first
        double wanted_acceptance = 0.5; ///< if the scale is tuned
    };

    Index moves() const override { return count_.total(); }
    bool adapts() const override { return learning_ == Learning::online; }
    bool accepts() const override { return true; }
    bool is_time_reversible() const override { return true; }
    const Shape* shape() const override { return &shape_; }

    void adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step) override;
    bool tunes() const override;
    bool tune(const Motion& motion, double log_weight_sd) override;
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;
    Index anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const override;

    /// A row for each step, steps from 0: moves, scale, then the shape's numbers (Shape::write); row 0 is not used.
    Matrix learnt() const override;
    void fields(Fields& f) override;

  protected:
    enum class Learning { online, given, constant };

    /// Learns online, and remembers every step for use by a later run; `learnt` are the rows of such a kernel, null
    /// before there is one.
    DensityKernel(Path path, const Settings& settings, const Matrix* learnt);
    /// A constant shape and scale.
    DensityKernel(Path path, const Settings& settings, Shape shape);
    DensityKernel(const DensityKernel&) = default;

    /// One transition of each particle. Returns the number of accepted proposals.
    virtual Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const = 0;
    /// Called before the first transition of a block at b, whose logs are then those at b.
    virtual void begin_block(model::DensityBlock&, double /*b*/) const {}
    /// Called when shape or scale are new.
    virtual void prepare() {}
    /// Whether the scale follows the acceptance.
    virtual bool tunes_scale() const { return true; }

    const path::DensityPath& path() const { return *path_; }
    const Path& shared_path() const { return path_; }
    bool is_automatic() const { return count_.is_automatic(); }
    double scale() const { return scale_; }
    const Shape& proposal_shape() const { return shape_; }
    void set_shape(Shape shape);

  private:
    Index row_size() const { return 2 + Shape::numbers(path_->dimension(), shape_.is_diagonal()); }
    void read_row(Index step);
    void write_row();

    Path path_;
    Settings settings_;
    Learning learning_;
    MoveCount count_;
    Shape shape_; ///< of the present step
    double scale_;
    Index step_ = 0;
    std::vector<double> rows_; ///< of all steps from 0, one after another
};

} // namespace pearlite::kernel
