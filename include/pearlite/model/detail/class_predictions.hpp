#pragma once
/// Capabilities of models of two classes: predictions of held-out observations, and deterministic approximations of the
/// posterior, with which a run is compared. A target, a density or a growing target may offer both.

#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/types.hpp"

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pearlite::model {

/// Observations that were held out.
struct HeldOutObservations {
    Vector classes;          ///< 1 or -1
    std::vector<Index> rows; ///< the place of each in its file, the first being 0
};

/// Predictions of the classes of held-out observations.
class HeldOutClasses {
  public:
    virtual ~HeldOutClasses() = default;
    /// Never empty.
    virtual const HeldOutObservations& held_out() const = 0;
    /// P(y_* | x) of the observed classes, observations x block size. The smallest probabilities are exact, too, since
    /// none is computed as 1 - p. The block holds all N variables if the target grows, else points of a density.
    virtual Matrix probabilities(const Block& block) const = 0;
};

/// A deterministic approximation of the posterior and its evidence. It has no error bar.
struct Approximation {
    std::string name;                 ///< "expectation-propagation"
    double log_evidence = 0;          ///< log p(y)
    std::optional<double> correction; ///< to be added to it, where the method has a higher order
    Vector probabilities;             ///< P(y_*) of the classes observed, as in HeldOutClasses, if any are held out
};

class Approximated {
  public:
    virtual ~Approximated() = default;
    /// May be costly. NumericalError if a method breaks down.
    virtual std::vector<Approximation> approximations() const = 0;
};

/// Optional: held_out_classes(), null if nothing is held out.
template <class M>
concept HasHeldOutClasses = requires(const M& model) {
    { model.held_out_classes() } -> std::same_as<std::shared_ptr<const HeldOutClasses>>;
};

/// Optional: approximated().
template <class M>
concept HasApproximations = requires(const M& model) {
    { model.approximated() } -> std::same_as<std::shared_ptr<const Approximated>>;
};

} // namespace pearlite::model
