#include "models/rbm/moments/rbm_family.hpp"

#include "core/log_space.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/detail/target_of.hpp"

namespace pearlite::models {

using model::BlockStreams;

namespace {

class RbmChains final : public model::MomentChains {
  public:
    explicit RbmChains(const Rbm& end) : rbm_(end.n_visible(), end.n_hidden()), start_bias_(rbm_.visible_bias) {
        const auto& base = end.parameters().base_bias;
        std::transform(base.begin(), base.end(), start_bias_.begin(), [](double x) { return static_cast<float>(x); });
    }

    bool set_parameters(std::span<const double> eta) override {
        PEARLITE_EXPECTS(std::ssize(eta) == rbm_.n_counts());
        const auto value = [&](Index i, Index j) { return static_cast<float>(eta[at(rbm_.place(i, j))]); };
        for (Index i = 0; i < rbm_.n_visible(); ++i) {
            for (Index j = 0; j < rbm_.n_hidden(); ++j)
                rbm_.weights[at(rbm_.place(i, j))] = value(i, j);
            rbm_.visible_bias[at(i)] = value(i, rbm_.n_hidden());
        }
        for (Index j = 0; j < rbm_.n_hidden(); ++j)
            rbm_.hidden_bias[at(j)] = value(rbm_.n_visible(), j);
        return rbm_.round();
    }
    std::unique_ptr<Block> make_block(Index size) const override {
        return std::make_unique<RbmStates>(rbm_.n_visible(), rbm_.n_hidden(), size);
    }
    void draw_start(Block& block, const BlockStreams& streams) const override {
        auto& states = own_block<RbmStates>(block);
        draw_independent(rbm_.kernels(), start_bias_, random::Purpose::start, streams, states.visible());
        rbm_.draw_hidden(states, streams);
    }
    void sweep(Block& block, const BlockStreams& streams) const override {
        rbm_.sweep(own_block<RbmStates>(block), streams);
    }
    void count(const Block& block, std::span<std::int32_t> counts) const override {
        rbm_.count(own_block<RbmStates>(block), 1, nobody_, 0, counts);
    }

  private:
    MutableRbm rbm_;
    MutableRbm::Floats start_bias_;
    RbmStates nobody_{rbm_.n_visible(), rbm_.n_hidden(), 0};
};

} // namespace

std::shared_ptr<const model::MomentFamily> Rbm::moment_family(std::shared_ptr<const Rbm> end) {
    return std::make_shared<const RbmFamily>(std::move(end));
}

std::vector<double> RbmFamily::list(const Matrix& weights, const Vector& visible_bias,
                                    const Vector& hidden_bias) const {
    std::vector<double> all(at(n_statistics()), 0.0);
    const Index n_visible = end_->n_visible(), n_hidden = end_->n_hidden();
    for (Index i = 0; i < n_visible; ++i) {
        for (Index j = 0; j < n_hidden; ++j)
            all[at(i * stride() + j)] = weights(i, j);
        all[at(i * stride() + n_hidden)] = visible_bias[i];
    }
    std::copy(hidden_bias.begin(), hidden_bias.end(), all.begin() + n_visible * stride());
    return all;
}

std::vector<double> RbmFamily::start_parameters() const {
    return list(Matrix::Zero(end_->n_visible(), end_->n_hidden()), end_->parameters().base_bias,
                Vector::Zero(end_->n_hidden()));
}

std::vector<double> RbmFamily::end_parameters() const {
    return list(end_->parameters().weights, end_->parameters().visible_bias, end_->parameters().hidden_bias);
}

std::vector<double> RbmFamily::start_moments() const {
    const Vector on = end_->parameters().base_bias.unaryExpr([](double x) { return logistic(x); });
    auto moments = list(0.5 * on.replicate(1, end_->n_hidden()), on, Vector::Constant(end_->n_hidden(), 0.5));
    moments[at(end_->n_visible() * stride() + end_->n_hidden())] = 1; // the count of chains
    return moments;
}

std::unique_ptr<model::MomentChains> RbmFamily::make_chains() const {
    return std::make_unique<RbmChains>(*end_);
}

std::shared_ptr<const model::Target> RbmFamily::through(std::span<const std::vector<double>> knots,
                                                        std::span<const double> at_knots) const {
    const Index n_visible = end_->n_visible(), n_hidden = end_->n_hidden();
    std::vector<RbmSpline::Machine> machines;
    for (const auto& eta : knots) {
        PEARLITE_EXPECTS(std::ssize(eta) == n_statistics());
        using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const Eigen::Map<const RowMajor> rows(eta.data(), n_visible + 1, stride());
        machines.push_back({rows.topLeftCorner(n_visible, n_hidden), rows.col(n_hidden).head(n_visible),
                            rows.row(n_visible).head(n_hidden).transpose()});
    }
    return std::make_shared<const model::TargetOf<RbmSpline>>(std::make_shared<const RbmSpline>(
        end_, std::move(machines), std::vector<double>(at_knots.begin(), at_knots.end())));
}

} // namespace pearlite::models
