#include "models/rbm/rbm.hpp"

#include "models/rbm/rbm_kernels.hpp"

#include "core/log_space.hpp"
#include "core/moments.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/annealed_model.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

using model::BlockStreams;
using random::Purpose;

static_assert(model::HasFusedAnneal<Rbm>);

namespace {

bool in_path(double b) {
    return b >= 0 && b <= 1;
}

std::span<const float> column(const Eigen::VectorXf& values, Index n) {
    return {values.data(), static_cast<std::size_t>(n)};
}

std::span<float> column(Eigen::MatrixXf& units, Index chain, Index n) {
    return {units.col(chain).data(), static_cast<std::size_t>(n)};
}

} // namespace

Rbm::Rbm(RbmParameters parameters) : parameters_(std::move(parameters)) {
    const Index n = n_visible();
    const Index n_h = n_hidden();
    PEARLITE_EXPECTS(n >= 1 && n_h >= 1);
    PEARLITE_EXPECTS(parameters_.visible_bias.size() == n && parameters_.base_bias.size() == n);
    PEARLITE_EXPECTS(parameters_.hidden_bias.size() == n_h);
    Eigen::MatrixXf to_hidden = Eigen::MatrixXf::Zero(padded(n_h + 1), n);
    to_hidden.topRows(n_h) = parameters_.weights.transpose().cast<float>();
    to_hidden.row(n_h) = (parameters_.visible_bias - parameters_.base_bias).transpose().cast<float>();
    weights_to_hidden_ = detail::pack_panels(to_hidden);
    hidden_start_ = Eigen::VectorXf::Zero(to_hidden.rows());
    hidden_start_.head(n_h) = parameters_.hidden_bias.cast<float>();

    Eigen::MatrixXf to_visible = Eigen::MatrixXf::Zero(padded(n), n_h);
    to_visible.topRows(n) = parameters_.weights.cast<float>();
    weights_to_visible_ = detail::pack_panels(to_visible);
    visible_start_ = Eigen::VectorXf::Zero(to_visible.rows());
    visible_start_.head(n) = parameters_.visible_bias.cast<float>();
}

void Rbm::expect_own(const Block& block) const {
    PEARLITE_EXPECTS(block.n_visible() == n_visible() && block.n_hidden() == n_hidden());
}

void Rbm::draw_start(Block& block, const BlockStreams& streams) const {
    expect_own(block);
    for (Index i = 0; i < n_visible(); ++i)
        block.probability_[i] = static_cast<float>(logistic(parameters_.base_bias[i]));
    for (Index chain = 0; chain < block.size(); ++chain)
        random::fill_bernoulli(streams.at(Purpose::start, chain), column(block.probability_, n_visible()),
                               column(block.visible_, chain, n_visible()));
    prepare(block);
}

void Rbm::prepare(Block& block) const {
    expect_own(block);
    detail::add_product(hidden_start_, weights_to_hidden_, n_visible(), block.visible_, block.pre_activation_);
    for (Index chain = 0; chain < block.size(); ++chain) {
        float& linear = block.pre_activation_(n_hidden(), chain);
        block.linear_[static_cast<std::size_t>(chain)] = static_cast<double>(linear);
        linear = 0; // from here on a padding row
    }
}

void Rbm::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(from) && in_path(to) && std::ssize(out) == block.size());
    const auto& c = block.pre_activation_;
    for (std::size_t chain = 0; chain < out.size(); ++chain)
        out[chain] += (to - from) * block.linear_[chain] +
                      detail::softplus_difference(c.col(static_cast<Index>(chain)).data(), c.rows(), from, to);
}

void Rbm::path_derivative(const Block& block, double b, std::span<double> out) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b) && std::ssize(out) == block.size());
    const auto& c = block.pre_activation_;
    for (std::size_t chain = 0; chain < out.size(); ++chain)
        out[chain] =
            block.linear_[chain] + detail::softplus_derivative(c.col(static_cast<Index>(chain)).data(), c.rows(), b);
}

std::optional<double> Rbm::log_normaliser_start() const {
    double sum = static_cast<double>(n_hidden()) * std::numbers::ln2;
    for (const double a0 : parameters_.base_bias)
        sum += softplus(a0);
    return sum;
}

Index Rbm::image_rows() const {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n_visible()))));
    return side * side == n_visible() ? side : 1;
}

void Rbm::fingerprint(model::Fingerprint& fingerprint) const {
    const auto values = [](const auto& array) {
        return std::span<const double>(array.data(), static_cast<std::size_t>(array.size()));
    };
    fingerprint.add(name);
    fingerprint.add(static_cast<double>(n_visible()));
    fingerprint.add(static_cast<double>(n_hidden()));
    fingerprint.add(values(parameters_.weights));
    fingerprint.add(values(parameters_.visible_bias));
    fingerprint.add(values(parameters_.hidden_bias));
    fingerprint.add(values(parameters_.base_bias));
    fingerprint.add(std::string_view(reinterpret_cast<const char*>(parameters_.images.data()),
                                     static_cast<std::size_t>(parameters_.images.size())));
}

void Rbm::draw_data(Block& block, double, const BlockStreams& streams) const {
    expect_own(block);
    PEARLITE_EXPECTS(has_data());
    for (Index chain = 0; chain < block.size(); ++chain) {
        random::Stream stream(streams.at(Purpose::end, chain));
        const auto image = static_cast<Index>(stream.index(static_cast<std::uint64_t>(parameters_.images.cols())));
        for (Index i = 0; i < n_visible(); ++i)
            block.probability_[i] = static_cast<float>(parameters_.images(i, image)) / 255.0f;
        random::fill_bernoulli(streams.at(Purpose::visible_units, chain), column(block.probability_, n_visible()),
                               column(block.visible_, chain, n_visible()));
    }
    prepare(block);
}

void Rbm::swap_states(Block& a, Block& b, std::span<const std::uint8_t> which) const {
    for (std::size_t i = 0; i < which.size(); ++i) {
        if (which[i] == 0)
            continue;
        const auto chain = static_cast<Index>(i);
        a.visible_.col(chain).swap(b.visible_.col(chain));
        a.pre_activation_.col(chain).swap(b.pre_activation_.col(chain));
        std::swap(a.linear_[i], b.linear_[i]);
    }
}

void Rbm::move(Block& block, double b, const BlockStreams& streams) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b));
    draw_hidden_given_visible(block, b, streams);
    draw_visible_given_hidden(block, b, streams);
}

void Rbm::draw_hidden_given_visible(Block& block, double b, const BlockStreams& streams) const {
    const auto& c = block.pre_activation_;
    for (Index chain = 0; chain < block.size(); ++chain) {
        detail::hidden_probabilities(c.col(chain).data(), c.rows(), b, block.probability_.data());
        random::fill_bernoulli(streams.at(Purpose::hidden_units, chain), column(block.probability_, n_hidden()),
                               column(block.hidden_, chain, n_hidden()));
    }
}

void Rbm::anneal(Block& block, double from, double to, const BlockStreams& streams, std::span<double> increments,
                 std::span<double> derivative) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(from) && in_path(to) && std::ssize(increments) == block.size());
    const auto& c = block.pre_activation_;
    for (Index chain = 0; chain < block.size(); ++chain) {
        const auto i = static_cast<std::size_t>(chain);
        increments[i] +=
            (to - from) * block.linear_[i] +
            detail::softplus_difference(c.col(chain).data(), c.rows(), from, to, block.probability_.data());
        random::fill_bernoulli(streams.at(Purpose::hidden_units, chain), column(block.probability_, n_hidden()),
                               column(block.hidden_, chain, n_hidden()));
    }
    draw_visible_given_hidden(block, to, streams);
    path_derivative(block, to, derivative);
}

void Rbm::draw_visible_given_hidden(Block& block, double b, const BlockStreams& streams) const {
    detail::add_product(visible_start_, weights_to_visible_, n_hidden(), block.hidden_, block.visible_field_);
    block.base_bias_at_.head(n_visible()) = ((1 - b) * parameters_.base_bias).cast<float>();
    for (Index chain = 0; chain < block.size(); ++chain) {
        detail::visible_probabilities(block.visible_field_.col(chain).data(), block.base_bias_at_.data(),
                                      block.base_bias_at_.size(), b, block.probability_.data());
        random::fill_bernoulli(streams.at(Purpose::visible_units, chain), column(block.probability_, n_visible()),
                               column(block.visible_, chain, n_visible()));
    }
    prepare(block);
}

Matrix Rbm::visible_probabilities(const Block& block, double b) const {
    expect_own(block);
    PEARLITE_EXPECTS(in_path(b));
    const auto mean_of = [](double field) { return logistic(field); };
    const Matrix c = block.pre_activation_.topLeftCorner(n_hidden(), block.size()).cast<double>();
    Matrix field = product(b, parameters_.weights, (b * c).unaryExpr(mean_of));
    field.colwise() += (1 - b) * parameters_.base_bias + b * parameters_.visible_bias;
    return field.unaryExpr(mean_of);
}

} // namespace pearlite::models
