#include "core/log_space.hpp"
#include "models/rbm/rbm.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "random/fill.hpp"

#include <algorithm>

namespace pearlite::models {

namespace {

void pack_units(const float* units, Index n, std::span<std::byte> out) {
    PEARLITE_EXPECTS(static_cast<Index>(out.size()) == (n + 7) / 8);
    std::fill(out.begin(), out.end(), std::byte{0});
    for (Index i = 0; i < n; ++i)
        if (units[i] != 0)
            out[static_cast<std::size_t>(i / 8)] |= std::byte{1} << (i % 8);
}

void unpack_units(std::span<const std::byte> in, Index n, float* units) {
    PEARLITE_EXPECTS(static_cast<Index>(in.size()) == (n + 7) / 8);
    for (Index i = 0; i < n; ++i) {
        const std::byte bit = (in[static_cast<std::size_t>(i / 8)] >> (i % 8)) & std::byte{1};
        units[i] = std::to_integer<int>(bit) != 0 ? 1.0f : 0.0f;
    }
}

} // namespace

RbmBlock::RbmBlock(Index n_visible, Index n_hidden, Index size)
    : n_visible_(n_visible),
      n_hidden_(n_hidden),
      size_(size),
      visible_(FloatMatrix::Zero(padded(n_visible), padded(size))),
      pre_activation_(FloatMatrix::Zero(padded(n_hidden + 1), padded(size))),
      linear_(static_cast<std::size_t>(size), 0.0),
      hidden_(FloatMatrix::Zero(padded(n_hidden), padded(size))),
      visible_field_(FloatMatrix::Zero(padded(n_visible), padded(size))),
      base_bias_at_(Eigen::VectorXf::Zero(padded(n_visible))),
      probability_(Eigen::VectorXf::Zero(std::max(padded(n_visible), padded(n_hidden + 1)))) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && size >= 1);
}

void RbmBlock::pack(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_);
    pack_units(visible_.col(slot).data(), n_visible_, out);
}

void RbmBlock::unpack(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_);
    unpack_units(in, n_visible_, visible_.col(slot).data());
}

void RbmBlock::pack_hidden(Index slot, std::span<std::byte> out) const {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_);
    pack_units(hidden_.col(slot).data(), n_hidden_, out);
}

void RbmBlock::unpack_hidden(Index slot, std::span<const std::byte> in) {
    PEARLITE_EXPECTS(slot >= 0 && slot < size_);
    unpack_units(in, n_hidden_, hidden_.col(slot).data());
}

Vector base_rate_bias(const Vector& n_on, Index n) {
    PEARLITE_EXPECTS(n >= 0 && (n_on.array() >= 0).all() && (n_on.array() <= static_cast<double>(n)).all());
    return n_on.unaryExpr([n](double on) { return logit((on + 1) / static_cast<double>(n + 2)); });
}

RbmParameters random_rbm(Index n_visible, Index n_hidden, double weight_sd, double bias_sd, std::uint64_t seed) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && weight_sd >= 0 && bias_sd >= 0);
    RbmParameters rbm{Matrix(n_visible, n_hidden), Vector(n_visible), Vector(n_hidden), Vector(n_visible), {}};
    const auto draw = [seed](std::uint64_t id, auto& values, double sd) {
        random::fill_normal({seed, random::Purpose::synthetic_data, id, 0},
                            {values.data(), static_cast<std::size_t>(values.size())});
        values *= sd;
    };
    draw(0, rbm.weights, weight_sd);
    draw(1, rbm.visible_bias, bias_sd);
    draw(2, rbm.hidden_bias, bias_sd);
    rbm.base_bias = rbm.visible_bias;
    return rbm;
}

} // namespace pearlite::models
