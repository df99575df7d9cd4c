#pragma once
/// Plain averages at each temperature over the trajectories of one direction: the hysteresis curve.

#include "core/exact_sum.hpp"
#include "parallel/communicator.hpp"

#include <span>
#include <string>
#include <vector>

namespace pearlite::algorithm {

/// One entry per temperature visited, in the order of the visits. u = d log f_b/db (for a geometric path -u is the
/// energy) at the states after the move of that temperature; W the work done until then, in nats. Moments are not
/// weighted: they are of the distributions that the trajectories really follow (q_k of Habeck 2017, eq. 10).
struct PathAverages {
    std::vector<std::string> quantities; ///< names of further quantities of the states; fixed from the start
    std::vector<double> inverse_temperature;
    std::vector<double> mean_u, sd_u;               ///< infinite or NaN where u is infinite
    std::vector<double> mean_work, sd_work;         ///< of the partial sums
    std::vector<double> mean_quantity, sd_quantity; ///< [temperatures x quantities]

    template <class Fields>
    void fields(Fields& f) {
        f("inverse_temperature", inverse_temperature);
        f("mean_u", mean_u);
        f("sd_u", sd_u);
        f("mean_work", mean_work);
        f("sd_work", sd_work);
        if (!quantities.empty()) {
            f("mean_quantity", mean_quantity);
            f("sd_quantity", sd_quantity);
        }
    }
};

/// Collects the entries of PathAverages: blocks add to sums, and one collective reduces many temperatures.
class PathAveraging {
  public:
    explicit PathAveraging(std::size_t quantities) : n_quantities_(quantities), n_sums_(4 + 2 * quantities) {}

    /// Opens the record of the next temperature.
    void begin(double inverse_temperature);
    /// A block's works so far, `sign` times `signed_work`, derivatives, and quantities x block size.
    void add_block(std::span<const double> signed_work, double sign, std::span<const double> derivatives,
                   const Matrix& quantities);

    /// Collective. Reduces the pending temperatures, if any, of n trajectories over all ranks, and appends them.
    void flush(const parallel::Communicator& ranks, Index n, PathAverages& averages);

  private:
    std::size_t n_quantities_;
    std::size_t n_sums_; ///< u, u^2, W, W^2, and of each quantity x, x^2
    std::vector<double> temperatures_;
    std::vector<ExactSum> sums_; ///< n_sums_ per temperature
};

} // namespace pearlite::algorithm
