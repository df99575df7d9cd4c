#include "path/data_path.hpp"

#include "path/registry.hpp"
#include "pearlite/model/detail/class_predictions.hpp"
#include "pearlite/model/detail/locate_errors.hpp"
#include "pearlite/model/detail/log_likelihoods.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::path {

DataPath::DataPath(std::shared_ptr<const DensityPath> whole)
    : whole_(std::move(whole)), likelihood_(whole_->offers<model::PointwiseLikelihood>()) {
    PEARLITE_EXPECTS(likelihood_ != nullptr && likelihood_->data_points() > 0);
    offer<DensityPath>(std::shared_ptr<const DensityPath>(std::shared_ptr<const DensityPath>(), this));
    pass_on<model::ReportedParameters>(*whole_);
    pass_on<model::BlockCost>(*whole_);
    pass_on<model::BlockLogLikelihoods>(*whole_);
    pass_on<model::PriorScale>(*whole_);
    pass_on<model::DescribedData>(*whole_);
    pass_on<model::Predictive>(*whole_);
    pass_on<model::HeldOutClasses>(*whole_);
    pass_on<model::Approximated>(*whole_);
}

DataPath::Place DataPath::place(double b) const {
    const double points = b * static_cast<double>(likelihood_->data_points()), nearest = std::round(points);
    if (std::abs(points - nearest) < 1e-9)
        return {static_cast<Index>(nearest), 0};
    return {static_cast<Index>(std::floor(points)), points - std::floor(points)};
}

void DataPath::draw_start(Block& block, const model::BlockStreams& streams) const {
    auto& own = points_of(block);
    for (Index i = 0; i < own.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::start, i));
        draw_prior(stream, {own.points.col(i).data(), static_cast<std::size_t>(own.dimension())});
    }
    evaluate(own, own.points, 0, own.log_prior, own.log_likelihood, streams);
}

void DataPath::recompute(Block& block) const {
    auto& own = points_of(block);
    evaluate(own, own.points, 1, own.log_prior, own.log_likelihood, {});
}

void DataPath::evaluate(const model::DensityBlock& block, const Matrix& points, double b, Vector& log_prior,
                        Vector& log_likelihood, const model::BlockStreams& streams) const {
    const auto [whole, part] = place(b);
    model::locate_errors(streams, block.size(), [&, whole = whole, part = part] {
        likelihood_->evaluate(points, block.size(), 0, whole, log_prior, log_likelihood);
        if (part > 0) {
            Vector next(log_likelihood.size());
            likelihood_->evaluate(points, block.size(), whole, whole + 1, log_prior, next);
            log_likelihood.head(block.size()) += part * next.head(block.size());
        }
    });
    require_numbers(points, block.size(), log_prior, log_likelihood, streams);
}

void DataPath::add(const model::DensityBlock& block, Index from, Index to, double weight, Vector& sum) const {
    if (from == to || weight == 0) // 0 x -inf would be NaN
        return;
    Vector log_prior(block.padded_size()), log_likelihood(log_prior);
    likelihood_->evaluate(block.points, block.size(), from, to, log_prior, log_likelihood);
    sum += weight * log_likelihood.head(block.size());
}

void DataPath::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    const auto& own = points_of(block);
    const auto low = place(std::min(from, to)), high = place(std::max(from, to));
    Vector sum = Vector::Zero(own.size());
    if (low.whole == high.whole) {
        add(own, low.whole, low.whole + 1, high.part - low.part, sum);
    } else {
        const Index begin = low.part > 0 ? low.whole + 1 : low.whole;
        add(own, low.whole, begin, 1 - low.part, sum);
        add(own, begin, high.whole, 1, sum);
        add(own, high.whole, high.whole + 1, high.part, sum);
    }
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] += from < to ? sum(static_cast<Index>(i)) : -sum(static_cast<Index>(i));
}

void DataPath::path_derivative(const Block& block, double b, std::span<double> out) const {
    const auto& own = points_of(block);
    const auto [whole, part] = place(b);
    const Index point = part > 0 ? whole : std::max<Index>(whole - 1, 0);
    Vector slope = Vector::Zero(own.size());
    add(own, point, point + 1, static_cast<double>(likelihood_->data_points()), slope);
    std::copy(slope.begin(), slope.end(), out.begin());
}

std::optional<double> DataPath::exact_log_ratio(double b_end) const {
    return whole_->exact_log_ratio(b_end);
}

void DataPath::fingerprint(model::Fingerprint& fingerprint) const {
    whole_->fingerprint(fingerprint);
    fingerprint.add("data path");
}

namespace {

bool offers_data(const model::Target& model) {
    return model.offers<model::OwnDataPath>() != nullptr || model.offers<model::PointwiseLikelihood>() != nullptr;
}

std::shared_ptr<const model::Target> along_data(std::shared_ptr<const model::Target> model) {
    if (const auto* own = model->offers<model::OwnDataPath>())
        return own->data_path();
    return std::make_shared<const DataPath>(std::shared_ptr<const DensityPath>(model, model->offers<DensityPath>()));
}

} // namespace

PathEntry data_entry() {
    return {"data", "points of the data added one by one, in their order", offers_data, along_data};
}

} // namespace pearlite::path
