#pragma once
/// The keys of [path] that fit, or give, the reference of a bridge.

#include "algorithm/common/defaults.hpp"
#include "algorithm/pilot/first_draws.hpp"
#include "path/bridge/reference_fits.hpp"
#include "pearlite/core/keys.hpp"
#include "pearlite/io/arrays.hpp"
#include "pearlite/model/detail/model_traits.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::algorithm {

struct BridgeSettings {
    enum class Reference { gaussian, student, mixture };
    enum class Anchor { prior, posterior };
    enum class Fit { automatic, laplace, pathfinder, smc, model, draws, given };

    Reference reference = Reference::student;
    double degrees_of_freedom = 7;
    Index components = 4;
    Fit fit = Fit::automatic;
    InputFile file;
    Index starts = 8;
    double inflation = 1.5;
    bool prior_leg = false;
    Index most_prior_draws = 0; ///< of the leg; prior_stage.hpp
    double conditional_ess_of_leg = 0.9;
    Index fit_particles = 2048;
    std::optional<std::uint64_t> fit_seed;
    bool has_prior = true;             ///< else the leg begins at modes, which are no key's matter
    bool may_stay = false;             ///< the path begins at the prior where no automatic fit passes its check
    Anchor anchor = Anchor::posterior; ///< the end of the leg, to which the reference is fitted

    void keys(Keys& k, const model::ModelTraits& traits, Defaults defaults);
    /// InputError if the reference cannot be that of the density: another dimension, or a fit by the modes of a
    /// likelihood that is estimated, or draws that are not of its quantities.
    void check(const model::DensityFunctions& density) const;

    /// Populations of the leg from the prior.
    static constexpr Index leg_replicates = 8;
    /// The automatic fit gives way to populations: a leg whose end is for a fit alone may take long steps.
    void give_way() {
        fit = Fit::smc;
        conditional_ess_of_leg = 0.7;
    }
    /// Whether populations are annealed from the prior, for the fit or for a second estimate of the evidence.
    bool has_leg() const { return fit == Fit::smc || prior_leg; }
    random::Seed seed(const random::Seed& of_run) const;
    /// The density that the reference is fitted to: `density` itself, or its prior.
    std::shared_ptr<const model::DensityFunctions>
    anchored(std::shared_ptr<const model::DensityFunctions> density) const;
    /// Comment lines of `check`; `moves`: at each temperature of the leg.
    std::string cost(const std::string& moves) const;
    /// The reference of the anchor; `draws`: the end of the leg from the prior, for the fit smc. NumericalError if no
    /// reference fits.
    path::FittedReference fitted(const model::DensityFunctions& density, const FirstDraws& draws,
                                 const random::Seed& of_run) const;
    /// A fit by Laplace's method or by Pathfinder, whichever first passes path::spread_of(), and the spreads of both.
    struct CheckedFit {
        std::optional<path::FittedReference> reference; ///< none: neither passed
        Index evaluations = 0;
        Fit by = Fit::laplace;
        std::vector<double> spreads; ///< of Laplace's fit, and of Pathfinder's if that was tried
        /// Where the leg of a density without a prior begins: the fit of the smaller spread, widened and with heavy
        /// tails, so that populations find what a fit by moments should hold. Laplace's has four times its covariance,
        /// Pathfinder's, which has seen more than a mode, 1.5 times. Nothing if neither is found, or if the descents
        /// have run off to where there is no mode.
        std::optional<random::StudentMixture> leg_start;
    };
    CheckedFit checked(const model::DensityFunctions& density, const random::Seed& of_run) const;

  private:
    /// Degrees of freedom of the components; infinity for normal ones.
    double df() const;
    path::FittedReference found(const model::DensityFunctions& density, const FirstDraws& draws,
                                const random::Seed& of_run) const;
    random::StudentMixture read(Index dimension) const;
    /// The draws of `file` as points of the density.
    FirstDraws read_draws(const model::DensityFunctions& density) const;

    io::Table given_; ///< the numbers of `file`
};

} // namespace pearlite::algorithm
