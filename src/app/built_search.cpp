#include "pearlite/app/built_search.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/io/digest.hpp"

#include <algorithm>
#include <utility>

namespace pearlite::app {

namespace {

class BuiltSearch final : public BuiltModel {
  public:
    BuiltSearch(MakeSpace make_space, OperationPlan standard)
        : make_space_(std::move(make_space)), plan_(std::move(standard)), standard_(make_space_(plan_)) {}

    std::shared_ptr<const model::Space> space(const OperationPlan& operations) const override {
        return make_space_(operations);
    }
    std::string fingerprint() const override {
        io::Sha256 hash;
        model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
        standard_->fingerprint(sink);
        return hash.finish_hex();
    }
    std::size_t packed_particle_bytes() const override { return standard_->state_bytes(); }
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
    std::shared_ptr<const model::Space> standard_;
};

} // namespace

std::unique_ptr<BuiltModel> searched_in(MakeSpace make_space, OperationPlan standard) {
    return std::make_unique<BuiltSearch>(std::move(make_space), std::move(standard));
}

} // namespace pearlite::app
