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
    /// P(y_* | x) of the classes that were observed, so that also what is most unlikely is exact: observations x block
    /// size. Of a growing target: for blocks of N variables; of a density: for blocks of points.
    virtual Matrix probabilities(const Block& block) const = 0;
};

/// What a deterministic method makes of the model. It has no error bar.
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
