#pragma once
/// A user's growing model behind the interface of growing targets: loops over the particles of a block, inlined.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/model/detail/locate_errors.hpp"
#include "pearlite/model/growing_model.hpp"
#include "pearlite/model/target.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace pearlite::model {

/// A particle in each column, with room for all its variables; the first rows() numbers belong to it.
class GrowingColumns final : public Block {
  public:
    GrowingColumns(Index rows, Index most_rows, Index size)
        : size_(size), rows_(rows), columns_(Matrix::Zero(most_rows, padded(size))) {}
    Index size() const override { return size_; }
    Index padded_size() const override { return columns_.cols(); }
    std::size_t packed_bytes() const override { return at(rows_) * sizeof(double); }
    void pack(Index slot, std::span<std::byte> out) const override {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && out.size() == packed_bytes());
        std::memcpy(out.data(), columns_.col(slot).data(), packed_bytes());
    }
    void unpack(Index slot, std::span<const std::byte> in) override {
        PEARLITE_EXPECTS(slot >= 0 && slot < size_ && in.size() == packed_bytes());
        std::memcpy(columns_.col(slot).data(), in.data(), packed_bytes());
    }
    void set_rows(Index rows) { rows_ = rows; }
    /// Numbers from .. from + n - 1 of a particle.
    std::span<double> part(Index slot, Index from, Index n) { return {columns_.col(slot).data() + from, at(n)}; }
    std::span<const double> part(Index slot, Index from, Index n) const {
        return {columns_.col(slot).data() + from, at(n)};
    }

  private:
    Index size_, rows_;
    Matrix columns_;
};

/// With a proposal, a block holds the next variable too. A particle of weight 0 has NaN for its newest variable, and
/// the model is not asked about it again.
template <GrowingModel M>
class GrowingStageOf final : public GrowingStage {
  public:
    explicit GrowingStageOf(std::shared_ptr<const M> model) : model_(std::move(model)) {}

    Index n() const override { return n_; }
    void grow() override { ++n_; }
    std::unique_ptr<Block> make_block(Index size) const override {
        return std::make_unique<GrowingColumns>(rows(n_), each * model_->n_variables(), size);
    }
    void draw_first(Block& block, const BlockStreams& streams) const override {
        for_each(block, streams, random::Purpose::start,
                 [&](auto& own, Index i, random::Stream& stream) { model_->draw_first(stream, own.part(i, 0, each)); });
    }
    void sweep(Block& block, const BlockStreams& streams) const override {
        for_each(block, streams, random::Purpose::user, [&](auto& own, Index i, random::Stream& stream) {
            if (is_alive(own, i))
                model_->move(stream, own.part(i, 0, each * n_));
        });
    }
    void smooth(Block& block, const BlockStreams& streams, std::span<double> out) const override {
        for_each(block, streams, random::Purpose::start, [&](auto& own, Index i, random::Stream& stream) {
            double& log_weight = out[at(i)];
            if constexpr (HasSmoothingWeight<M>) {
                log_weight = is_alive(own, i) ? model_->log_weight(present(own, i)) : log_zero;
            } else {
                log_weight = is_alive(own, i) ? model_->propose(stream, present(own, i), next(own, i)) : log_zero;
                if (log_weight == log_zero)
                    std::ranges::fill(next(own, i), std::numeric_limits<double>::quiet_NaN());
            }
        });
    }
    void augment(Block& block, const BlockStreams& streams) const override {
        if constexpr (HasSmoothingWeight<M>)
            for_each(block, streams, random::Purpose::start, [&](auto& own, Index i, random::Stream& stream) {
                if (is_alive(own, i) && model_->log_weight(present(own, i)) > log_zero)
                    model_->draw_next(stream, present(own, i), next(own, i));
                else
                    std::ranges::fill(next(own, i), std::numeric_limits<double>::quiet_NaN());
            });
        static_cast<GrowingColumns&>(block).set_rows(rows(n_ + 1));
    }
    void log_density(const Block& block, std::span<double> out) const override {
        const auto& own = static_cast<const GrowingColumns&>(block);
        for (Index i = 0; i < own.size(); ++i)
            out[at(i)] = is_alive(own, i) ? model_->log_density(present(own, i)) : log_zero;
    }
    void draw_seeds(Block& block, const BlockStreams& streams) const override {
        if constexpr (HasSeedDraw<M>)
            for_each(block, streams, random::Purpose::end, [&](auto& own, Index i, random::Stream& stream) {
                model_->draw_seed(stream, own.part(i, 0, each * n_));
            });
        else
            GrowingStage::draw_seeds(block, streams);
    }

  private:
    static constexpr Index each = numbers_per_variable<M>();

    Index rows(Index n) const { return each * std::min(HasSmoothingWeight<M> ? n : n + 1, model_->n_variables()); }
    std::span<const double> present(const GrowingColumns& block, Index i) const { return block.part(i, 0, each * n_); }
    std::span<double> next(GrowingColumns& block, Index i) const { return block.part(i, each * n_, each); }
    bool is_alive(const GrowingColumns& block, Index i) const {
        return !std::isnan(block.part(i, each * (n_ - 1), 1).front());
    }
    template <class Use>
    void for_each(Block& block, const BlockStreams& streams, random::Purpose purpose, const Use& use) const {
        auto& own = static_cast<GrowingColumns&>(block);
        const auto visit = [&](Index i) {
            random::Stream stream(streams.at(purpose, i));
            use(own, i, stream);
        };
        locate_errors(streams, own.size(), [&] {
            at_each_point(own.size(), visit, [&](Index i) { return listed_coordinates(present(own, i)); });
        });
    }

    std::shared_ptr<const M> model_;
    Index n_ = 1;
};

/// InputError if the model has no variables.
template <GrowingModel M>
class GrowingOf final : public GrowingTarget {
  public:
    explicit GrowingOf(M model) : model_(std::make_shared<const M>(std::move(model))) {
        if (model_->n_variables() < 1)
            throw InputError("the model's n_variables() is below 1");
        if constexpr (HasGrownQuantities<M>)
            offer<ReportedParameters>(std::make_shared<Quantities>(model_));
    }
    Index n_variables() const override { return model_->n_variables(); }
    std::unique_ptr<GrowingStage> first_stage() const override { return std::make_unique<GrowingStageOf<M>>(model_); }
    double log_normaliser_empty() const override {
        if constexpr (HasEmptyNormaliser<M>)
            return model_->log_normaliser_empty();
        else
            return 0;
    }
    double log_normaliser_first() const override { return model_->log_normaliser_first(); }
    std::optional<double> exact_log_normaliser() const override {
        if constexpr (HasExactNormaliser<M>)
            return model_->exact_log_normaliser();
        else
            return {};
    }
    Index default_sweeps() const override {
        if constexpr (HasDefaultSweeps<M>)
            return model_->default_sweeps();
        else
            return 1;
    }
    bool can_reseed() const override { return HasSeedDraw<M>; }
    void fingerprint(Fingerprint& fingerprint) const override {
        fingerprint.add("growing model");
        fingerprint.add(static_cast<double>(n_variables()));
        fingerprint.add(log_normaliser_first());
        if constexpr (HasGrowingFingerprint<M>)
            model_->fingerprint(fingerprint);
    }

  private:
    struct Quantities final : ReportedParameters {
        explicit Quantities(std::shared_ptr<const M> m) : model(std::move(m)), names(model->quantity_names()) {}
        const std::vector<std::string>& parameter_names() const override { return names; }
        Matrix parameters(const Block& block) const override {
            const auto& own = static_cast<const GrowingColumns&>(block);
            const Index all = numbers_per_variable<M>() * model->n_variables();
            Matrix values(std::ssize(names), own.size());
            for (Index i = 0; i < own.size(); ++i) {
                const auto x = own.part(i, 0, all);
                const std::span<double> out(values.col(i).data(), names.size());
                if (std::isnan(x[at(all - numbers_per_variable<M>())])) // of weight 0
                    std::ranges::fill(out, 0.0);
                else
                    model->quantities(x, out);
            }
            return values;
        }
        std::shared_ptr<const M> model;
        std::vector<std::string> names;
    };

    std::shared_ptr<const M> model_;
};

/// In the one order that the model has.
class OneOrder final : public Growth {
  public:
    explicit OneOrder(std::shared_ptr<const GrowingTarget> target) : target_(std::move(target)) {}
    std::vector<std::string> orders() const override { return {"given"}; }
    std::shared_ptr<const GrowingTarget> growing(const std::string&, std::uint64_t) const override { return target_; }

  private:
    std::shared_ptr<const GrowingTarget> target_;
};

template <GrowingModel M>
std::shared_ptr<const Growth> growth_of(M model) {
    return std::make_shared<const OneOrder>(std::make_shared<const GrowingOf<M>>(std::move(model)));
}

} // namespace pearlite::model
