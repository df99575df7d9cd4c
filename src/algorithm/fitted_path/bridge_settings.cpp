#include "algorithm/fitted_path/bridge_settings.hpp"

#include "algorithm/pilot/piloted.hpp"
#include "core/linear_algebra/linear_algebra.hpp"
#include "io/arrays/draws.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pearlite::algorithm {

void BridgeSettings::keys(Keys& k, const model::ModelTraits& traits, Defaults defaults) {
    k("reference", reference,
      {{"gaussian", Reference::gaussian, "a normal distribution"},
       {"student", Reference::student, "a Student t distribution, whose tails hold those of most posteriors"},
       {"mixture", Reference::mixture, "a mixture of Student t distributions"}},
      "the distribution at which the path begins");
    k.when("reference", reference, {Reference::student, Reference::mixture},
           [&] { k("degrees_of_freedom", degrees_of_freedom, within(5, 1e6), "degrees of freedom of the reference"); });
    has_prior = !traits.lacks_prior;
    if (defaults == Defaults::first)
        fit = Fit::laplace;
    // The leg to a prior of the model's own measures its integral.
    if (traits.has_estimated_likelihood || traits.has_prior_density ||
        (traits.lacks_prior && defaults == Defaults::first))
        fit = Fit::smc;
    k("fit", fit,
      {{"auto", Fit::automatic,
        "laplace, else pathfinder, else smc: the first whose log ratio to the posterior "
        "varies little over draws of the fit"},
       {"laplace", Fit::laplace, "the modes, and the curvature there"},
       {"pathfinder", Fit::pathfinder, "normal distributions along descents to the modes (Zhang et al. 2022)"},
       {annealed_population_name(), Fit::smc, "populations annealed from the prior"},
       {"model", Fit::model, "the model's own approximation of its posterior, as by expectation propagation"},
       {"draws", Fit::draws, "draws of the posterior that another sampler has made, in a file"},
       {"given", Fit::given, "a mean and a covariance, in a file"}},
      about("where the reference comes from")
          .default_is("auto; smc for an estimated likelihood, or a model with a prior of its own"));
    const bool descends = fit == Fit::automatic || fit == Fit::laplace || fit == Fit::pathfinder;
    const bool is_fitted = descends || fit == Fit::smc;
    prior_leg = fit != Fit::automatic;
    if (fit == Fit::automatic)
        fit_particles = 1024;
    if (traits.has_prior_density && is_fitted)
        anchor = Anchor::prior;
    k.when("the model has a prior of its own (prior_flag, prior_data) and fit is auto, laplace, pathfinder or smc",
           traits.has_prior_density && is_fitted, [&] {
               k("anchor", anchor,
                 {{"prior", Anchor::prior, "the prior, so that the path goes to the posterior from all that it allows"},
                  {"posterior", Anchor::posterior, "the posterior, from which the path is short"}},
                 about("the distribution to which the reference is fitted").default_is("prior, where there is one"));
           });
    k.when("fit", fit, {Fit::draws, Fit::given}, [&] {
        k("file", file,
          about("draws as CmdStan writes them, a column for each parameter (Stan's) or coordinate; or, given, lines of "
                "d numbers, for d coordinates as they are moved, by commas (.csv) or blanks: the mean, then the d "
                "lines of the covariance; for a mixture the same again for each component, all of equal weight")
              .must_be_given());
    });
    k.when("fit", fit, {Fit::automatic, Fit::laplace, Fit::pathfinder},
           [&] { k("starts", starts, within(1, 10000), "descents to the modes, from draws of the prior"); });
    const bool counts = (fit == Fit::smc || fit == Fit::draws) && reference == Reference::mixture;
    k.when("fit is smc or draws and reference is mixture", counts,
           [&] { k("components", components, within(1, 1000), "components of the mixture, at most"); });
    k.when("fit", fit, {Fit::automatic, Fit::laplace, Fit::pathfinder, Fit::smc, Fit::draws}, [&] {
        k("inflation", inflation, above(0).up_to(1e3),
          "factor on the covariance of the fit: a reference that is too narrow does more harm than one too wide");
    });
    k.when("fit", fit, {Fit::automatic, Fit::laplace, Fit::pathfinder, Fit::model, Fit::draws, Fit::given}, [&] {
        k("prior_leg", prior_leg,
          about("also anneal populations from the prior, for a second estimate of the evidence, which sees modes that "
                "the reference lacks")
              .default_is("true, but false if fit is auto"));
    });
    k.when("fit is auto or smc or prior_leg is true", fit == Fit::automatic || has_leg(), [&] {
        k("fit_particles", fit_particles, within(128, 100'000'000),
          about("particles annealed from the prior, in 8 populations").default_is("2048; 1024 if fit is auto"));
    });
    const bool is_read = fit == Fit::draws || fit == Fit::given;
    k.when("fit is neither draws nor given or prior_leg is true", !is_read || prior_leg,
           [&] { k("fit_seed", fit_seed, "seed of the fit; else derived from run.seed"); });
    if (!k.is_reading() || !is_read || file.path.empty())
        return;
    try {
        given_ = fit == Fit::draws                 ? io::read_draws(file.path)
                 : file.path.extension() == ".csv" ? io::read_bare_csv(file.path)
                                                   : io::read_columns(file.path);
    } catch (const InputError& wrong) {
        k.error("file", wrong.what());
    }
}

std::string BridgeSettings::cost(const std::string& moves) const {
    std::string text;
    if (fit == Fit::automatic)
        text +=
            fmt::format("# and up to {} descents to modes, which fit the reference, on every rank alike; where no "
                        "such fit passes its check, {}\n",
                        2 * starts, may_stay ? "the path begins at the prior" : "populations from the prior fit it");
    if (fit == Fit::laplace || fit == Fit::pathfinder)
        text += fmt::format("# and {} descents to modes, which fit the reference, on every rank alike\n", starts);
    if (has_leg())
        text +=
            fmt::format("# and, at every temperature from the prior, {} populations x {} particles x {} moves, {}\n",
                        leg_replicates, fit_particles / leg_replicates, moves,
                        fit == Fit::smc ? "which fit the reference" : "for a second estimate of the evidence");
    return text;
}

std::shared_ptr<const model::DensityFunctions>
BridgeSettings::anchored(std::shared_ptr<const model::DensityFunctions> density) const {
    return anchor == Anchor::prior ? density->offers<model::PriorDensity>()->prior() : density;
}

double BridgeSettings::df() const {
    return reference == Reference::gaussian ? infinity : degrees_of_freedom;
}

random::Seed BridgeSettings::seed(const random::Seed& of_run) const {
    return fit_seed ? random::Seed(*fit_seed, of_run.generator)
                    : random::derive_seed(of_run, (std::uint64_t{1} << 63) + 1);
}

void BridgeSettings::check(const model::DensityFunctions& density) const {
    if ((fit == Fit::automatic || fit == Fit::laplace || fit == Fit::pathfinder) && density.is_estimated())
        throw InputError(
            fmt::format("got a fit by the modes, but the likelihood is estimated; expected path.fit \"{}\" or "
                        "\"given\"",
                        annealed_population_name()));
    if (fit == Fit::model && !density.offers<model::PosteriorApproximation>())
        throw InputError("got \"model\", but the model has no approximation of its own; expected another path.fit");
    if (fit == Fit::given && given_.values.size() > 0)
        read(density.dimension());
    if (fit == Fit::draws && given_.values.size() > 0)
        read_draws(density);
}

random::StudentMixture BridgeSettings::read(Index dimension) const {
    const auto& numbers = given_.values;
    const Index d = dimension, rows = numbers.rows();
    const Index n = rows / (d + 1);
    const bool is_mixture = reference == Reference::mixture;
    if (numbers.cols() != d || rows != n * (d + 1) || n == 0 || (n > 1 && !is_mixture))
        throw InputError(fmt::format("{}: {} lines of {} numbers; expected a mean and a covariance of {} coordinates, "
                                     "{} lines{} of {} numbers",
                                     file.path.string(), rows, numbers.cols(), d, d + 1,
                                     is_mixture ? " for each component" : "", d));
    std::vector<random::StudentMixture::Component> parts;
    const double scale = std::isinf(df()) ? 1 : (df() - 2) / df();
    for (Index k = 0; k < n; ++k) {
        const Matrix covariance = numbers.middleRows(k * (d + 1) + 1, d);
        const double asymmetry = (covariance - covariance.transpose()).cwiseAbs().maxCoeff();
        const auto factor = cholesky_factor(scale * covariance);
        if (!numbers.allFinite() || asymmetry > 1e-9 * covariance.cwiseAbs().maxCoeff() || !factor ||
            !(factor->diagonal().minCoeff() > 0))
            throw InputError(fmt::format("{}: the covariance of component {} is not symmetric and positive definite",
                                         file.path.string(), k + 1));
        parts.push_back({1, numbers.row(k * (d + 1)).transpose(), *factor});
    }
    return random::StudentMixture(std::move(parts), df());
}

FirstDraws BridgeSettings::read_draws(const model::DensityFunctions& density) const {
    const auto* inverse = density.offers<model::PointsOfQuantities>();
    const auto& names = inverse ? inverse->determining_quantities() : density.parameter_names();
    std::vector<Index> columns;
    columns.reserve(names.size());
    for (const auto& name : names)
        columns.push_back(given_.column(name));
    const Index d = density.dimension(), rows = given_.values.rows();
    Matrix points(d, rows);
    std::vector<double> values(names.size());
    Index n = 0;
    for (Index row = 0; row < rows; ++row) {
        for (std::size_t k = 0; k < columns.size(); ++k)
            values[k] = given_.values(row, columns[k]);
        const std::span<double> x(points.col(n).data(), at(d));
        if (inverse ? inverse->point(values, x)
                    : std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
            if (!inverse)
                std::ranges::copy(values, x.begin());
            ++n;
        }
    }
    if (n < 2 * (d + 1) || 2 * n < rows)
        throw InputError(
            fmt::format("{}: {} of {} draws are points of the model, expected at least half of them and {} "
                        "(a covariance in {} dimensions); values of few digits can violate constraints",
                        file.path.string(), n, rows, 2 * (d + 1), d));
    points.conservativeResize(Eigen::NoChange, n);
    return {std::move(points), std::vector<double>(at(n), 0.0)};
}

path::FittedReference BridgeSettings::found(const model::DensityFunctions& density, const FirstDraws& draws,
                                            const random::Seed& of_run) const {
    const path::FitSettings settings{starts, seed(of_run), df()};
    switch (fit) {
    case Fit::laplace:
        return path::fit_by_laplace(density, settings);
    case Fit::pathfinder:
        return path::fit_by_pathfinder(density, settings);
    case Fit::draws:
        return {read_draws(density).mixture(reference == Reference::mixture ? components : 1, df())};
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

path::FittedReference BridgeSettings::fitted(const model::DensityFunctions& density, const FirstDraws& draws,
                                             const random::Seed& of_run) const {
    auto result = found(density, draws, of_run);
    if (reference != Reference::mixture)
        result.mixture = result.mixture.merged();
    if (fit != Fit::given && fit != Fit::model)
        result.mixture = result.mixture.inflated(inflation);
    return result;
}

BridgeSettings::CheckedFit BridgeSettings::checked(const model::DensityFunctions& density,
                                                   const random::Seed& of_run) const {
    constexpr double tails = 5;
    CheckedFit result;
    double least = infinity;
    for (const auto& [by, widening] : {std::pair(Fit::laplace, 4.0), std::pair(Fit::pathfinder, 1.5)}) {
        auto one = *this;
        one.fit = by;
        try {
            auto fitted = one.found(density, {}, of_run);
            result.evaluations += fitted.evaluations;
            const double spread = path::spread_of(density, fitted.mixture, seed(of_run));
            result.spreads.push_back(spread);
            if (!result.leg_start || spread < least) {
                result.leg_start = random::StudentMixture(fitted.mixture.components(), tails).inflated(widening);
                least = spread;
            }
            if (spread > path::largest_spread(density.dimension()))
                continue;
            result.by = by;
            result.reference = std::move(fitted);
            result.reference->mixture = result.reference->mixture.inflated(inflation);
            break;
        } catch (const NumericalError&) { // no mode, or no start
            result.spreads.push_back(infinity);
        }
    }
    if (path::has_run_off(result.spreads.front()))
        result.leg_start.reset();
    return result;
}

} // namespace pearlite::algorithm
