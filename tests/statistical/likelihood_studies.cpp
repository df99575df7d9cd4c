// Studies of estimated likelihoods. The replicates are spread over the ranks.
//
//     mpirun -n RANKS likelihood_studies noise|ranks|filters N
//
// noise and ranks print CSV that draw_likelihood_studies.py reads, with verdicts on standard error; exit status 1 if a
// figure misses its limits or a wrong twin meets them.
#include "statistical/likelihood_studies.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

int main(int argc, char** argv) {
    using namespace pearlite;
    using namespace pearlite::calibration;
    const parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const std::map<std::string, bool (*)(const parallel::Communicator&, Index)> studies{
        {"noise", noise_study}, {"ranks", rank_study}, {"filters", filter_study}};
    const auto study = studies.find(argc == 3 ? argv[1] : "");
    const Index n = argc == 3 ? std::atol(argv[2]) : 0;
    if (study == studies.end() || n < 10) {
        if (ranks.is_root())
            std::fputs("usage: likelihood_studies noise|ranks|filters N (at least 10)\n", stderr);
        return 2;
    }
    return study->second(ranks, n) ? 0 : 1;
}
