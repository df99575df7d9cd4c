#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

/// The moves of each Markov chain.
class ChainsPart final : public ResultPart {
  public:
    explicit ChainsPart(const algorithm::ChainOutcome& chains)
        : acceptance_(chains.acceptance), longest_stay_(chains.longest_stay) {}

    void write_summary(SummaryParts& summary) const override {
        Json entries = Json::array();
        for (std::size_t c = 0; c < acceptance_.size(); ++c)
            entries.push_back({{"acceptance", acceptance_[c]}, {"longest_stay", longest_stay_[c]}});
        summary.entries["chains"] = std::move(entries);
    }

  private:
    std::vector<double> acceptance_;
    std::vector<std::int64_t> longest_stay_;
};

/// A line for each of a few chains, or for all of them together.
std::string describe_chains(const Json& summary) {
    if (!summary.contains("chains"))
        return {};
    const auto& chains = summary["chains"];
    constexpr std::size_t most = 16;
    std::string rates, stays;
    for (std::size_t c = 0; c < std::min(most, chains.size()); ++c) {
        rates += fmt::format(" {:.3f}", number_at(chains[c], "acceptance"));
        stays += fmt::format(" {}", chains[c].value("longest_stay", 0L));
    }
    const char* more = chains.size() > most ? " ..." : "";
    return fmt::format("  acceptance of each chain{}{}, longest stay{}{}\n", rates, more, stays, more);
}

std::unique_ptr<ResultPart> chains_part(RunView& run) {
    return run.chains ? std::make_unique<ChainsPart>(*run.chains) : nullptr;
}

} // namespace

PartKind chains_kind() {
    return {chains_part, describe_chains};
}

} // namespace pearlite::app
