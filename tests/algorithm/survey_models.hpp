#pragma once
/// Models for surveys, and a survey of a model that brings its own transition.

#include "algorithm/pilot/survey.hpp"
#include "kernel/native.hpp"
#include "path/relaxing_gaussian.hpp"
#include "pearlite/core/column_block.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <cmath>
#include <utility>

namespace pearlite::algorithm::testing {

/// The path of path::Relaxation in d independent dimensions.
class RelaxingGaussian {
  public:
    using Block = ColumnBlock<double>;
    RelaxingGaussian(path::Relaxation relaxation, Index dimension)
        : relaxation_(std::move(relaxation)), dimension_(dimension) {}

    Block make_block(Index size) const { return Block(dimension_, size); }
    void prepare(Block&) const {}
    void draw_start(Block& block, const model::BlockStreams& streams) const {
        move_by(block, 0, 0, streams, random::Purpose::start);
    }
    void move(Block& block, double b, const model::BlockStreams& streams) const {
        move_by(block, b, std::exp(-0.5 / relaxation_(b)), streams, random::Purpose::move);
    }
    void add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] += (to - from) * u(block, i);
    }
    void path_derivative(const Block& block, double, std::span<double> out) const {
        for (Index i = 0; i < block.size(); ++i)
            out[static_cast<std::size_t>(i)] = u(block, i);
    }
    std::optional<double> log_normaliser_start() const { return 0; }
    std::optional<double> exact_log_ratio(double b) const {
        return -0.5 * static_cast<double>(dimension_) * std::log(path::relaxing_precision(b));
    }
    void fingerprint(model::Fingerprint& fingerprint) const { fingerprint.add("relaxing"); }

  private:
    static double u(const Block& block, Index i) {
        return path::relaxing_factor * block.columns().col(i).squaredNorm();
    }
    void move_by(Block& block, double b, double rho, const model::BlockStreams& streams,
                 random::Purpose purpose) const {
        const double width = std::sqrt((1 - rho * rho) / path::relaxing_precision(b));
        for (Index i = 0; i < block.size(); ++i) {
            random::Stream stream(streams.at(purpose, i));
            for (Index k = 0; k < dimension_; ++k) {
                double& x = block.columns()(k, i);
                x = rho * (rho > 0 ? x : 0) + width * stream.normal();
            }
        }
    }

    path::Relaxation relaxation_;
    Index dimension_;
};

template <class M>
Survey survey_of(const parallel::Communicator& ranks, const M& model, const SurveySettings& settings) {
    const auto target = model::target_of(model);
    return Survey(
        ranks, target, 1, [target](const path::Schedule&) { return std::make_unique<kernel::Native>(target); },
        settings);
}

} // namespace pearlite::algorithm::testing
