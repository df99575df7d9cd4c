#include "pearlite/app/algorithm.hpp"

namespace pearlite::app {

const std::vector<std::string>& algorithm_names() {
    static const std::vector<std::string> names{"annealed-importance",
                                                "smc",
                                                "nonequilibrium",
                                                "parallel-tempering",
                                                "importance-squared",
                                                "pseudo-marginal",
                                                "sa",
                                                "vfsa",
                                                "saa",
                                                "psaa",
                                                "pisaa",
                                                "asamc",
                                                "aesamc"};
    return names;
}

std::string algorithm_name(Algorithm algorithm) {
    return algorithm_names()[static_cast<std::size_t>(algorithm)];
}

std::string algorithm_description(Algorithm algorithm) {
    switch (algorithm) {
    case Algorithm::annealed_importance:
        return "independent annealed trajectories (Neal 2001)";
    case Algorithm::smc:
        return "tempered sequential Monte Carlo, fixed or adaptive temperatures";
    case Algorithm::nonequilibrium:
        return "forward and reverse annealing, evidence from work (Habeck 2017)";
    case Algorithm::parallel_tempering:
        return "replica exchange with nonreversible swaps; stepping stones and thermodynamic integration";
    case Algorithm::importance_squared:
        return "importance sampling from an adapted Student mixture, IS^2 (Tran et al. 2013)";
    case Algorithm::pseudo_marginal:
        return "pseudo-marginal Metropolis-Hastings chains (Andrieu & Roberts 2009); a posterior, no evidence";
    case Algorithm::sa:
        return "simulated annealing of one chain (Kirkpatrick et al. 1983)";
    case Algorithm::vfsa:
        return "annealing of a population with crossovers, no bias (VFSA of Karagiannis et al. 2017)";
    case Algorithm::saa:
        return "stochastic approximation annealing of one chain (Liang et al. 2014)";
    case Algorithm::psaa:
        return "stochastic approximation annealing of many chains, each with its own bias";
    case Algorithm::pisaa:
        return "parallel and interacting stochastic approximation annealing (Karagiannis et al. 2017)";
    case Algorithm::asamc:
        return "annealing stochastic approximation Monte Carlo: a space that shrinks (Liang 2007)";
    case Algorithm::aesamc:
        return "annealing evolutionary SAMC: the same of a population with crossovers (Liang 2011)";
    }
    return {};
}

bool is_at_posterior(Algorithm algorithm) {
    return algorithm == Algorithm::importance_squared || algorithm == Algorithm::pseudo_marginal;
}

bool is_search(Algorithm algorithm) {
    return algorithm >= Algorithm::sa;
}

} // namespace pearlite::app
