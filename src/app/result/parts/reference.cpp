#include "app/result/parts/kinds.hpp"

namespace pearlite::app {

namespace {

/// The distribution at which an automatic path begins, and why, from the run's diagnostics.
std::string describe_reference(const Json& summary) {
    const auto diagnostics = summary.value("diagnostics", Json::object());
    if (!diagnostics.contains("laplace_spread"))
        return {};
    const auto spread = [&](const char* fit) { // infinite ones are texts
        const double value = number_at(diagnostics, fit);
        return std::isnan(value) ? diagnostics.value(fit, "nan") : fmt::format("{:.3g}", value);
    };
    const bool tried_pathfinder = diagnostics.contains("pathfinder_spread");
    const double limit = number_at(diagnostics, "largest_passing_spread");
    const auto components = whole_at(diagnostics, "reference_components");
    const auto last = number_at(diagnostics, tried_pathfinder ? "pathfinder_spread" : "laplace_spread");
    if (last <= limit)
        return fmt::format("  path: from {} fit to the posterior, {} component(s), over which log p - log q varies by "
                           "{:.3g} (a fit passes up to {:.3g})\n",
                           tried_pathfinder ? "Pathfinder's" : "Laplace's", components, last, limit);
    return fmt::format("  path: from {}, since log p - log q varies by {} over Laplace's fit and {} over Pathfinder's "
                       "(a fit passes up to {:.3g})\n",
                       components > 0 ? "a fit to 8 populations" : "the prior", spread("laplace_spread"),
                       spread("pathfinder_spread"), limit);
}

} // namespace

PartKind reference_kind() {
    return {nullptr, describe_reference};
}

} // namespace pearlite::app
