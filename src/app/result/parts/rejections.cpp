#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

/// Points that the code behind a density refused, on all ranks since the run began or was resumed, and until results
/// were made of it.
class RejectionsPart final : public ResultPart {
  public:
    explicit RejectionsPart(model::Rejections rejections) : rejections_(std::move(rejections)) {}

    void write_summary(SummaryParts& summary) const override {
        summary.diagnostics["rejected_points"] = {{"number", rejections_.number}, {"first", rejections_.first}};
    }

  private:
    model::Rejections rejections_;
};

std::string describe_rejections(const Json& summary) {
    const auto diagnostics = summary.value("diagnostics", Json::object());
    const auto rejected = diagnostics.find("rejected_points");
    if (rejected == diagnostics.end())
        return {};
    return fmt::format("  the model rejected {} point(s), whose density is zero; the first: {}\n",
                       whole_at(*rejected, "number"), rejected->value("first", ""));
}

std::unique_ptr<ResultPart> rejections_part(RunView& run) {
    if (!run.rejections)
        return nullptr;
    auto own = *run.rejections;
    const int ranks = run.ranks.size();
    const auto first = static_cast<int>(-run.ranks.max(-static_cast<Index>(own.number > 0 ? run.ranks.rank() : ranks)));
    if (first == ranks)
        return nullptr;
    own.first = run.ranks.broadcast(own.first, first);
    own.number = run.ranks.sum(own.number);
    return std::make_unique<RejectionsPart>(std::move(own));
}

} // namespace

PartKind rejections_kind() {
    return {rejections_part, describe_rejections};
}

} // namespace pearlite::app
