#include "pearlite/core/detail/point_error.hpp"
#include "pearlite/model/detail/growing_target.hpp"
#include "pearlite/model/detail/locate_errors.hpp"
#include "pearlite/model/model_entry.hpp"
#include "target/learner.hpp"

#include <fmt/format.h>

namespace pearlite::model {

namespace {

class AnnealedModel final : public BuiltModel {
  public:
    AnnealedModel(std::shared_ptr<const Target> target, std::shared_ptr<const Growth> growth)
        : target_(std::move(target)), growth_(std::move(growth)) {}
    void fingerprint(Fingerprint& fingerprint) const override { target_->fingerprint(fingerprint); }
    std::size_t packed_particle_bytes() const override { return target_->particle_bytes(); }
    std::shared_ptr<const Target> target() const override { return target_; }
    std::shared_ptr<const Growth> growth() const override { return growth_; }

  private:
    std::shared_ptr<const Target> target_;
    std::shared_ptr<const Growth> growth_;
};

/// In the default order, where the order does not matter.
class GrowingModel final : public BuiltModel {
  public:
    explicit GrowingModel(std::shared_ptr<const Growth> growth)
        : growth_(std::move(growth)), target_(growth_->growing(growth_->orders().front(), 0)) {}
    void fingerprint(Fingerprint& fingerprint) const override { target_->fingerprint(fingerprint); }
    std::size_t packed_particle_bytes() const override {
        const auto first = target_->first_stage();
        return first->make_block(1)->packed_bytes() * static_cast<std::size_t>(target_->n_variables());
    }
    std::shared_ptr<const Growth> growth() const override { return growth_; }

  private:
    std::shared_ptr<const Growth> growth_;
    std::shared_ptr<const GrowingTarget> target_;
};

class SearchedModel final : public BuiltModel {
  public:
    SearchedModel(MakeSpace make_space, OperationPlan standard)
        : make_space_(std::move(make_space)), plan_(std::move(standard)), standard_(make_space_(plan_)) {}

    void fingerprint(Fingerprint& fingerprint) const override { standard_->fingerprint(fingerprint); }
    std::size_t packed_particle_bytes() const override { return standard_->state_bytes(); }
    std::shared_ptr<const Space> space(const OperationPlan& operations) const override {
        return make_space_(operations);
    }
    /// Beside the standard ones, for crossovers need company.
    bool suits(const std::string& operation) const override {
        auto plan = plan_;
        if (std::find(plan.operations.begin(), plan.operations.end(), operation) == plan.operations.end())
            plan.operations.push_back(operation);
        try {
            make_space_(plan);
            return true;
        } catch (const InputError&) {
            return false;
        }
    }

  private:
    MakeSpace make_space_;
    OperationPlan plan_;
    std::shared_ptr<const Space> standard_;
};

class TrainedModel final : public BuiltModel {
  public:
    TrainedModel(MakeLearner make_learner, std::function<void(Fingerprint&)> fingerprint, std::size_t example_bytes)
        : make_learner_(std::move(make_learner)), fingerprint_(std::move(fingerprint)), example_bytes_(example_bytes) {}

    void fingerprint(Fingerprint& fingerprint) const override { fingerprint_(fingerprint); }
    std::size_t packed_particle_bytes() const override { return example_bytes_; }
    std::unique_ptr<Learner> learner(const random::Seed& seed) const override { return make_learner_(seed); }

  private:
    MakeLearner make_learner_;
    std::function<void(Fingerprint&)> fingerprint_;
    std::size_t example_bytes_;
};

} // namespace

std::unique_ptr<Learner> BuiltModel::learner(const random::Seed&) const {
    return nullptr;
}

std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const Target> target, std::shared_ptr<const Growth> growth) {
    return std::make_unique<AnnealedModel>(std::move(target), std::move(growth));
}

std::unique_ptr<BuiltModel> growing(std::shared_ptr<const Growth> growth) {
    return std::make_unique<GrowingModel>(std::move(growth));
}

std::unique_ptr<BuiltModel> searched_in(MakeSpace make_space, OperationPlan standard) {
    return std::make_unique<SearchedModel>(std::move(make_space), std::move(standard));
}

std::unique_ptr<BuiltModel> trained(MakeLearner make_learner, std::function<void(Fingerprint&)> fingerprint,
                                    std::size_t example_bytes) {
    return std::make_unique<TrainedModel>(std::move(make_learner), std::move(fingerprint), example_bytes);
}

std::vector<ReverseStart> reverse_starts_of(const Target& target) {
    std::vector<ReverseStart> starts;
    if (target.offers<EndSampler>())
        starts.push_back(ReverseStart::exact);
    if (target.offers<ModeStart>())
        starts.push_back(ReverseStart::mode);
    if (target.offers<DataStart>())
        starts.push_back(ReverseStart::data);
    starts.push_back(ReverseStart::weighted);
    return starts;
}

ModelEntry searched_entry(std::string name, std::string description, SearchTraits traits, ModelEntry::Build build,
                          ModelEntry::ListKeys keys) {
    ModelTraits searched;
    searched.name = std::move(name);
    searched.search = std::move(traits);
    return {std::move(searched), std::move(description), std::move(build), std::move(keys)};
}

namespace {

bool says_where(std::string_view message) {
    return message.find(" at step ") != std::string_view::npos;
}

} // namespace

void throw_located(const std::exception_ptr& error, const BlockStreams& streams, Index n) {
    try {
        std::rethrow_exception(error);
    } catch (const PointError& e) {
        e.throw_at(fmt::format("step {}, particle {}", streams.run_step, streams.first_slot + e.point()));
    } catch (const Error& e) {
        if (e.is_agreed() || says_where(e.what()))
            throw;
    } catch (...) { // described below
    }
    const auto report = describe(error);
    throw_error(report.kind, fmt::format("{} at step {}, particles {} to {}", report.message, streams.run_step,
                                         streams.first_slot, streams.first_slot + n - 1));
}

} // namespace pearlite::model
