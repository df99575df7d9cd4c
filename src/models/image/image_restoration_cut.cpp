/// The image of least energy as a minimum cut (Greig, Porteous & Seheult 1989): white pixels stay with the source,
/// black ones with the sink. Cutting a pixel from the terminal of its observed colour costs a, a pair of neighbours b,
/// so that U = (value of the cut) - a #pixels - b #pairs.

#include "models/image/image_restoration.hpp"
#include "pearlite/core/detail/contract.hpp"

#include <algorithm>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/property_map/property_map.hpp>
#include <cmath>
#include <iterator>

namespace pearlite::models {
namespace {

using Capacity = std::int64_t;
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                 boost::no_property, std::int32_t, std::int32_t>;
using Edge = boost::graph_traits<Graph>::edge_descriptor;

struct IntegerWeights {
    Capacity data, pair;
};

/// Integers, at most 2^60 / size so that flows cannot overflow, whose ratio is a/b: the first convergent of its
/// continued fraction within 2^-50, else the last that is small enough (within 2^-56 size; errors are relative). Ratios
/// above 16 are cut to 16 and below 1/(2 size) to that: beyond 8 the observed image is the minimum, below 1/size an
/// image of one colour.
IntegerWeights integer_weights(double a, double b, Index size) {
    const double ratio = std::clamp(a / b, 0.5 / static_cast<double>(size), 16.0);
    const double largest = std::ldexp(1.0, 60) / static_cast<double>(size);
    IntegerWeights previous{0, 1}, current{1, 0};
    for (double rest = ratio;; rest = 1 / (rest - std::floor(rest))) {
        const auto convergent = [rest](Capacity now, Capacity before) {
            return std::floor(rest) * static_cast<double>(now) + static_cast<double>(before);
        };
        const double data = convergent(current.data, previous.data), pair = convergent(current.pair, previous.pair);
        if (!(std::max(data, pair) <= largest))
            return current;
        previous = std::exchange(current, {static_cast<Capacity>(data), static_cast<Capacity>(pair)});
        if (std::abs(data / pair - ratio) <= std::ldexp(ratio, -50))
            return current;
    }
}

/// The graph's edges in the order of their sources: those of each pixel, then of the source, then of the sink.
struct Network {
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    std::vector<Capacity> capacity;
    std::vector<std::int32_t> reverse; ///< position of the edge the other way

    void add(Index from, Index to, Capacity value) {
        edges.emplace_back(static_cast<std::int32_t>(from), static_cast<std::int32_t>(to));
        capacity.push_back(value);
        reverse.push_back(-1);
    }
    void join(std::size_t edge, std::size_t other) {
        reverse[edge] = static_cast<std::int32_t>(other);
        reverse[other] = static_cast<std::int32_t>(edge);
    }
};

/// `neighbours` of a pixel are eight, opposite ones at positions k and 7 - k, -1 if there is none.
template <class Neighbours>
Network build_network(std::span<const std::uint8_t> observed, IntegerWeights weights, const Neighbours& neighbours) {
    const auto size = static_cast<Index>(observed.size());
    const Index source = size, sink = size + 1;
    Network network;
    std::vector<std::array<std::int32_t, 8>> pair_edges(observed.size());
    std::vector<std::size_t> terminal_edges(observed.size());
    for (Index pixel = 0; pixel < size; ++pixel) {
        const auto i = static_cast<std::size_t>(pixel);
        const auto around = neighbours(pixel);
        for (std::size_t k = 0; k < 8; ++k) {
            if (around[k] < 0)
                continue;
            pair_edges[i][k] = static_cast<std::int32_t>(network.edges.size());
            network.add(pixel, around[k], weights.pair);
            if (around[k] < pixel)
                network.join(network.edges.size() - 1,
                             static_cast<std::size_t>(pair_edges[static_cast<std::size_t>(around[k])][7 - k]));
        }
        terminal_edges[i] = network.edges.size();
        const bool is_white = observed[i] != 0;
        network.add(pixel, is_white ? source : sink, is_white ? 0 : weights.data);
    }
    for (const bool is_white : {true, false}) {
        for (std::size_t i = 0; i < observed.size(); ++i) {
            if ((observed[i] != 0) != is_white)
                continue;
            network.add(is_white ? source : sink, static_cast<Index>(i), is_white ? weights.data : 0);
            network.join(terminal_edges[i], network.edges.size() - 1);
        }
    }
    return network;
}

struct Cut {
    std::vector<std::uint8_t> is_with_source;
    Capacity flow;
};

Cut minimum_cut(const Network& network, Index size) {
    Graph graph(boost::edges_are_sorted, network.edges.begin(), network.edges.end(),
                static_cast<std::size_t>(size + 2));
    std::vector<Edge> edges;
    edges.reserve(network.edges.size());
    const auto [begin, end] = boost::edges(graph);
    std::copy(begin, end, std::back_inserter(edges));
    std::vector<Edge> reverse;
    reverse.reserve(edges.size());
    for (const std::int32_t other : network.reverse)
        reverse.push_back(edges[static_cast<std::size_t>(other)]);

    const auto n = static_cast<std::size_t>(size + 2);
    std::vector<Capacity> residual(network.capacity.size());
    std::vector<Edge> predecessor(n);
    std::vector<boost::default_color_type> colour(n);
    std::vector<std::int64_t> distance(n);
    const auto edge_index = get(boost::edge_index, graph);
    const auto vertex_index = get(boost::vertex_index, graph);
    const Capacity flow = boost::boykov_kolmogorov_max_flow(
        graph, boost::make_iterator_property_map(network.capacity.begin(), edge_index),
        boost::make_iterator_property_map(residual.begin(), edge_index),
        boost::make_iterator_property_map(reverse.begin(), edge_index),
        boost::make_iterator_property_map(predecessor.begin(), vertex_index),
        boost::make_iterator_property_map(colour.begin(), vertex_index),
        boost::make_iterator_property_map(distance.begin(), vertex_index), vertex_index,
        static_cast<std::int32_t>(size), static_cast<std::int32_t>(size + 1));

    Cut cut{std::vector<std::uint8_t>(static_cast<std::size_t>(size)), flow};
    for (std::size_t i = 0; i < cut.is_with_source.size(); ++i)
        cut.is_with_source[i] = colour[i] == boost::color_traits<boost::default_color_type>::black() ? 1 : 0;
    return cut;
}

} // namespace

ImageState ImageRestoration::exact_minimum() const {
    const IntegerWeights weights = integer_weights(settings_.data_weight, settings_.pair_weight, size());
    const Network network =
        build_network(settings_.observed, weights, [this](Index pixel) { return neighbours(pixel); });
    const Cut cut = minimum_cut(network, size());
    ImageState state = make_state(cut.is_with_source);
    // No cut is below a flow, so equality proves both extreme.
    PEARLITE_ENSURES(weights.data * (size() - state.counts_.agreements) +
                         weights.pair * (n_pairs_ - state.counts_.equal_pairs) ==
                     cut.flow);
    return state;
}

} // namespace pearlite::models
