#pragma once
/// An energy with its space as a BuiltModel: makes searches.

#include "pearlite/app/catalogue.hpp"
#include "pearlite/app/search_run.hpp"
#include "pearlite/core/contract.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/digest.hpp"

#include <algorithm>
#include <functional>
#include <memory>

namespace pearlite::app {

/// `make_space(operations)` builds the space with the operations that a configuration asks for.
template <model::SearchSpace Space>
class BuiltSearchOf final : public BuiltModel {
  public:
    using MakeSpace = std::function<Space(const OperationPlan&)>;
    /// `standard` are operations with which the space can be asked for what does not depend on them.
    BuiltSearchOf(MakeSpace make_space, const OperationPlan& standard)
        : make_space_(std::move(make_space)), plan_(standard), standard_(make_space_(standard)) {}

    std::unique_ptr<Run> make_search(const parallel::Communicator& ranks, const SearchPlan& plan) const override {
        return std::make_unique<SearchRun<Space>>(ranks, std::make_shared<const Space>(make_space_(plan.operations)),
                                                  plan);
    }
    std::string fingerprint() const override {
        io::Sha256 hash;
        model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
        standard_.fingerprint(sink);
        return hash.finish_hex();
    }
    std::size_t packed_particle_bytes() const override { return standard_.make_chains(1).packed_bytes(); }
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
    /// Operations that do not fit this space are mistakes of the configuration.
    void check(const SearchPlan& plan) const override { make_space_(plan.operations); }

  private:
    MakeSpace make_space_;
    OperationPlan plan_;
    Space standard_;
};

} // namespace pearlite::app
