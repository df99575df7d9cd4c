// The calibration study: replicates of small problems with known answers, spread over the ranks; the stated standard
// errors must be true, log Z unbiased where it claims to be, and wrong twins of both must be rejected. The result does
// not depend on the number of ranks.
//
//     mpirun -n RANKS calibration [REPLICATES]       200 replicates unless told; exit status 1 if a figure misses its
//     limits
#include "statistical/cases.hpp"

#include "parallel/communicator.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/random/stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace pearlite;
using namespace pearlite::calibration;

namespace {

constexpr std::uint64_t study_seed = 2026;
/// Bias of ten particles is small beside their scatter: it takes many replicates to see it.
constexpr Index n_bias_replicates = 10000;
constexpr double largest_sd_log_z = 0.2;
constexpr double smallest_ess = 50;

/// Collective. n replicates in order, on every rank; their seeds differ from those of all other studies by `number`.
std::vector<Replicate> replicates_of(const parallel::Communicator& ranks, const Case& study, std::uint64_t number,
                                     Index n) {
    const auto case_seed = random::derive_seed(study_seed, number);
    std::vector<Replicate> mine;
    for (Index r = ranks.rank(); r < n; r += ranks.size())
        mine.push_back(study.run(random::derive_seed(case_seed, static_cast<std::uint64_t>(r))));
    const auto by_rank = ranks.all_gather(std::span<const Replicate>(mine));
    std::vector<Replicate> in_order(static_cast<std::size_t>(n));
    std::size_t next = 0;
    for (Index rank = 0; rank < ranks.size(); ++rank)
        for (Index r = rank; r < n; r += ranks.size())
            in_order[static_cast<std::size_t>(r)] = by_rank[next++];
    return in_order;
}

class Study {
  public:
    Study(const parallel::Communicator& ranks, Index n_replicates) : ranks_(ranks), n_(n_replicates) {}

    /// Standard errors of a case, as they are and made wrong both ways; and its bias.
    void judge(const Case& study) {
        const auto replicates = replicates_of(ranks_, study, next_case_++, n_);
        std::vector<double> log_ratios, ess;
        for (const auto& r : replicates) {
            log_ratios.push_back(r.log_ratio);
            ess.push_back(r.ess);
        }
        const double sd_log_z = moments(log_ratios).sd;
        const double min_ess = *std::min_element(ess.begin(), ess.end());
        for (std::size_t e = 0; e < study.errors.size(); ++e)
            judge_error(study, e, replicates, sd_log_z, min_ess);
        require(sd_log_z <= largest_sd_log_z && min_ess >= smallest_ess, study.name + ": settings outside their range");
        judge_bias(study, replicates, true);
    }

    /// mean exp(log Z_hat - log Z) is 1, or, for a wrong twin, is seen not to be.
    void judge_bias(const Case& study, const std::vector<Replicate>& replicates, bool claimed) {
        std::vector<double> ratios;
        for (const auto& r : replicates)
            ratios.push_back(std::exp(r.log_ratio - study.exact));
        const auto m = moments(ratios);
        const double deviation = bias_in_standard_errors(m);
        const bool seen = deviation > largest_bias_in_standard_errors;
        biases_.add({study.name, study.settings, fmt::format("{}", m.n), fmt::format("{:.4f}", m.mean),
                     fmt::format("{:.4f}", m.sd / std::sqrt(static_cast<double>(m.n))),
                     fmt::format("{:.1f}", deviation), verdict(!seen, claimed)});
        require(seen != claimed, study.name + (claimed ? ": Z is biased" : ": the wrong twin passed for unbiased"));
    }
    void judge_few_particles(bool online) {
        const auto study = few_particles_case(online);
        judge_bias(study, replicates_of(ranks_, study, next_case_++, n_bias_replicates), !online);
    }

    /// An error is offered if and only if at least 20 families are left; both happen.
    void judge_few_families() {
        const auto study = few_families_case();
        Index few = 0, offered_with_few = 0, offered = 0;
        for (const auto& r : replicates_of(ranks_, study, next_case_++, n_)) {
            const bool has_error = !std::isnan(r.standard_error[0]);
            few += r.eves < 20;
            offered += has_error;
            offered_with_few += has_error && r.eves < 20;
        }
        families_ =
            fmt::format("{} ({}): {} of {} replicates with fewer than 20 families; an error offered in {} of those, "
                        "and in {} of the others\n",
                        study.name, study.settings, few, n_, offered_with_few, offered - offered_with_few);
        require(few > 0 && few < n_ && offered_with_few == 0 && offered > 0, "errors offered with few families");
    }

    std::string text() const {
        const auto limit = limits(n_);
        std::string text =
            fmt::format("Standard errors over {} replicates: |mean z| <= {:.3f}, {:.3f} <= sd z <= {:.3f}\n\n", n_,
                        limit.mean, limit.sd_low, limit.sd_high);
        text += errors_.text() + "\nUnbiasedness of Z\n\n" + biases_.text() + "\n" + families_;
        for (const auto& failure : failures_)
            text += "MISSED: " + failure + "\n";
        return text;
    }
    bool passed() const { return failures_.empty(); }

  private:
    void judge_error(const Case& study, std::size_t e, const std::vector<Replicate>& replicates, double sd_log_z,
                     double min_ess) {
        const auto& error = study.errors[e];
        const auto scores_of = [&](double factor) {
            std::vector<double> scores;
            for (const auto& r : replicates)
                if (!std::isnan(r.standard_error[e]))
                    scores.push_back((r.log_ratio - study.exact) / (factor * r.standard_error[e]));
            return moments(error.t_degrees > 0 ? normal_scores_of_t(scores, error.t_degrees) : scores);
        };
        const auto add = [&](const std::string& method, const Moments& scores, bool claimed) {
            const bool good = accepted(scores, error.claim);
            errors_.add({study.name, study.settings, method, fmt::format("{}", scores.n),
                         fmt::format("{:.3f}", sd_log_z), fmt::format("{:.0f}", min_ess),
                         fmt::format("{:+.3f}", scores.mean), fmt::format("{:.3f}", scores.sd),
                         verdict(good, claimed)});
            require(good == claimed, study.name + ", " + method);
        };
        const auto scores = scores_of(1);
        add(error.method, scores, true);
        require(scores.n == n_, study.name + ": an error bar is missing");
        if (error.claim == Claim::exact) {
            // Few replicates see grave mistakes only.
            const bool full = n_ >= full_study;
            const std::string amount = full ? " sqrt 2 (wrong)" : " 2 (wrong)";
            const double factor = full ? std::sqrt(2.0) : 2.0;
            add(error.method + " /" + amount, scores_of(1 / factor), false);
            add(error.method + " x" + amount, scores_of(factor), false);
        }
    }

    static std::string verdict(bool accepted, bool claimed) {
        return std::string(accepted ? "accepted" : "rejected") + (accepted == claimed ? "" : " (MISSED)");
    }
    void require(bool condition, const std::string& what) {
        if (!condition)
            failures_.push_back(what);
    }

    parallel::Communicator ranks_;
    Index n_;
    std::uint64_t next_case_ = 0;
    Table errors_{
        {"problem", "settings", "error", "replicates", "sd log Z", "smallest ESS", "mean z", "sd z", "verdict"}};
    Table biases_{{"problem", "settings", "replicates", "mean Z/Z exact", "standard error", "deviation", "verdict"}};
    std::string families_;
    std::vector<std::string> failures_;
};

} // namespace

int main(int argc, char** argv) {
    parallel::Environment environment(argc, argv);
    const auto ranks = parallel::Communicator::world();
    const Index n = argc > 1 ? std::atol(argv[1]) : full_study;
    if (argc > 2 || n < 20) {
        std::fputs("usage: calibration [REPLICATES]   (20 or more)\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    Study study(ranks, n);
    for (const auto& one : calibrated_cases())
        study.judge(one);
    study.judge_few_families();
    study.judge_few_particles(false);
    study.judge_few_particles(true);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (ranks.is_root())
        std::printf("%s\n%.1f s at %d ranks\n", study.text().c_str(), seconds.count(), ranks.size());
    return study.passed() ? 0 : 1;
}
