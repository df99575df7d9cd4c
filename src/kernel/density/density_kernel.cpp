#include "kernel/density/density_kernel.hpp"

#include "path/bridge/start_scale.hpp"
#include "pearlite/model/detail/density_functions.hpp"
#include "pearlite/model/detail/locate_errors.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::kernel {

using model::BlockStreams;

namespace {

/// Whether a shape of this size is diagonal in d dimensions.
bool are_diagonal(Index numbers, Index d) {
    return d > 1 && numbers == Shape::numbers(d, true);
}

} // namespace

DensityKernel::DensityKernel(Path path, const Settings& settings, const Matrix* learnt)
    : path_(std::move(path)),
      settings_(settings),
      learning_(learnt ? Learning::given : Learning::online),
      count_(settings.moves),
      scale_(settings.scale),
      extra_(static_cast<std::size_t>(settings.extra_numbers)) {
    PEARLITE_EXPECTS(path_ != nullptr);
    const Index d = path_->dimension();
    if (!learnt) {
        shape_ = Shape::standard(d, d > 1 && settings.covariance == Covariance::diagonal);
        return;
    }
    shape_ = Shape::standard(d, are_diagonal(learnt->cols() - 2 - settings.extra_numbers, d));
    PEARLITE_EXPECTS(learnt->rows() >= 2 && learnt->cols() == row_size());
    rows_.resize(static_cast<std::size_t>(learnt->size()));
    Eigen::Map<Matrix>(rows_.data(), learnt->cols(), learnt->rows()) = learnt->transpose();
}

DensityKernel::DensityKernel(Path path, const Settings& settings, Shape shape)
    : path_(std::move(path)),
      settings_(settings),
      learning_(Learning::constant),
      count_(settings.moves),
      shape_(std::move(shape)),
      scale_(settings.scale),
      extra_(static_cast<std::size_t>(settings.extra_numbers)) {
    PEARLITE_EXPECTS(path_ != nullptr && shape_.dimension() == path_->dimension() && settings.moves.number);
}

void DensityKernel::set_shape(Shape shape) {
    shape_ = std::move(shape);
    prepare();
}

void DensityKernel::set(Shape shape, double scale, std::span<const double> extra) {
    PEARLITE_EXPECTS(shape.dimension() == path_->dimension() && extra.size() == extra_.size());
    shape_ = std::move(shape);
    scale_ = scale;
    std::copy(extra.begin(), extra.end(), extra_.begin());
    prepare();
}

void DensityKernel::adapt(const parallel::Communicator& ranks, const population::Generation& generation, Index step,
                          const population::WeightSummary* weights) {
    if (learning_ == Learning::constant)
        return;
    step_ = step;
    if (learning_ == Learning::given)
        return read_row(learnt_row(step));
    const Index d = path_->dimension();
    if (rows_.empty() && d > 1 && is_diagonal(settings_.covariance, d, generation.size()) != shape_.is_diagonal())
        shape_ = Shape::standard(d, !shape_.is_diagonal());
    const auto* density = path_->offers<model::DensityFunctions>();
    const auto* scale = density ? density->offers<path::StartScale>() : nullptr;
    shape_ = shape_of(ranks, generation, shape_, weights, scale ? &scale->factor() : nullptr);
    learn_extra(ranks, generation, shape_, extra_);
    count_.begin();
    prepare();
    write_row();
}

bool DensityKernel::tunes() const {
    return learning_ == Learning::online && (count_.is_automatic() || tunes_scale());
}

void DensityKernel::tune_scale(double acceptance) {
    if (!tunes_scale() || std::isnan(acceptance))
        return;
    scale_ = std::min(scale_ * std::exp(acceptance - settings_.wanted_acceptance), settings_.largest_scale);
    prepare();
}

bool DensityKernel::tune(const Motion& motion, double log_weight_sd) {
    tune_scale(motion.acceptance);
    const bool more = count_.wants_more(motion.smallest(), log_weight_sd);
    write_row();
    return more;
}

Index DensityKernel::move(Block& block, double b, const BlockStreams& streams, std::span<double> derivative) const {
    auto& points = path::points_of(block);
    Index accepted = 0;
    model::locate_errors(streams, points.size(), [&] {
        path_->bring_to(points, b, streams);
        begin_block(points, b);
        for (Index m = count_.made(); m < count_.total(); ++m) {
            auto of_move = streams;
            of_move.step = streams.step * static_cast<std::uint32_t>(count_.stride()) + static_cast<std::uint32_t>(m);
            accepted += transition(points, b, of_move);
        }
        path_->path_derivative(block, b, derivative);
    });
    return accepted;
}

Index DensityKernel::anneal(Block& block, double from, double to, const BlockStreams& streams,
                            std::span<double> increments, std::span<double> derivative) const {
    path_->add_log_ratio(block, from, to, increments);
    return move(block, to, streams, derivative);
}

Index DensityKernel::anneal_reversed(Block& block, double from, double to, const BlockStreams& streams,
                                     std::span<double> increments, std::span<double> derivative) const {
    return anneal(block, from, to, streams, increments, derivative);
}

Matrix DensityKernel::learnt() const {
    return Eigen::Map<const Matrix>(rows_.data(), row_size(), static_cast<Index>(rows_.size()) / row_size())
        .transpose();
}

void DensityKernel::read_row(Index row_number) {
    const auto begin = static_cast<std::size_t>(row_number * row_size());
    PEARLITE_EXPECTS(row_number >= 1 && begin + static_cast<std::size_t>(row_size()) <= rows_.size());
    const std::span row(rows_.data() + begin, static_cast<std::size_t>(row_size()));
    if (count_.is_automatic()) {
        PEARLITE_EXPECTS(is_number_of_moves(row[0]));
        count_.begin(static_cast<Index>(row[0]));
    }
    scale_ = row[1];
    const auto rest = row.subspan(2);
    shape_ = Shape::read(rest.first(rest.size() - extra_.size()), path_->dimension(), shape_.is_diagonal());
    std::copy(rest.end() - static_cast<std::ptrdiff_t>(extra_.size()), rest.end(), extra_.begin());
    prepare();
}

void DensityKernel::write_row() {
    const auto begin = static_cast<std::size_t>(step_ * row_size());
    rows_.resize(begin + static_cast<std::size_t>(row_size()), 0.0);
    const std::span row(rows_.data() + begin, static_cast<std::size_t>(row_size()));
    row[0] = static_cast<double>(count_.total());
    row[1] = scale_;
    const auto rest = row.subspan(2);
    shape_.write(rest.first(rest.size() - extra_.size()));
    std::copy(extra_.begin(), extra_.end(), rest.end() - static_cast<std::ptrdiff_t>(extra_.size()));
}

void DensityKernel::fields(Fields& f) {
    Matrix mean = shape_.mean(), factor = shape_.factor();
    f("mean", mean);
    f("factor", factor);
    if (f.is_reading())
        shape_ = {mean.reshaped(), std::move(factor)};
    f("scale", scale_);
    if (!extra_.empty())
        f("extra", extra_);
    f("learnt", rows_);
    group(f, "moves", count_);
    if (!f.is_reading())
        return;
    if (count_.is_automatic()) { // a pilot's rows, too, which the main run will read
        const auto rows = learnt();
        for (Index row = 1; row < rows.rows(); ++row)
            PEARLITE_EXPECTS(is_number_of_moves(rows(row, 0)) || (learning_ == Learning::online && rows(row, 0) == 0));
    }
    prepare();
}

bool DensityKernel::is_number_of_moves(double number) const {
    return number >= 1 && number <= static_cast<double>(count_.stride());
}

} // namespace pearlite::kernel
