// Each replicate has the mean of P(y_*|x) over its weighted particles, by its group of ranks; rank 0 has those of all.
#include "app/result/parts/kinds.hpp"
#include "estimator/class_probabilities.hpp"
#include "parallel/agreement.hpp"
#include "parallel/states.hpp"
#include "pearlite/path/detail/density_path.hpp"

namespace pearlite::app {

namespace {

/// Predictions of held-out observations of two classes, and how good they were.
class ClassPredictionsPart final : public ResultPart {
  public:
    /// Complete on rank 0; elsewhere empty but for the names of approximations.
    struct Predictions {
        model::HeldOutObservations held_out;
        Matrix of_replicates; ///< observations x replicates
        estimator::CombinedProbabilities combined;
        bool are_weighted = false; ///< replicates count by their Z
        std::vector<model::Approximation> approximations;
    };

    explicit ClassPredictionsPart(Predictions predictions) : predictions_(std::move(predictions)) {}

    void write_fields(io::Writer& writer) override;
    void write_summary(SummaryParts& summary) const override;

  private:
    Predictions predictions_;
};

/// P(y_* = 1) from those of the classes observed.
template <class Probabilities>
std::vector<double> of_class_one(const Probabilities& probabilities, const Vector& classes) {
    std::vector<double> values;
    for (Index k = 0; k < classes.size(); ++k) {
        const double p = probabilities[static_cast<std::size_t>(k)];
        values.push_back(classes(k) > 0 ? p : 1 - p);
    }
    return values;
}

/// held_out/: row, class, probability and probability_of_replicates of class 1, and a vector for each approximation.
void ClassPredictionsPart::write_fields(io::Writer& writer) {
    const auto& classes = predictions_.held_out.classes;
    Matrix of_replicates = predictions_.of_replicates;
    for (Index k = 0; k < of_replicates.rows(); ++k)
        if (classes(k) < 0)
            of_replicates.row(k) = 1 - of_replicates.row(k).array();
    writer.enter("held_out");
    writer("row", std::vector<std::int64_t>(predictions_.held_out.rows.begin(), predictions_.held_out.rows.end()));
    writer("class", std::vector<double>(classes.begin(), classes.end()));
    writer("probability", of_class_one(predictions_.combined.probabilities, classes));
    writer("probability_of_replicates", of_replicates);
    for (const auto& approximation : predictions_.approximations)
        writer(approximation.name, of_class_one(approximation.probabilities, classes));
    writer.leave();
}

Json score_entry(const estimator::ClassScore& score) {
    Json calibration = Json::array();
    for (const auto& bin : score.calibration)
        calibration.push_back({{"low", bin.low},
                               {"high", bin.high},
                               {"n", bin.n},
                               {"mean_probability", bin.mean_probability},
                               {"frequency", bin.frequency}});
    return {{"error_rate", score.error_rate},
            {"error_rate_standard_error", score.error_rate_standard_error},
            {"log_loss", json_number(score.log_loss)},
            {"log_loss_standard_error", json_number(score.log_loss_standard_error)},
            {"calibration", std::move(calibration)}};
}

void ClassPredictionsPart::write_summary(SummaryParts& summary) const {
    const auto& [held_out, of_replicates, combined, are_weighted, approximations] = predictions_;
    const std::vector<double> classes(held_out.classes.begin(), held_out.classes.end());
    auto entry = score_entry(estimator::class_score(combined.probabilities, classes));
    Json all{{"n", held_out.classes.size()}, {"replicates", of_replicates.cols()}};
    if (are_weighted)
        all["effective_replicates"] = combined.effective_replicates;
    if (combined.error_rate_error) {
        entry["error_rate_monte_carlo_error"] = json_number(*combined.error_rate_error);
        entry["log_loss_monte_carlo_error"] = json_number(*combined.log_loss_error);
    }
    all.update(entry);
    for (const auto& approximation : approximations) {
        const auto& p = approximation.probabilities;
        all[approximation.name] = score_entry(estimator::class_score({p.data(), at(p.size())}, classes));
    }
    summary.entries["predictions"] = std::move(all);
}

/// The mean over the particles of a replicate; collective of its ranks.
std::vector<double> mean_of_particles(const parallel::Communicator& team, const model::HeldOutClasses& model,
                                      const population::Generation& particles) {
    const auto& log_weights = particles.log_weights();
    const double log_sum = population::summarise(team, particles.layout(), log_weights).log_sum;
    const std::size_t n = model.held_out().rows.size();
    population::BlockSums sums(n + 1); // the last: of the weights alone, which rounding may have moved from 1
    parallel::together(team, [&] {
        for (Index b = 0; b < particles.local_blocks(); ++b) {
            const Matrix p = model.probabilities(particles.block(b));
            Vector weights(p.cols());
            const auto of_block = particles.of_block(log_weights, b);
            for (Index i = 0; i < weights.size(); ++i)
                weights(i) = std::exp(of_block[at(i)] - log_sum);
            for (Index k = 0; k < p.rows(); ++k)
                sums.add(at(k), ordered_sum(p.cols(), [&](Index i) { return weights(i) * p(k, i); }));
            sums.add(n, ordered_sum(p.cols(), [&](Index i) { return weights(i); }));
        }
    });
    auto means = sums.total(team);
    const double all = means.back();
    means.pop_back();
    for (double& mean : means)
        mean = std::min(1.0, mean / all);
    return means;
}

/// The mean over n draws; `fill(block, first)` puts draws first, first + 1, ... into the block.
template <class Fill>
std::vector<double> mean_of_draws(const model::Target& target, const model::HeldOutClasses& model, Index n,
                                  const Fill& fill) {
    constexpr Index at_once = 64;
    Vector sum = Vector::Zero(model.held_out().classes.size());
    for (Index first = 0; first < n; first += at_once) {
        const auto block = target.make_block(std::min(at_once, n - first));
        fill(*block, first);
        target.prepare(*block);
        const Matrix p = model.probabilities(*block);
        for (Index i = 0; i < block->size(); ++i)
            sum += p.col(i);
    }
    sum = (sum / static_cast<double>(n)).cwiseMin(1.0);
    return {sum.begin(), sum.end()};
}

/// The mean over the draws of all systems that a replicate recorded; collective of its ranks.
std::vector<double> mean_of_recorded(const parallel::Communicator& team, const model::Target& target,
                                     const model::HeldOutClasses& model, const algorithm::RecordedDraws& draws) {
    population::BlockSums sums(model.held_out().rows.size());
    parallel::together(team, [&] {
        for (Index chain = 0; chain < draws.chains_here(); ++chain) {
            const auto mean = mean_of_draws(target, model, draws.draws_per_chain(), [&](Block& block, Index first) {
                for (Index i = 0; i < block.size(); ++i)
                    draws.unpack(chain, first + i, block, i);
            });
            for (std::size_t k = 0; k < mean.size(); ++k)
                sums.add(k, mean[k] / static_cast<double>(draws.chains()));
        }
    });
    return sums.total(team);
}

/// Mean probabilities of one replicate or of one Markov chain.
struct MeanProbabilities {
    std::int64_t number = 0;
    std::vector<double> values;

    template <class Fields>
    void fields(Fields& f) {
        f("number", number);
        f("values", values);
    }
};

std::vector<MeanProbabilities> of_replicates_here(RunView& run, const model::HeldOutClasses& model) {
    const auto& found = run.found;
    const auto team = found.team_of(run.ranks);
    std::vector<MeanProbabilities> mine;
    parallel::DelayedFailure failure;
    for (Index r = 0; r < found.n_replicates(); ++r)
        if (found.has_replicate(r))
            failure.guard(
                run.ranks,
                [&] {
                    const auto replicate = found.replicate(r);
                    const auto* draws = replicate.draws;
                    mine.push_back({r, draws ? mean_of_recorded(team, *run.target, model, *draws)
                                             : mean_of_particles(team, model, replicate.population->generation(0))});
                },
                team.size());
    failure.agree(run.ranks);
    return parallel::gather_states(run.ranks, team.is_root(), mine);
}

std::vector<MeanProbabilities> of_chains_here(RunView& run, const model::HeldOutClasses& model) {
    const auto& chains = *run.found.chains;
    const auto layout = chains.draw_layout();
    const Matrix points = chains.points();
    const Index n = layout.block();
    std::vector<MeanProbabilities> mine;
    parallel::together(run.ranks, [&] {
        for (Index chain = 0; chain < layout.local_blocks(); ++chain)
            mine.push_back({layout.first_local_block() + chain,
                            mean_of_draws(*run.target, model, n, [&](Block& block, Index first) {
                                path::points_of(block).points.leftCols(block.size()) =
                                    points.middleCols(chain * n + first, block.size());
                            })});
    });
    return parallel::gather_states(run.ranks, true, mine);
}

/// "errors 2.07 +- 0.51 % (Monte Carlo 0.1), log loss 0.081 +- 0.012 nats (Monte Carlo 0.0004)".
std::string describe_score(const Json& entry, const std::string& method) {
    const auto with_errors = [&](const std::string& key, double scale, int digits, const char* unit) {
        auto text = fmt::format("{:.{}f} +- {:.{}f} {}", scale * number_at(entry, key.c_str()), digits,
                                scale * number_at(entry, (key + "_standard_error").c_str()), digits, unit);
        if (entry.contains(key + "_monte_carlo_error"))
            text +=
                fmt::format(" (Monte Carlo {:.2g})", scale * number_at(entry, (key + "_monte_carlo_error").c_str()));
        return text;
    };
    return fmt::format("    {}: errors {}, log loss {}\n", method, with_errors("error_rate", 100, 2, "%"),
                       with_errors("log_loss", 1, 4, "nats"));
}

std::string describe_class_predictions(const Json& summary) {
    const auto found = summary.find("predictions");
    if (found == summary.end())
        return {};
    const auto& entry = *found;
    auto text =
        fmt::format("  predictions of {} held-out rows; +- is what other rows would change\n", whole_at(entry, "n"));
    auto run = std::string("this run");
    if (entry.contains("effective_replicates"))
        run += fmt::format(", {} replicates weighted by their Z ({:.1f} in effect)", whole_at(entry, "replicates", 1),
                           number_at(entry, "effective_replicates"));
    text += describe_score(entry, run);
    for (const auto& [key, value] : entry.items())
        if (value.is_object())
            text += describe_score(value, key + ", an approximation");
    text += "    predicted probability of the second class, and its frequency among those rows\n";
    for (const auto& bin : entry.value("calibration", Json::array()))
        text += fmt::format("      {:.1f} to {:.1f}: {:6d} rows   {:.3f}   {:.3f}\n", number_at(bin, "low"),
                            number_at(bin, "high"), whole_at(bin, "n"), number_at(bin, "mean_probability"),
                            number_at(bin, "frequency"));
    return text;
}

std::unique_ptr<ResultPart> class_predictions_part(RunView& run) {
    const auto* model = run.target->offers<model::HeldOutClasses>();
    if (model == nullptr || run.inverse_temperature_end != 1)
        return nullptr;
    auto means = run.chains ? of_chains_here(run, *model) : of_replicates_here(run, *model);
    ClassPredictionsPart::Predictions predictions;
    predictions.approximations = run.approximations;
    parallel::on_root(run.ranks, [&] {
        std::ranges::sort(means, {}, &MeanProbabilities::number); // a rank may have several that are no neighbours
        const auto& classes = model->held_out().classes;
        predictions.held_out = model->held_out();
        predictions.of_replicates = Matrix(classes.size(), std::ssize(means));
        for (std::size_t r = 0; r < means.size(); ++r)
            predictions.of_replicates.col(static_cast<Index>(r)) =
                Eigen::Map<const Vector>(means[r].values.data(), classes.size());
        auto log_weights = run.log_ratios;
        predictions.are_weighted = !run.chains && log_weights.size() == means.size();
        if (!predictions.are_weighted)
            log_weights.assign(means.size(), 0.0);
        predictions.combined = estimator::combine_probabilities(predictions.of_replicates, log_weights,
                                                                {classes.data(), at(classes.size())});
    });
    return std::make_unique<ClassPredictionsPart>(std::move(predictions));
}

} // namespace

PartKind class_predictions_kind() {
    return {class_predictions_part, describe_class_predictions, model::Task::annealing, true, "predictions of classes"};
}

} // namespace pearlite::app
