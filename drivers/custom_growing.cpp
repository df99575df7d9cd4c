// A density of your own that grows, in one file (docs/own-models.md walks through it): self-avoiding walks on the
// square lattice, which never enter a site twice.
//
//     f_n(x) = 1 for each self-avoiding walk of n steps,   Z_n = c_n, their number,
//     W_n(x) = the number of free neighbours of the walk's end
//
// The number of walks is known for small n: c_10 = 44 100, c_20 = 897 697 164 (OEIS A001411).

#include "pearlite/app/custom_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

class Walk {
  public:
    explicit Walk(pearlite::io::Section& section) : steps_(section.integer("steps", 20, {.low = 1, .high = 10'000})) {}

    // A variable is a step: 0 east, 1 north, 2 west, 3 south. x has as many of them as the walk has so far.
    pearlite::Index n_variables() const { return steps_; }

    // The first step, drawn exactly, and log Z_1.
    void draw_first(pearlite::random::Stream& stream, std::span<double> first) const { first[0] = turn(stream); }
    double log_normaliser_first() const { return std::log(4); }

    // log W_n: -infinity for a walk without a free neighbour.
    double log_weight(std::span<const double> x) const {
        return std::log(static_cast<double>(free_directions(x).size()));
    }
    // The next step, from its distribution given the walk so far.
    void draw_next(pearlite::random::Stream& stream, std::span<const double> x, std::span<double> next) const {
        const auto free = free_directions(x);
        next[0] = free[stream.index(free.size())];
    }

    // A transition that leaves p_n invariant: the pivot algorithm (Madras & Sokal 1988) turns the rest of the walk
    // about a site, or turns and reflects it. A walk that would meet itself stays as it was.
    void move(pearlite::random::Stream& stream, std::span<double> x) const {
        const auto pivot = stream.index(x.size());
        const int turns = turn(stream);
        const bool reflects = stream.bernoulli(0.5);
        std::vector<double> moved(x.begin(), x.end());
        for (std::size_t k = pivot; k < x.size(); ++k) {
            const int direction = static_cast<int>(x[k]);
            moved[k] = ((reflects ? 4 - direction : direction) + turns) % 4;
        }
        if (sites(moved).size() == x.size() + 1)
            std::ranges::copy(moved, x.begin());
    }

    // log f_n.
    double log_density(std::span<const double> x) const {
        return sites(x).size() == x.size() + 1 ? 0 : -std::numeric_limits<double>::infinity();
    }

    // Optional: the known answer, log Z_N.
    std::optional<double> exact_log_normaliser() const {
        static constexpr std::array<double, 20> numbers{
            4,      12,     36,     100,     284,     780,      2172,     5916,      16268,     44100,
            120292, 324932, 881500, 2374444, 6416596, 17245332, 46466676, 124658732, 335116620, 897697164};
        if (steps_ > std::ssize(numbers))
            return {};
        return std::log(numbers[static_cast<std::size_t>(steps_ - 1)]);
    }

    // Optional: the number of calls of move() at each number of variables.
    pearlite::Index default_sweeps() const { return 5; }

    // Optional: quantities of the walks that are reported.
    std::vector<std::string> quantity_names() const { return {"squared_distance"}; }
    void quantities(std::span<const double> x, std::span<double> out) const {
        const auto [east, north] = end(x);
        out[0] = east * east + north * north;
    }

  private:
    using Site = std::pair<int, int>;

    static int turn(pearlite::random::Stream& stream) { return static_cast<int>(stream.index(4)); }
    static Site neighbour(Site site, double direction) {
        static constexpr std::array<Site, 4> steps{{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
        const auto& step = steps[static_cast<std::size_t>(direction)];
        return {site.first + step.first, site.second + step.second};
    }
    static Site end(std::span<const double> x) {
        Site site{0, 0};
        for (const double direction : x)
            site = neighbour(site, direction);
        return site;
    }
    static std::set<Site> sites(std::span<const double> x) {
        Site site{0, 0};
        std::set<Site> all{site};
        for (const double direction : x)
            all.insert(site = neighbour(site, direction));
        return all;
    }
    static std::vector<double> free_directions(std::span<const double> x) {
        const auto visited = sites(x);
        std::vector<double> free;
        for (const double direction : {0, 1, 2, 3})
            if (!visited.contains(neighbour(end(x), direction)))
                free.push_back(direction);
        return free;
    }

    pearlite::Index steps_;
};

int main(int argc, char** argv) {
    return pearlite::app::main(argc, argv,
                               {pearlite::app::custom_growing_model<Walk>("walk", "self-avoiding walks on a lattice")});
}
