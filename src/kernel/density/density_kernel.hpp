#pragma once
/// The common part of the kernels of densities: adaptation to a population, and the number of moves.

#include "kernel/density/shape.hpp"
#include "kernel/kernel.hpp"
#include "pearlite/path/detail/density_path.hpp"

#include <limits>
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
        Index extra_numbers = 0;        ///< that a kernel learns beyond moves, scale and shape
        /// If it is tuned.
        double largest_scale = std::numeric_limits<double>::infinity();
    };

    Index moves() const override { return count_.total(); }
    bool adapts() const override { return learning_ == Learning::online; }
    bool accepts() const override { return true; }
    bool is_time_reversible() const override { return true; }
    const Shape* shape() const override { return &shape_; }

    void adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step,
               const population::WeightSummary* weights = nullptr) override;
    bool tunes() const override;
    bool tune(const Motion& motion, double log_weight_sd) override;
    Index move(Block& block, double b, const model::BlockStreams& streams, std::span<double> derivative) const override;
    Index anneal(Block& block, double from, double to, const model::BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const override;
    Index anneal_reversed(Block& block, double from, double to, const model::BlockStreams& streams,
                          std::span<double> increments, std::span<double> derivative) const override;

    /// A row for each step, steps from 0: moves, scale, the shape's numbers (Shape::write), the extra numbers; row 0 is
    /// not used.
    Matrix learnt() const override;
    void fields(Fields& f) override;

    // As part of another kernel of densities, which learns for its parts.

    /// Called before the first transition of a block at b, and after other kernels' transitions. The block's logs are
    /// those at b.
    virtual void begin_block(model::DensityBlock&, double /*b*/) const {}
    /// One transition of each particle. Returns the number of accepted proposals.
    virtual Index transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const = 0;
    /// Collective. The extra numbers for a population, whose shape is given; `out` holds those that were before.
    virtual void learn_extra(const parallel::Communicator&, const population::Generation&, const Shape&,
                             std::span<double> /*out*/) {}
    /// Whether the scale follows the acceptance.
    virtual bool tunes_scale() const { return true; }
    /// The scale, if it is tuned, after a round with this share of accepted proposals; nothing if that is NaN.
    virtual void tune_scale(double acceptance);
    double scale() const { return scale_; }
    Index extra_numbers() const { return settings_.extra_numbers; }
    void set(Shape shape, double scale, std::span<const double> extra);

  protected:
    enum class Learning { online, given, constant };

    /// Learns online, and remembers every step for use by a later run; `learnt` are the rows of such a kernel, null
    /// before there is one.
    DensityKernel(Path path, const Settings& settings, const Matrix* learnt);
    /// A constant shape and scale.
    DensityKernel(Path path, const Settings& settings, Shape shape);
    DensityKernel(const DensityKernel&) = default;

    /// Called when shape, scale or extra numbers are new.
    virtual void prepare() {}

    const path::DensityPath& path() const { return *path_; }
    bool is_automatic() const { return count_.is_automatic(); }
    const Shape& proposal_shape() const { return shape_; }
    std::span<const double> extra() const { return extra_; }
    std::span<double> extra() { return extra_; }
    void set_shape(Shape shape);

  private:
    Index row_size() const {
        return 2 + Shape::numbers(path_->dimension(), shape_.is_diagonal()) + settings_.extra_numbers;
    }
    bool is_number_of_moves(double number) const;
    void read_row(Index row_number);
    void write_row();

    Path path_;
    Settings settings_;
    Learning learning_;
    MoveCount count_;
    Shape shape_; ///< of the present step
    double scale_;
    std::vector<double> extra_;
    Index step_ = 0;
    std::vector<double> rows_; ///< of all steps from 0, one after another
};

} // namespace pearlite::kernel
