#include "pearlite/path/tempered.hpp"
#include "path/registry.hpp"
#include "pearlite/model/detail/locate_errors.hpp"
#include "target/named_data.hpp"

namespace pearlite::path {

namespace {

std::string complaint(const std::vector<std::string>& names, const Matrix& points, double log_prior,
                      double log_likelihood, Index i, const model::BlockStreams& streams) {
    return "log prior " + std::to_string(log_prior) + ", log likelihood " + std::to_string(log_likelihood) +
           " at step " + std::to_string(streams.run_step) + ", particle " + std::to_string(streams.first_slot + i) +
           ": " + named_coordinates(names, {points.col(i).data(), static_cast<std::size_t>(points.rows())});
}

} // namespace

void DensityPath::require_numbers(const Matrix& points, Index n, const Vector& log_prior, const Vector& log_likelihood,
                                  const model::BlockStreams& streams) const {
    for (Index i = 0; i < n; ++i)
        if (!(log_likelihood(i) < infinity) || !(log_prior(i) < infinity))
            throw NumericalError(complaint(coordinate_names(), points, log_prior(i), log_likelihood(i), i, streams));
}

namespace {

/// The reported parameters of a block's points.
class PointParameters final : public model::ReportedParameters {
  public:
    explicit PointParameters(const DensityPath& path) : path_(path) {}
    const std::vector<std::string>& parameter_names() const override { return path_.quantity_names(); }
    Matrix parameters(const Block& block) const override {
        return path_.quantities(points_of(block).points.leftCols(block.size()));
    }

  private:
    const DensityPath& path_;
};

class PointCosts final : public model::BlockCost {
  public:
    explicit PointCosts(const model::PointCost& cost) : cost_(cost) {}
    double cost(const Block& block) const override {
        const auto& points = points_of(block).points;
        double sum = 0;
        for (Index i = 0; i < block.size(); ++i)
            sum += cost_.cost({points.col(i).data(), static_cast<std::size_t>(points.rows())});
        return sum;
    }

  private:
    const model::PointCost& cost_;
};

class LogLikelihoodsOfBlocks final : public model::BlockLogLikelihoods {
  public:
    explicit LogLikelihoodsOfBlocks(const model::PointLogLikelihoods& of_points) : of_points_(of_points) {}
    Matrix log_likelihoods(const Block& block) const override {
        return of_points_.log_likelihoods(points_of(block).points, block.size());
    }

  private:
    const model::PointLogLikelihoods& of_points_;
};

} // namespace

Tempered::Tempered(std::shared_ptr<const model::DensityFunctions> density)
    : density_(std::move(density)), quantities_(density_->offers<model::ReportedQuantities>()) {
    offer<DensityPath>(std::shared_ptr<const DensityPath>(std::shared_ptr<const DensityPath>(), this));
    offer<model::DensityFunctions>(density_);
    offer<model::ReportedParameters>(std::make_shared<PointParameters>(*this));
    if (const auto* cost = density_->offers<model::PointCost>())
        offer<model::BlockCost>(std::make_shared<PointCosts>(*cost));
    if (const auto* of_points = density_->offers<model::PointLogLikelihoods>())
        offer<model::BlockLogLikelihoods>(std::make_shared<LogLikelihoodsOfBlocks>(*of_points));
    pass_on<model::DensityGradient>(*density_);
    pass_on<model::DensityMetric>(*density_);
    pass_on<model::EstimatorSize>(*density_);
    pass_on<model::PointwiseLikelihood>(*density_);
    pass_on<model::ReadablePrior>(*density_);
    pass_on<model::PriorScale>(*density_);
    pass_on<model::DescribedData>(*density_);
    pass_on<model::NamedData>(*density_);
    pass_on<model::Predictive>(*density_);
    pass_on<model::HeldOutClasses>(*density_);
    pass_on<model::Approximated>(*density_);
    pass_on<model::RejectedPoints>(*density_);
}

std::unique_ptr<Block> Tempered::make_block(Index size) const {
    return std::make_unique<model::DensityBlock>(dimension(), size);
}

void Tempered::draw_start(Block& block, const model::BlockStreams& streams) const {
    auto& own = points_of(block);
    const auto draw = [&](Index i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        density_->draw_prior(stream, {own.points.col(i).data(), static_cast<std::size_t>(own.dimension())});
    };
    model::locate_errors(streams, own.size(),
                         [&] { at_each_point(own.size(), draw, [](Index) { return std::string(); }); });
    evaluate(own, own.points, 0, own.log_prior, own.log_likelihood, streams);
}

void Tempered::recompute(Block& block) const {
    auto& own = points_of(block);
    evaluate(own, own.points, 0, own.log_prior, own.log_likelihood, {});
}

void Tempered::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    if (from == to)
        return; // 0 x -inf would be NaN
    const auto& log_likelihood = points_of(block).log_likelihood;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += (to - from) * log_likelihood(static_cast<Index>(i));
}

void Tempered::path_derivative(const Block& block, double, std::span<double> out) const {
    const auto& log_likelihood = points_of(block).log_likelihood;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = log_likelihood(static_cast<Index>(i));
}

std::optional<double> Tempered::exact_log_ratio(double b_end) const {
    return b_end == 1 ? density_->exact_log_ratio() : std::nullopt;
}

void Tempered::fingerprint(model::Fingerprint& fingerprint) const {
    for (const auto& name : coordinate_names())
        fingerprint.add(name);
    density_->fingerprint(fingerprint);
}

const std::vector<std::string>& Tempered::quantity_names() const {
    return quantities_ ? quantities_->quantity_names() : coordinate_names();
}

Matrix Tempered::quantities(const Eigen::Ref<const Matrix>& points) const {
    if (!quantities_)
        return points;
    const auto d = static_cast<std::size_t>(points.rows());
    const auto n = quantity_names().size();
    Matrix values(static_cast<Index>(n), points.cols());
    for (Index i = 0; i < points.cols(); ++i)
        quantities_->quantities({points.col(i).data(), d}, {values.col(i).data(), n});
    return values;
}

void Tempered::evaluate(const model::DensityBlock& block, const Matrix& points, double, Vector& log_prior,
                        Vector& log_likelihood, const model::BlockStreams& streams) const {
    model::locate_errors(streams, block.size(),
                         [&] { density_->evaluate(points, block.size(), streams, log_prior, log_likelihood); });
    require_numbers(points, block.size(), log_prior, log_likelihood, streams);
}

PathEntry tempered_entry() {
    return {"tempered", "from the model's start to its end", [](const model::Target&) { return true; },
            [](std::shared_ptr<const model::Target> model) { return model; }, true};
}

} // namespace pearlite::path
