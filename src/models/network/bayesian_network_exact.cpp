/// The least energy over all networks (Silander & Myllymaki 2006, with bit masks). Some node of a network has no
/// children, so that with
///
///     b_i(C) = min over parents pa in C, |pa| <= limit, of score(i, pa)
///     R(S)   = min over i in S of R(S - i) + b_i(S - i),    R(empty set) = 0
///
/// R(all nodes) is the least energy. b_i(C) is not tabulated: a parent set with a subset that scores as well is never
/// needed, few are left, and sorted by score the first that lies in C is the best.

#include "models/network/bayesian_network.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>

namespace pearlite::models {
namespace {

struct Family {
    std::uint32_t parents;
    double score;
};
/// Sets of parents of one node, by increasing score; the last is the empty set.
using Families = std::vector<Family>;

/// The next larger number with as many bits set.
NodeSet next_of_size(NodeSet set) {
    const NodeSet lowest = set & (0 - set), carried = set + lowest;
    return carried | ((set ^ carried) / lowest) >> 2;
}

Families useful_families(const FamilyScores& scores, Index node) {
    const NodeSet end = NodeSet{1} << (scores.variables() - 1), below = (NodeSet{1} << node) - 1;
    std::vector<double> best(static_cast<std::size_t>(scores.sets_up_to(scores.parent_limit())));
    Families families;
    for (Index size = 0; size <= scores.parent_limit(); ++size)
        for (NodeSet set = (NodeSet{1} << size) - 1; set < end; set = next_of_size(set)) {
            const NodeSet parents = (set & below) | (set & ~below) << 1;
            double least = infinity;
            for (NodeSet rest = set; rest != 0; rest &= rest - 1)
                least = std::min(least, best[static_cast<std::size_t>(scores.rank(set & ~(rest & (0 - rest))))]);
            const double score = scores.score(node, parents);
            best[static_cast<std::size_t>(scores.rank(set))] = std::min(least, score);
            if (score < least)
                families.push_back({static_cast<std::uint32_t>(parents), score});
            if (size == 0)
                break;
        }
    std::stable_sort(families.begin(), families.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
    return families;
}

/// The best family with parents in `candidates`, unless none scores below `bound`.
const Family* best_family(const Families& families, std::uint32_t candidates, double bound) {
    for (const Family& family : families) {
        if (family.score >= bound)
            return nullptr;
        if ((family.parents & ~candidates) == 0)
            return &family;
    }
    return nullptr;
}

} // namespace

Dag BayesianNetwork::exact_minimum() const {
    if (nodes() > largest_exact)
        throw InputError("Bayesian network: the exact minimum over " + std::to_string(nodes()) +
                         " variables needs too much memory, expected at most " + std::to_string(largest_exact));
    std::vector<Families> families;
    for (Index node = 0; node < nodes(); ++node)
        families.push_back(useful_families(scores_, node));

    const std::uint32_t all = (std::uint32_t{1} << nodes()) - 1;
    std::vector<double> least(std::size_t{all} + 1, infinity);
    least[0] = 0;
    for (std::uint32_t set = 1; set <= all; ++set)
        for (std::uint32_t rest = set; rest != 0; rest &= rest - 1) {
            const std::uint32_t others = set & ~(rest & (0 - rest));
            const auto node = static_cast<std::size_t>(std::countr_zero(rest));
            if (const Family* family = best_family(families[node], others, least[set] - least[others]))
                least[set] = least[others] + family->score;
        }

    // Sums of scores are exact, so a comparison for equality finds the childless nodes again.
    std::vector<NodeSet> parents(static_cast<std::size_t>(nodes()));
    for (std::uint32_t set = all; set != 0;) {
        std::uint32_t found = 0;
        for (std::uint32_t rest = set; rest != 0 && found == 0; rest &= rest - 1) {
            const std::uint32_t one = rest & (0 - rest);
            const auto node = static_cast<std::size_t>(std::countr_zero(rest));
            const Family* family = best_family(families[node], set & ~one, infinity);
            if (least[set & ~one] + family->score == least[set]) {
                parents[node] = family->parents;
                found = one;
            }
        }
        PEARLITE_ENSURES(found != 0);
        set &= ~found;
    }
    Dag dag = network(parents);
    PEARLITE_ENSURES(dag.energy() == least[all]);
    return dag;
}

} // namespace pearlite::models
