// Exact partition functions of small Potts lattices.
#include "core/linear_algebra/linear_algebra.hpp"
#include "models/lattice/ising.hpp"
#include "models/lattice/potts.hpp"

#include <cmath>

namespace pearlite::models {

namespace {

constexpr Index most_row_states = 1024;

/// Bonds between equal colours: within a row of L sites (a ring), and between two rows.
struct Rows {
    Index size, colours, states = 1;
    std::vector<std::vector<Index>> colour;

    Rows(Index l, Index q) : size(l), colours(q) {
        for (Index i = 0; i < l; ++i)
            states *= q;
        for (Index s = 0; s < states; ++s) {
            colour.emplace_back();
            for (Index i = 0, rest = s; i < l; ++i, rest /= q)
                colour.back().push_back(rest % q);
        }
    }
    Index within(Index s) const {
        Index equal = 0;
        for (Index i = 0; i < size; ++i)
            equal += at(s, i) == at(s, (i + 1) % size);
        return equal;
    }
    Index between(Index s, Index t) const {
        Index equal = 0;
        for (Index i = 0; i < size; ++i)
            equal += at(s, i) == at(t, i);
        return equal;
    }
    Index at(Index s, Index i) const { return colour[static_cast<std::size_t>(s)][static_cast<std::size_t>(i)]; }
};

/// log Z = log sum of the L-th powers of the eigenvalues of the symmetric transfer matrix.
double log_partition_by_transfer_matrix(Index size, Index colours, double b_coupling) {
    const Rows rows(size, colours);
    // Energies are taken relative to the ground state of a row, so that nothing overflows.
    const double ground = b_coupling > 0 ? b_coupling * static_cast<double>(2 * size) : 0;
    Matrix transfer(rows.states, rows.states);
    for (Index s = 0; s < rows.states; ++s)
        for (Index t = 0; t < rows.states; ++t)
            transfer(s, t) = std::exp(b_coupling * (static_cast<double>(rows.between(s, t)) +
                                                    0.5 * static_cast<double>(rows.within(s) + rows.within(t))) -
                                      ground);
    const Vector eigenvalues = symmetric_eigenvalues(transfer);
    const double largest = eigenvalues.cwiseAbs().maxCoeff();
    double sum = 0;
    for (const double value : eigenvalues)
        sum += std::pow(value / largest, static_cast<double>(size));
    return static_cast<double>(size) * (std::log(largest) + ground) + std::log(sum);
}

} // namespace

std::optional<double> Potts::log_normaliser_start() const {
    return static_cast<double>(sites()) * std::log(static_cast<double>(settings_.colours));
}

std::optional<double> Potts::exact_log_ratio(double b_end) const {
    const Index size = settings_.size, q = settings_.colours;
    const double b_coupling = b_end * settings_.coupling;
    if (q == 2 && (b_coupling >= 0 || size % 2 == 0)) // delta = (1 + x_i x_j)/2 of Ising spins
        return ising_log_partition(size, size, std::abs(b_coupling) / 2) + b_coupling * static_cast<double>(sites()) -
               *log_normaliser_start();
    double row_states = 1;
    for (Index i = 0; i < size && row_states <= most_row_states; ++i)
        row_states *= static_cast<double>(q);
    if (row_states > most_row_states)
        return {};
    return log_partition_by_transfer_matrix(size, q, b_coupling) - *log_normaliser_start();
}

} // namespace pearlite::models
