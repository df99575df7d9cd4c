#include "models/rbm/growing_rbm.hpp"

#include "core/log_space.hpp"
#include "models/common/orders.hpp"
#include "models/rbm/log_product.hpp"

namespace pearlite::models {

using model::BlockStreams;
using rbm_kernels::tile_chains;

/// The stage of n units is a separate machine.
class GrowingRbmStage final : public model::GrowingStage {
  public:
    GrowingRbmStage(std::shared_ptr<const Rbm> whole, const std::vector<Index>& order)
        : whole_(std::move(whole)), order_(order) {
        set_size(1);
    }

    Index n() const override { return machine_->n_visible(); }
    void grow() override { set_size(n() + 1); }
    std::unique_ptr<Block> make_block(Index size) const override {
        return std::make_unique<BlockOf<RbmBlock>>(machine_->make_block(size));
    }
    void prepare(Block& block) const override { machine_->prepare(own_block<RbmBlock>(block)); }
    void draw_first(Block& block, const BlockStreams& streams) const override;
    void sweep(Block& block, const BlockStreams& streams) const override {
        machine_->move(own_block<RbmBlock>(block), 1, streams);
    }
    void smooth(Block& block, const BlockStreams& streams, std::span<double> out) const override;
    void augment(Block& block, const BlockStreams& streams) const override;
    void log_density(const Block& block, std::span<double> out) const override;
    void draw_seeds(Block& block, const BlockStreams& streams) const override;

  private:
    void set_size(Index n);
    /// Log odds of the next unit given the others.
    void log_odds(const RbmBlock& block, std::span<double> out) const;

    std::shared_ptr<const Rbm> whole_;
    const std::vector<Index>& order_;
    std::unique_ptr<Rbm> machine_;
    Eigen::VectorXf next_; ///< W of the next unit
};

void GrowingRbmStage::set_size(Index n) {
    const auto& all = whole_->parameters();
    const std::vector<Index> units(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(n));
    RbmParameters part;
    part.weights = all.weights(units, Eigen::all);
    part.visible_bias = all.visible_bias(units);
    part.hidden_bias = all.hidden_bias;
    part.base_bias = Vector::Zero(n);
    machine_ = std::make_unique<Rbm>(std::move(part));
    if (n < whole_->n_visible())
        next_ = all.weights.row(order_[at(n)]).transpose().cast<float>();
}

void GrowingRbmStage::draw_first(Block& block, const BlockStreams& streams) const {
    auto& own = own_block<RbmBlock>(block);
    const auto& all = machine_->parameters();
    double odds = all.visible_bias(0);
    for (Index j = 0; j < all.hidden_bias.size(); ++j)
        odds += softplus(all.hidden_bias(j) + all.weights(0, j)) - softplus(all.hidden_bias(j));
    for (Index i = 0; i < own.size(); ++i)
        own.visible_.set(0, i, random::Stream(streams.at(random::Purpose::start, i)).bernoulli(logistic(odds)));
    prepare(block);
}

void GrowingRbmStage::log_odds(const RbmBlock& block, std::span<double> out) const {
    const Index hidden = machine_->n_hidden();
    const double bias = whole_->parameters().visible_bias(order_[at(n())]);
    alignas(64) float shifted[rbm_kernels::panel_units * tile_chains];
    for (Index tile = 0; tile < block.visible_.n_tiles(); ++tile) {
        double positive[tile_chains] = {};
        LogProduct factors_with, factors_without;
        for (Index first = 0; first < hidden; first += rbm_kernels::panel_units) {
            const Index units = std::min(rbm_kernels::panel_units, hidden - first);
            const float* const fields = block.pre_activation(tile) + first * tile_chains;
            for (Index j = 0; j < units; ++j)
                for (Index lane = 0; lane < tile_chains; ++lane)
                    shifted[j * tile_chains + lane] = fields[j * tile_chains + lane] + next_(first + j);
            rbm_kernels::Statistics with, without;
            machine_->kernels_->statistics(shifted, units, exponent_scale(1), with);
            machine_->kernels_->statistics(fields, units, exponent_scale(1), without);
            for (Index lane = 0; lane < tile_chains; ++lane)
                positive[lane] +=
                    static_cast<double>(with.positive[lane]) - static_cast<double>(without.positive[lane]);
            factors_with.multiply(with.factors);
            factors_without.multiply(without.factors);
        }
        for (Index lane = 0; lane < std::min(tile_chains, block.size() - tile * tile_chains); ++lane)
            out[at(tile * tile_chains + lane)] =
                bias + positive[lane] + factors_with.at(lane) - factors_without.at(lane);
    }
}

void GrowingRbmStage::smooth(Block& block, const BlockStreams&, std::span<double> out) const {
    log_odds(own_block<RbmBlock>(block), out);
    for (double& one : out)
        one = softplus(one);
}

void GrowingRbmStage::augment(Block& block, const BlockStreams& streams) const {
    auto& holder = static_cast<BlockOf<RbmBlock>&>(block);
    const auto& old = holder.own();
    std::vector<double> odds(at(old.size()));
    log_odds(old, odds);
    RbmBlock grown(n() + 1, machine_->n_hidden(), old.size());
    for (Index i = 0; i < old.size(); ++i) {
        for (Index unit = 0; unit < n(); ++unit)
            grown.visible_.set(unit, i, old.visible_.get(unit, i));
        grown.visible_.set(n(), i,
                           random::Stream(streams.at(random::Purpose::start, i)).bernoulli(logistic(odds[at(i)])));
    }
    holder.own() = std::move(grown);
}

void GrowingRbmStage::log_density(const Block& block, std::span<double> out) const {
    std::fill(out.begin(), out.end(), 0.0);
    machine_->add_log_ratio(own_block<RbmBlock>(block), 0, 1, out);
}

void GrowingRbmStage::draw_seeds(Block& block, const BlockStreams& streams) const {
    auto& own = own_block<RbmBlock>(block);
    const auto& images = whole_->parameters().images;
    for (Index i = 0; i < own.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::end, i));
        const auto image = static_cast<Index>(stream.index(static_cast<std::uint64_t>(images.cols())));
        for (Index unit = 0; unit < n(); ++unit)
            own.visible_.set(unit, i, stream.bernoulli(images(order_[at(unit)], image) / 255.0));
    }
    prepare(block);
}

namespace {

class GrowingRbm final : public model::GrowingTarget {
  public:
    GrowingRbm(std::shared_ptr<const Rbm> machine, std::vector<Index> order)
        : machine_(std::move(machine)), order_(std::move(order)) {
        offer<model::ParticleImages>(std::make_shared<Images>(*this));
    }

    Index n_variables() const override { return machine_->n_visible(); }
    std::unique_ptr<model::GrowingStage> first_stage() const override {
        return std::make_unique<GrowingRbmStage>(machine_, order_);
    }
    double log_normaliser_empty() const override {
        double sum = 0;
        for (const double d : machine_->parameters().hidden_bias)
            sum += softplus(d);
        return sum;
    }
    double log_normaliser_first() const override {
        const auto& all = machine_->parameters();
        const Index first = order_.front();
        double odds = all.visible_bias(first);
        for (Index j = 0; j < all.hidden_bias.size(); ++j)
            odds += softplus(all.hidden_bias(j) + all.weights(first, j)) - softplus(all.hidden_bias(j));
        return log_normaliser_empty() + softplus(odds);
    }
    std::optional<double> exact_log_normaliser() const override {
        auto exact = machine_->exact_log_ratio(1);
        if (exact)
            *exact += *machine_->log_normaliser_start();
        return exact;
    }
    /// The number of sweeps in the paper.
    Index default_sweeps() const override { return 10; }
    bool can_reseed() const override { return machine_->has_data(); }
    void fingerprint(model::Fingerprint& fingerprint) const override {
        machine_->fingerprint(fingerprint);
        for (const Index unit : order_)
            fingerprint.add(static_cast<double>(unit));
    }

  private:
    /// Pixels at their places; those that are not yet there are grey.
    struct Images final : model::ParticleImages {
        explicit Images(const GrowingRbm& g) : growing(g) {}
        Matrix images(const Block& block, double) const override {
            const auto& own = own_block<RbmBlock>(block);
            constexpr double grey = 0.5;
            Matrix pixels = Matrix::Constant(growing.n_variables(), own.size(), grey);
            const auto units = own.visible_units();
            for (Index unit = 0; unit < own.n_visible(); ++unit)
                pixels.row(growing.order_[at(unit)]) = units.row(unit).head(own.size()).cast<double>();
            return pixels;
        }
        Index image_rows() const override { return growing.machine_->image_rows(); }
        Index image_columns() const override { return growing.machine_->image_columns(); }
        const GrowingRbm& growing;
    };

    std::shared_ptr<const Rbm> machine_;
    std::vector<Index> order_;
};

class RbmGrowth final : public model::Growth {
  public:
    explicit RbmGrowth(std::shared_ptr<const Rbm> machine) : machine_(std::move(machine)) {}
    std::vector<std::string> orders() const override { return {"variance", "given", "random"}; }
    std::shared_ptr<const model::GrowingTarget> growing(const std::string& order, std::uint64_t seed) const override {
        const Index n = machine_->n_visible();
        auto units = order == "random" ? random_order(n, seed) : given_order(n);
        if (order == "variance") // of a unit that is on with probability p: p (1 - p), least far from 1/2
            std::ranges::stable_sort(units, {},
                                     [&](Index unit) { return std::abs(machine_->parameters().base_bias(unit)); });
        return std::make_shared<const GrowingRbm>(machine_, std::move(units));
    }

  private:
    std::shared_ptr<const Rbm> machine_;
};

} // namespace

std::shared_ptr<const model::Growth> rbm_growth(std::shared_ptr<const Rbm> machine) {
    return std::make_shared<const RbmGrowth>(std::move(machine));
}

} // namespace pearlite::models
