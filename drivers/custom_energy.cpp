// Energies of your own to minimise, in one file (docs/own-models.md walks through it): the length of a round trip,
// whose states are permutations, and a cluster of atoms, whose states are points of a box.

#include "pearlite/app/custom_energy.hpp"

#include <cmath>
#include <numbers>

using pearlite::Index;

// A round trip through cities, visited in the order of the permutation.
class Tour {
  public:
    // The keys of [model]. The cities lie on a circle, where the shortest tour is known, or anywhere in the unit
    // square.
    explicit Tour(pearlite::io::Section& section) {
        const Index n = section.integer("cities", 40, {.low = 3, .high = 100000});
        circle_ = section.choice("place", {"circle", "square"}, "circle") == "circle";
        const auto seed = static_cast<std::uint64_t>(section.integer("place_seed", 1, {.low = 0}));
        pearlite::random::Stream stream({seed, pearlite::random::Purpose::user, 0, 0});
        for (Index i = 0; i < n; ++i) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
            x_.push_back(circle_ ? std::cos(angle) : stream.uniform());
            y_.push_back(circle_ ? std::sin(angle) : stream.uniform());
        }
    }

    // The next two members make it an energy of permutations of 0 .. size() - 1.
    Index size() const { return static_cast<Index>(x_.size()); }

    double energy(std::span<const std::int32_t> tour) const {
        double length = 0;
        for (Index k = 0; k < size(); ++k)
            length += distance(at(tour, k), at(tour, k + 1));
        return length;
    }

    // Optional: the change of energy by a reversal, in a time that does not depend on the number of cities.
    double reversal_change(std::span<const std::int32_t> tour, Index first, Index last) const {
        if (first == 0 && last == size() - 1)
            return 0;
        const auto before = at(tour, first - 1), after = at(tour, last + 1);
        return distance(before, at(tour, last)) + distance(at(tour, first), after) - distance(before, at(tour, first)) -
               distance(at(tour, last), after);
    }

    // Optional: the known minimum; the verdict then says how far from it a search ended.
    std::optional<double> known_minimum() const {
        const auto n = static_cast<double>(size());
        return circle_ ? std::optional(2 * n * std::sin(std::numbers::pi / n)) : std::nullopt;
    }

    // The data that define the energy, so that a checkpoint of another energy is refused.
    void fingerprint(pearlite::model::Fingerprint& fingerprint) const {
        fingerprint.add(std::span(x_));
        fingerprint.add(std::span(y_));
    }

  private:
    std::int32_t at(std::span<const std::int32_t> tour, Index k) const {
        return tour[static_cast<std::size_t>((k + size()) % size())];
    }
    double distance(std::int32_t a, std::int32_t b) const {
        const auto i = static_cast<std::size_t>(a), j = static_cast<std::size_t>(b);
        return std::hypot(x_[i] - x_[j], y_[i] - y_[j]);
    }

    bool circle_ = false;
    std::vector<double> x_, y_;
};

// Atoms that attract each other at a distance: the sum over pairs of r^-12 - 2 r^-6. Three coordinates an atom.
class Cluster {
  public:
    explicit Cluster(pearlite::io::Section& section)
        : atoms_(section.integer("atoms", 7, {.low = 2, .high = 1000})),
          lower_(static_cast<std::size_t>(3 * atoms_), -section.number("radius", 1.5, {.low = 1})),
          upper_(lower_.size(), -lower_.front()) {}

    // The next members make it an energy of points in a box.
    Index dimension() const { return 3 * atoms_; }
    std::span<const double> lower() const { return lower_; }
    std::span<const double> upper() const { return upper_; }

    double energy(std::span<const double> x) const {
        double sum = 0;
        for_pairs(x, [&](std::size_t, std::size_t, double r6) { sum += r6 * (r6 - 2); });
        return sum;
    }

    // Optional: the gradient for algorithm.polish, which otherwise takes differences, at the cost of more energies.
    void gradient(std::span<const double> x, std::span<double> gradient) const {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        for_pairs(x, [&](std::size_t i, std::size_t j, double r6) {
            const double slope = 12 * r6 * (1 - r6) * std::cbrt(r6); // dU/dr / r
            for (std::size_t k = 0; k < 3; ++k) {
                gradient[i + k] += slope * (x[i + k] - x[j + k]);
                gradient[j + k] -= slope * (x[i + k] - x[j + k]);
            }
        });
    }

    void fingerprint(pearlite::model::Fingerprint& fingerprint) const { fingerprint.add(std::span(upper_)); }

  private:
    // Calls use(i, j, r^-6) for every pair; i and j are the places in x where the pair's coordinates begin.
    template <class Use>
    void for_pairs(std::span<const double> x, Use use) const {
        for (std::size_t i = 0; i < x.size(); i += 3)
            for (std::size_t j = i + 3; j < x.size(); j += 3) {
                const double a = x[i] - x[j], b = x[i + 1] - x[j + 1], c = x[i + 2] - x[j + 2];
                use(i, j, 1 / std::pow(a * a + b * b + c * c, 3));
            }
    }

    Index atoms_;
    std::vector<double> lower_, upper_;
};

int main(int argc, char** argv) {
    return pearlite::app::main(
        argc, argv,
        {pearlite::app::custom_energy<Tour>("tour", "the length of a round trip"),
         pearlite::app::custom_energy<Cluster>("cluster", "atoms that attract each other at a distance")});
}
