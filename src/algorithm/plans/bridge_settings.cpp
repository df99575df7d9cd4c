#include "algorithm/plans/bridge_settings.hpp"

#include "algorithm/common/annealed_population.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/random/stream.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace pearlite::algorithm {

void BridgeSettings::keys(Keys& k, const model::ModelTraits& traits) {
    k("reference", reference,
      {{"gaussian", Reference::gaussian, "a normal distribution"},
       {"student", Reference::student, "a Student t distribution, whose tails hold those of most posteriors"},
       {"mixture", Reference::mixture, "a mixture of Student t distributions"}},
      "the distribution at which the path begins");
    k.when("reference", reference, {Reference::student, Reference::mixture},
           [&] { k("degrees_of_freedom", degrees_of_freedom, within(5, 1e6), "degrees of freedom of the reference"); });
    has_prior = !traits.lacks_prior;
    if (traits.has_estimated_likelihood || traits.lacks_prior)
        fit = Fit::smc;
    k("fit", fit,
      {{"laplace", Fit::laplace, "the modes, and the curvature there"},
       {"pathfinder", Fit::pathfinder, "normal distributions along descents to the modes (Zhang et al. 2022)"},
       {annealed_population_name(), Fit::smc, "populations annealed from the prior"},
       {"model", Fit::model, "the model's own approximation of its posterior, as by expectation propagation"},
       {"given", Fit::given, "a file"}},
      about("where the reference comes from")
          .default_is("laplace; smc for an estimated likelihood, or a model without a prior"));
    k.when("fit", fit, Fit::given, [&] {
        k("file", file,
          about("lines of d numbers, for d coordinates as they are moved, by commas (.csv) or blanks: the mean, then "
                "the d "
                "lines of the covariance; for a mixture the same again for each component, all of equal weight")
              .must_be_given());
    });
    k.when("fit", fit, {Fit::laplace, Fit::pathfinder},
           [&] { k("starts", starts, within(1, 10000), "descents to the modes, from draws of the prior"); });
    const bool counts = fit == Fit::smc && reference == Reference::mixture;
    k.when("fit is smc and reference is mixture", counts,
           [&] { k("components", components, within(1, 1000), "components of the mixture, at most"); });
    k.when("fit", fit, {Fit::laplace, Fit::pathfinder, Fit::smc}, [&] {
        k("inflation", inflation, above(0).up_to(1e3),
          "factor on the covariance of the fit: a reference that is too narrow does more harm than one too wide");
    });
    k.when("fit", fit, {Fit::laplace, Fit::pathfinder, Fit::model, Fit::given}, [&] {
        k("prior_leg", prior_leg,
          "also anneal populations from the prior, for a second estimate of the evidence, which sees modes that the "
          "reference lacks");
    });
    k.when("fit is smc or prior_leg is true", has_leg(), [&] {
        k("fit_particles", fit_particles, within(128, 100'000'000),
          "particles annealed from the prior, in 8 populations");
    });
    k.when("fit is not given or prior_leg is true", fit != Fit::given || prior_leg,
           [&] { k("fit_seed", fit_seed, "seed of the fit; else derived from run.seed"); });
    if (!k.is_reading() || fit != Fit::given || file.path.empty())
        return;
    try {
        given_ = (file.path.extension() == ".csv" ? io::read_bare_csv(file.path) : io::read_columns(file.path)).values;
    } catch (const InputError& wrong) {
        k.error("file", wrong.what());
    }
}

std::string BridgeSettings::cost(const std::string& moves) const {
    std::string text;
    if (fit == Fit::laplace || fit == Fit::pathfinder)
        text += fmt::format("# and {} descents to modes, which fit the reference, on every rank alike\n", starts);
    if (has_leg())
        text +=
            fmt::format("# and, at every temperature from the prior, {} populations x {} particles x {} moves, {}\n",
                        leg_replicates, fit_particles / leg_replicates, moves,
                        fit == Fit::smc ? "which fit the reference" : "for a second estimate of the evidence");
    return text;
}

double BridgeSettings::df() const {
    return reference == Reference::gaussian ? infinity : degrees_of_freedom;
}

random::Seed BridgeSettings::seed(const random::Seed& of_run) const {
    return fit_seed ? random::Seed(*fit_seed, of_run.generator)
                    : random::derive_seed(of_run, (std::uint64_t{1} << 63) + 1);
}

void BridgeSettings::check(const model::DensityFunctions& density) const {
    if ((fit == Fit::laplace || fit == Fit::pathfinder) && density.is_estimated())
        throw InputError(
            fmt::format("got a fit by the modes, but the likelihood is estimated; expected path.fit \"{}\" or "
                        "\"given\"",
                        annealed_population_name()));
    if (fit == Fit::model && !density.offers<model::PosteriorApproximation>())
        throw InputError("got \"model\", but the model has no approximation of its own; expected another path.fit");
    if (fit == Fit::given && given_.size() > 0)
        read(density.dimension());
}

random::StudentMixture BridgeSettings::read(Index dimension) const {
    const Index d = dimension, rows = given_.rows();
    const Index n = rows / (d + 1);
    const bool is_mixture = reference == Reference::mixture;
    if (given_.cols() != d || rows != n * (d + 1) || n == 0 || (n > 1 && !is_mixture))
        throw InputError(fmt::format("{}: {} lines of {} numbers; expected a mean and a covariance of {} coordinates, "
                                     "{} lines{} of {} numbers",
                                     file.path.string(), rows, given_.cols(), d, d + 1,
                                     is_mixture ? " for each component" : "", d));
    std::vector<random::StudentMixture::Component> parts;
    const double scale = std::isinf(df()) ? 1 : (df() - 2) / df();
    for (Index k = 0; k < n; ++k) {
        const Matrix covariance = given_.middleRows(k * (d + 1) + 1, d);
        const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
        const auto factor = cholesky_factor(scale * covariance);
        if (!given_.allFinite() || asymmetry > 1e-9 * covariance.cwiseAbs().maxCoeff() || !factor ||
            !(factor->diagonal().minCoeff() > 0))
            throw InputError(fmt::format("{}: the covariance of component {} is not symmetric and positive definite",
                                         file.path.string(), k + 1));
        parts.push_back({1, given_.row(k * (d + 1)).transpose(), *factor});
    }
    return random::StudentMixture(std::move(parts), df());
}

path::FittedReference BridgeSettings::found(const model::DensityFunctions& density, const FirstDraws& draws,
                                            const random::Seed& of_run) const {
    const path::FitSettings settings{starts, seed(of_run), df()};
    switch (fit) {
    case Fit::laplace:
        return path::fit_by_laplace(density, settings);
    case Fit::pathfinder:
        return path::fit_by_pathfinder(density, settings);
    case Fit::smc:
        return {draws.mixture(reference == Reference::mixture ? components : 1, df())};
    case Fit::model: {
        const auto [mean, factor] = density.offers<model::PosteriorApproximation>()->approximation();
        const double scale = std::isinf(df()) ? 1 : std::sqrt((df() - 2) / df());
        return {random::StudentMixture({{1, mean, scale * factor}}, df())};
    }
    default:
        return {read(density.dimension())};
    }
}

std::optional<path::FittedReference> BridgeSettings::rough(const model::DensityFunctions& density,
                                                           const random::Seed& of_run) const {
    constexpr double tails = 5, widening = 4;
    try {
        auto modes = path::fit_by_laplace(density, {starts, seed(of_run), tails});
        return path::FittedReference{modes.mixture.inflated(widening), modes.evaluations};
    } catch (const NumericalError&) {
        return {};
    }
}

path::FittedReference BridgeSettings::fitted(const model::DensityFunctions& density, const FirstDraws& draws,
                                             const random::Seed& of_run) const {
    auto result = found(density, draws, of_run);
    if (reference != Reference::mixture)
        result.mixture = result.mixture.merged();
    if (fit != Fit::given && fit != Fit::model)
        result.mixture = result.mixture.inflated(inflation);
    return result;
}

} // namespace pearlite::algorithm
