#include "core/log_space.hpp"
#include "models/rbm/rbm.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "random/fill.hpp"

#include <limits>

namespace pearlite::models {

RbmBlock::RbmBlock(Index n_visible, Index n_hidden, Index size)
    : visible_(n_visible, size),
      hidden_(n_hidden, size),
      pre_activation_(at(n_hidden * padded(size)), 0.0f),
      linear_(at(padded(size)), 0.0),
      positive_(linear_.size(), 0.0),
      log_factors_(linear_.size(), 0.0),
      factors_at_(std::numeric_limits<double>::quiet_NaN()),
      streams_(at(visible_.n_tiles())) {
    PEARLITE_EXPECTS(n_visible >= 1 && n_hidden >= 1 && size >= 1);
}

Vector base_rate_bias(const Vector& n_on, Index n) {
    PEARLITE_EXPECTS(n >= 0 && (n_on.array() >= 0).all() && (n_on.array() <= static_cast<double>(n)).all());
    return n_on.unaryExpr([n](double on) { return logit((on + 1) / static_cast<double>(n + 2)); });
}

void draw_images(const RbmParameters& parameters, const model::BlockStreams& streams, BinaryUnits& visible) {
    const auto& images = parameters.images;
    PEARLITE_EXPECTS(images.rows() == visible.n_units());
    std::vector<float> probability(at(images.rows()));
    std::vector<std::int8_t> units(probability.size());
    for (Index chain = 0; chain < visible.n_chains(); ++chain) {
        random::Stream stream(streams.at(random::Purpose::end, chain));
        const auto image = static_cast<Index>(stream.index(static_cast<std::uint64_t>(images.cols())));
        for (Index i = 0; i < images.rows(); ++i)
            probability[at(i)] = static_cast<float>(images(i, image)) / 255.0f;
        random::fill_bernoulli(streams.at(random::Purpose::visible_units, chain), probability, units);
        for (Index i = 0; i < images.rows(); ++i)
            visible.set(i, chain, units[at(i)] != 0);
    }
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
