// The exact normaliser of an RBM by summing over all states of its smaller layer; the other layer is summed out.
#include "core/log_space.hpp"
#include "models/rbm/rbm.hpp"
#include "simd/instructions.hpp"
#include "simd/logistic.hpp"

#include <bit>

namespace pearlite::models {

namespace {

/// Sums over lanes depend on how many there are.
using Packet = simd::Doubles8;
using Sum = simd::SoftplusSum<Packet>;
constexpr Index lanes = simd::lanes<Packet>;

/// Pre-activations are updated one column at a time and computed anew after this number of states, which bounds their
/// drift.
constexpr std::uint64_t states_per_chunk = 4096;
constexpr Index units_per_logarithm = Sum::packets_per_logarithm * lanes;

/// log sum over s in {0,1}^m of exp(linear's + sum_i log(1 + exp(base_i + weights_i's))).
class Enumeration {
  public:
    /// linear: m; base: n; weights: n x m.
    Enumeration(Vector linear, const Vector& base, const Matrix& weights) : linear_(std::move(linear)) {
        const Index rows = padded(base.size());
        base_ = Vector::Constant(rows, -1000.0); // padding adds log(1 + exp(-1000)) = 0
        base_.head(base.size()) = base;
        weights_ = Matrix::Zero(rows, weights.cols());
        weights_.topRows(weights.rows()) = weights;
    }

    double log_sum() {
        const std::uint64_t n_states = std::uint64_t{1} << linear_.size();
        double result = log_zero;
        for (std::uint64_t first = 0; first < n_states; first += states_per_chunk)
            result = log_add(result, log_sum_of_chunk(first, std::min(n_states, first + states_per_chunk)));
        return result;
    }

  private:
    /// States number first .. last-1 in Gray code, where state k differs from k+1 in one unit.
    double log_sum_of_chunk(std::uint64_t first, std::uint64_t last) {
        std::uint64_t state = first ^ (first >> 1);
        pre_activation_ = base_;
        double linear = 0;
        for (Index unit = 0; unit < linear_.size(); ++unit) {
            if (state >> unit & 1) {
                pre_activation_ += weights_.col(unit);
                linear += linear_[unit];
            }
        }
        terms_.clear();
        terms_.push_back(linear + softplus_sum_after(0, 0.0));
        for (std::uint64_t k = first + 1; k < last; ++k) {
            const int unit = std::countr_zero(k);
            state ^= std::uint64_t{1} << unit;
            const double sign = (state >> unit & 1) != 0 ? 1.0 : -1.0;
            linear += sign * linear_[unit];
            terms_.push_back(linear + softplus_sum_after(unit, sign));
        }
        return log_sum_exp(terms_);
    }

    /// Adds sign times the weights of a unit to the pre-activations x; returns sum_i log(1 + exp(x_i)).
    double softplus_sum_after(Index unit, double sign) {
        double* x = pre_activation_.data();
        const double* change = weights_.col(unit).data();
        const Index rows = pre_activation_.size();
        Sum sum;
        for (Index start = 0; start < rows; start += units_per_logarithm) {
            for (Index i = start; i < std::min(rows, start + units_per_logarithm); i += lanes) {
                auto& units = simd::at<Packet>(x + i);
                units += sign * simd::load<Packet>(change + i);
                sum.add(units);
            }
            sum.fold();
        }
        return sum.total();
    }

    Vector linear_;
    Vector base_;
    Matrix weights_;
    Vector pre_activation_;
    std::vector<double> terms_;
};

} // namespace

template <class>
double Rbm::log_sum_over_states(Vector linear, const Vector& base, const Matrix& weights) {
    return Enumeration(std::move(linear), base, weights).log_sum();
}

template double Rbm::log_sum_over_states<simd::Compiled>(Vector linear, const Vector& base, const Matrix& weights);

} // namespace pearlite::models
