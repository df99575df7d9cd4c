// A toy part of results: the number of ranks, as a diagnostic and as a line for a person.
#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

class ToyPart final : public ResultPart {
  public:
    explicit ToyPart(int ranks) : ranks_(ranks) {}

    void write_summary(SummaryParts& summary) const override { summary.diagnostics["toy_ranks"] = ranks_; }

  private:
    int ranks_;
};

} // namespace

PartKind toy_kind() {
    return {[](RunView& run) -> std::unique_ptr<ResultPart> { return std::make_unique<ToyPart>(run.ranks.size()); },
            [](const Json& summary) {
                return fmt::format("  a toy on {} rank(s)\n", summary["diagnostics"].value("toy_ranks", 0));
            }};
}

} // namespace pearlite::app
