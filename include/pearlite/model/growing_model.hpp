#pragma once
/// The concept of a density that grows variable by variable, in the form in which people have it, one particle at a
/// time:
///
///     p_n(x_1..x_n) = f_n(x_1..x_n)/Z_n,  n = 1..N,    W_n(x) = integral of f_{n+1}/f_n over x_{n+1}
///
/// Z_{n+1}/Z_n = E_n[W_n] (Fraccaro, Paquet & Winther 2016, equation 2).

#include "pearlite/core/types.hpp"
#include "pearlite/model/fingerprint.hpp"
#include "pearlite/random/stream.hpp"

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace pearlite::model {

/// A variable is one number, or M::numbers_per_variable of them.
template <class M>
constexpr Index numbers_per_variable() {
    if constexpr (requires { Index{M::numbers_per_variable}; })
        return M::numbers_per_variable;
    else
        return 1;
}

/// N, at least 1.
template <class M>
concept HasVariables = requires(const M& model) {
    { model.n_variables() } -> std::convertible_to<Index>;
};
/// log Z_1.
template <class M>
concept HasFirstNormaliser = requires(const M& model) {
    { model.log_normaliser_first() } -> std::convertible_to<double>;
};
/// x_1 ~ p_1, exactly.
template <class M>
concept HasFirstDraw = requires(const M& model, random::Stream& stream, std::span<double> first) {
    model.draw_first(stream, first);
};
/// A kernel that leaves p_n invariant, n being the number of variables in x.
template <class M>
concept HasGrowingMove = requires(const M& model, random::Stream& stream, std::span<double> x) {
    model.move(stream, x);
};
/// log f_n(x), up to a constant of the model.
template <class M>
concept HasGrowingDensity = requires(const M& model, std::span<const double> x) {
    { model.log_density(x) } -> std::convertible_to<double>;
};

/// How the next variable comes about, with W_n in closed form: log W_n(x), and a draw of x_{n+1} ~ p_{n+1}(. | x),
/// which is asked for where W_n > 0.
template <class M>
concept HasSmoothingWeight = requires(const M& model, random::Stream& stream, std::span<const double> x,
                                      std::span<double> next) {
    { model.log_weight(x) } -> std::convertible_to<double>;
    model.draw_next(stream, x, next);
};
/// Or without: a draw of x_{n+1} from any q(. | x) that is positive where f_{n+1} is, which returns the log of its
/// weight f_{n+1}(x, x_{n+1})/(f_n(x) q(x_{n+1} | x)). The weight's mean over draws is W_n.
template <class M>
concept HasProposal = requires(const M& model, random::Stream& stream, std::span<const double> x,
                               std::span<double> next) {
    { model.propose(stream, x, next) } -> std::convertible_to<double>;
};

/// x has n numbers_per_variable<M>() numbers, n < N where a next variable is asked for. A log weight may be -infinity:
/// such a particle is not asked for again. All random numbers come from the stream given.
template <class M>
concept GrowingModel = HasVariables<M> && HasFirstNormaliser<M> && HasFirstDraw<M> && HasGrowingMove<M> &&
    HasGrowingDensity<M> &&(HasSmoothingWeight<M> || HasProposal<M>);

/// Optional: log of the normaliser without variables, where it is not 0; results are relative to it.
template <class M>
concept HasEmptyNormaliser = requires(const M& model) {
    { model.log_normaliser_empty() } -> std::convertible_to<double>;
};
/// Optional: log Z_N where it is known, for comparison.
template <class M>
concept HasExactNormaliser = requires(const M& model) {
    { model.exact_log_normaliser() } -> std::convertible_to<std::optional<double>>;
};
/// Optional: the number of calls of move() in a move, unless the configuration sets another.
template <class M>
concept HasDefaultSweeps = requires(const M& model) {
    { model.default_sweeps() } -> std::convertible_to<Index>;
};
/// Optional: a state from which a chain may start that finds p_n's peaks by itself, for enlarge = "reseed".
template <class M>
concept HasSeedDraw = requires(const M& model, random::Stream& stream, std::span<double> x) {
    model.draw_seed(stream, x);
};
/// Optional: reported quantities of x_1..x_N: quantities(x, out), one for each of quantity_names().
template <class M>
concept HasGrownQuantities = requires(const M& model, std::span<const double> x, std::span<double> out) {
    { model.quantity_names() } -> std::convertible_to<std::vector<std::string>>;
    model.quantities(x, out);
};
/// Optional: the data, so that a checkpoint made with other data is recognised.
template <class M>
concept HasGrowingFingerprint = requires(const M& model, Fingerprint& fingerprint) {
    model.fingerprint(fingerprint);
};

/// Reports at compile time each member that a growing model lacks, or has in another form.
template <class M>
constexpr void require_growing_model() {
    static_assert(HasVariables<M>, "this model lacks: pearlite::Index n_variables() const");
    static_assert(HasFirstNormaliser<M>,
                  "this model lacks: double log_normaliser_first() const  (log Z_1, of one variable)");
    static_assert(HasFirstDraw<M>, "this model lacks: void draw_first(pearlite::random::Stream& stream, "
                                   "std::span<double> first) const  (an exact draw of the first variable)");
    static_assert(HasGrowingMove<M>, "this model lacks: void move(pearlite::random::Stream& stream, "
                                     "std::span<double> x) const  (leaves p_n invariant)");
    static_assert(HasGrowingDensity<M>,
                  "this model lacks: double log_density(std::span<const double> x) const  (log f_n)");
    static_assert(HasSmoothingWeight<M> || HasProposal<M>,
                  "this model lacks: double log_weight(std::span<const double> x) const with void draw_next("
                  "pearlite::random::Stream& stream, std::span<const double> x, std::span<double> next) const, or "
                  "double propose(pearlite::random::Stream& stream, std::span<const double> x, std::span<double> next) "
                  "const");
    static_assert(
        HasEmptyNormaliser<M> || !requires { &M::log_normaliser_empty; },
        "this model has a log_normaliser_empty() that is not: double log_normaliser_empty() const");
    static_assert(
        HasExactNormaliser<M> || !requires { &M::exact_log_normaliser; },
        "this model has an exact_log_normaliser() that is not: std::optional<double> exact_log_normaliser() const");
    static_assert(
        HasDefaultSweeps<M> || !requires { &M::default_sweeps; },
        "this model has a default_sweeps() that is not: pearlite::Index default_sweeps() const");
    static_assert(
        HasSeedDraw<M> || !requires { &M::draw_seed; },
        "this model has a draw_seed() that is not: void draw_seed(pearlite::random::Stream& stream, "
        "std::span<double> x) const");
    static_assert(
        HasGrownQuantities<M> || !requires { &M::quantities; },
        "this model has a quantities() that is not: void quantities(std::span<const double> x, std::span<double> out) "
        "const, or lacks: std::vector<std::string> quantity_names() const");
    static_assert(
        HasGrowingFingerprint<M> || !requires { &M::fingerprint; },
        "this model has a fingerprint() that is not: void fingerprint(pearlite::model::Fingerprint& "
        "fingerprint) const");
}

} // namespace pearlite::model
