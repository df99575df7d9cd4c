#include "algorithm/plans/replicate_settings.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

void ReplicateSettings::keys(Keys& k) {
    list(k, false);
}

void ReplicateSettings::enlarging_keys(Keys& k) {
    list(k, true);
}

void ReplicateSettings::list(Keys& k, bool may_enlarge) {
    constexpr Index most = 10'000;
    const Index usual = number;
    const std::string rounds = "rounds of replicates follow each other until it is reached";
    k("target_error", target.error, above(0),
      "wanted standard error of the evidence, in nats: " +
          (may_enlarge ? "larger populations follow each other until it is reached, each as large as the error bar of "
                         "the one before asks for; if replicates is given, " +
                             rounds
                       : rounds));
    enlarges = may_enlarge && target.error && !k.has("replicates");
    if (enlarges)
        return;
    if (target.error)
        number = 8;
    k("replicates", number, within(target.error ? 2 : 1, most),
      about("independent runs; with two or more the error bar is theirs, and 8 or more make it a good one; with "
            "target_error those of a round")
          .default_is(usual != 1    ? std::to_string(usual)
                      : may_enlarge ? "1; none where target_error enlarges the population"
                                    : "1, or 8 if target_error is given"));
    k.when("target_error is given", target.error.has_value(), [&] {
        k("most_replicates", target.most_replicates, within({number, "replicates"}, most),
          "replicates of all rounds, at most");
    });
}

void ReplicateSettings::largest_key(Keys& k, Index particles, const std::string& particles_name) {
    k.when("target_error is given, and replicates is not", enlarges, [&] {
        target.most_particles = std::max(target.most_particles, particles);
        k("most_particles", target.most_particles, within({particles, particles_name}, largest_population),
          about("particles of the largest population").default_is("262144"));
    });
}

std::unique_ptr<Sampler> ReplicateSettings::sampler(const parallel::Communicator& ranks, const random::Seed& seed,
                                                    const Replicates::Make& make, const Learn& learn) const {
    if (!target.error)
        return std::make_unique<Replicates>(ranks, number, seed, make);
    return std::make_unique<Rounds>(ranks, target, [=, n = number](Index first, Replicates* before) {
        return std::make_unique<Replicates>(ranks, n, seed, before && learn ? learn(*before) : make, first);
    });
}

std::string ReplicateSettings::cost() const {
    if (!target.error)
        return {};
    if (enlarges)
        return fmt::format(
            "# larger populations follow until the error bar is {:g}, of {} at most: all costs are those "
            "of the first\n",
            *target.error, target.most_particles);
    return fmt::format("# in rounds of {} replicates until the error bar is {:g}, {} at most: all costs are those of a "
                       "round\n",
                       number, *target.error, target.most_replicates);
}

std::string describe_idle_ranks(int ranks, Index particles, Index block, const std::string& what, Index replicates) {
    const Index blocks = (particles + block - 1) / block, groups = std::min<Index>(replicates, ranks);
    Index idle = 0;
    for (Index group = 0; group < groups; ++group) // group sizes may differ by one rank
        idle += std::max<Index>(0, (ranks + group) / groups - blocks);
    if (blocks == 0 || idle == 0)
        return {};
    return fmt::format("{} of {} ranks have no work: {}{} {} in blocks of {} make {} block(s){}", idle, ranks,
                       replicates == 1 ? "" : fmt::format("{} replicates of ", replicates), particles, what, block,
                       blocks, replicates == 1 ? "" : " each");
}

} // namespace pearlite::algorithm
