#include "models/lattice/growing_lattice.hpp"

#include "models/common/orders.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "random/fill.hpp"

#include <algorithm>
#include <cmath>

namespace pearlite::models {

namespace {

using model::BlockStreams;

/// Colours, a row of padded_size() particles for each site that is there.
class ColourBlock final : public Block {
  public:
    ColourBlock(Index n, Index size) : n_(n), size_(size), colours_(at(n * padded(size)), 0) {}
    Index n() const { return n_; }
    Index size() const override { return size_; }
    Index padded_size() const override { return padded(size_); }
    std::size_t packed_bytes() const override { return at(n_); }
    void pack(Index slot, std::span<std::byte> out) const override {
        PEARLITE_EXPECTS(out.size() == packed_bytes());
        for (Index k = 0; k < n_; ++k)
            out[at(k)] = static_cast<std::byte>(row(k)[slot]);
    }
    void unpack(Index slot, std::span<const std::byte> in) override {
        PEARLITE_EXPECTS(in.size() == packed_bytes());
        for (Index k = 0; k < n_; ++k)
            row(k)[slot] = static_cast<std::uint8_t>(in[at(k)]);
    }
    std::uint8_t* row(Index k) { return colours_.data() + k * padded_size(); }
    const std::uint8_t* row(Index k) const { return colours_.data() + k * padded_size(); }
    void add_site() { colours_.resize(at(++n_ * padded_size()), 0); }
    std::vector<float>& uniforms() { return uniforms_; }

  private:
    Index n_, size_;
    std::vector<std::uint8_t> colours_;
    std::vector<float> uniforms_;
};

/// The torus in an order of its sites, which are called by their places in it.
struct Lattice {
    GrowingLatticeSettings settings;
    std::vector<Index> order;
    std::vector<std::vector<Index>> neighbours; ///< of each place; a torus of two rows has some twice

    Lattice(const GrowingLatticeSettings& s, std::vector<Index> sites) : settings(s), order(std::move(sites)) {
        const Index size = settings.size;
        std::vector<Index> place(order.size());
        for (std::size_t k = 0; k < order.size(); ++k)
            place[at(order[k])] = static_cast<Index>(k);
        for (const Index site : order) {
            const Index row = site / size, column = site % size;
            const auto at_place = [&](Index r, Index c) {
                return place[at((r + size) % size * size + (c + size) % size)];
            };
            neighbours.push_back({at_place(row - 1, column), at_place(row + 1, column), at_place(row, column - 1),
                                  at_place(row, column + 1)});
        }
    }
    Index sites() const { return std::ssize(order); }
};

class LatticeStage final : public model::GrowingStage {
  public:
    explicit LatticeStage(std::shared_ptr<const Lattice> lattice) : lattice_(std::move(lattice)) { find_bonds(); }

    Index n() const override { return n_; }
    void grow() override {
        ++n_;
        find_bonds();
    }
    std::unique_ptr<Block> make_block(Index size) const override { return std::make_unique<ColourBlock>(n_, size); }
    void draw_first(Block& block, const BlockStreams& streams) const override {
        auto& own = static_cast<ColourBlock&>(block);
        for (Index i = 0; i < own.size(); ++i)
            own.row(0)[i] = static_cast<std::uint8_t>(
                random::Stream(streams.at(random::Purpose::start, i)).index(static_cast<std::uint64_t>(colours())));
    }
    /// The heat bath at every site in turn.
    void sweep(Block& block, const BlockStreams& streams) const override {
        auto& own = static_cast<ColourBlock&>(block);
        auto& uniforms = own.uniforms();
        const Index width = own.padded_size();
        uniforms.resize(at(n_ * width));
        random::fill_uniform(streams.shared(random::Purpose::move), std::span<float>(uniforms));
        for (Index k = 0; k < n_; ++k)
            draw(own, bonds_[at(k)], uniforms.data() + k * width, own.row(k));
    }
    void smooth(Block& block, const BlockStreams&, std::span<double> out) const override {
        const auto& own = static_cast<const ColourBlock&>(block);
        std::array<double, 256> weights;
        for (Index i = 0; i < own.size(); ++i)
            out[at(i)] = std::log(find_weights(own, next_bonds_, i, weights) / static_cast<double>(colours()));
    }
    void augment(Block& block, const BlockStreams& streams) const override {
        auto& own = static_cast<ColourBlock&>(block);
        std::vector<float> uniforms(at(own.padded_size()), 0.5f);
        std::vector<std::uint8_t> next(at(own.padded_size()));
        for (Index i = 0; i < own.size(); ++i)
            uniforms[at(i)] = static_cast<float>(random::Stream(streams.at(random::Purpose::start, i)).uniform());
        draw(own, next_bonds_, uniforms.data(), next.data());
        own.add_site();
        std::copy(next.begin(), next.end(), own.row(n_));
    }
    void log_density(const Block& block, std::span<double> out) const override {
        const auto& own = static_cast<const ColourBlock&>(block);
        for (Index i = 0; i < own.size(); ++i) {
            double sum = 0; // over each bond twice
            for (Index k = 0; k < n_; ++k)
                for (const Index other : bonds_[at(k)])
                    sum += own.row(k)[i] == own.row(other)[i] ? lattice_->settings.equal : lattice_->settings.unequal;
            out[at(i)] = sum / 2;
        }
    }

  private:
    Index colours() const { return lattice_->settings.colours; }
    void find_bonds() {
        bonds_.assign(at(n_), {});
        for (Index k = 0; k < n_; ++k)
            bonds_[at(k)] = present(k);
        if (n_ < lattice_->sites())
            next_bonds_ = present(n_);
    }
    std::vector<Index> present(Index k) const {
        auto bonds = lattice_->neighbours[at(k)];
        std::erase_if(bonds, [&](Index other) { return other >= n_; });
        return bonds;
    }
    /// Finds the weights of the colours of a site with these bonds in particle i; returns their sum.
    double find_weights(const ColourBlock& block, const std::vector<Index>& bonds, Index i,
                        std::array<double, 256>& weights) const {
        const auto& settings = lattice_->settings;
        std::array<Index, 256> counts;
        std::fill_n(counts.begin(), colours(), Index{0});
        for (const Index other : bonds)
            ++counts[block.row(other)[i]];
        double sum = 0;
        for (Index c = 0; c < colours(); ++c)
            sum += weights[at(c)] = std::exp(static_cast<double>(counts[at(c)]) * settings.equal +
                                             static_cast<double>(std::ssize(bonds) - counts[at(c)]) * settings.unequal);
        return sum;
    }
    /// A site's colours in all particles, from a uniform number each.
    void draw(const ColourBlock& block, const std::vector<Index>& bonds, const float* uniform,
              std::uint8_t* out) const {
        if (colours() == 2) {
            // P(colour 1) depends on how many of the neighbours have it.
            std::array<float, 5> threshold;
            const auto& settings = lattice_->settings;
            const auto all = static_cast<double>(bonds.size());
            for (std::size_t on = 0; on < threshold.size(); ++on) {
                const double difference = (settings.equal - settings.unequal) * (2 * static_cast<double>(on) - all);
                threshold[on] = static_cast<float>(1 / (1 + std::exp(-difference)));
            }
            std::vector<std::uint8_t> counts(at(block.padded_size()), 0);
            for (const Index other : bonds)
                for (Index i = 0; i < block.padded_size(); ++i)
                    counts[at(i)] = static_cast<std::uint8_t>(counts[at(i)] + block.row(other)[i]);
            for (Index i = 0; i < block.padded_size(); ++i)
                out[i] = uniform[i] < threshold[counts[at(i)]] ? 1 : 0;
            return;
        }
        std::array<double, 256> weights;
        for (Index i = 0; i < block.size(); ++i) {
            double left = static_cast<double>(uniform[i]) * find_weights(block, bonds, i, weights);
            Index colour = 0;
            while (colour + 1 < colours() && left >= weights[at(colour)])
                left -= weights[at(colour++)];
            out[i] = static_cast<std::uint8_t>(colour);
        }
    }

    std::shared_ptr<const Lattice> lattice_;
    Index n_ = 1;
    std::vector<std::vector<Index>> bonds_; ///< of each site, to sites that are there
    std::vector<Index> next_bonds_;
};

class GrowingLattice final : public model::GrowingTarget {
  public:
    explicit GrowingLattice(std::shared_ptr<const Lattice> lattice) : lattice_(std::move(lattice)) {}
    Index n_variables() const override { return lattice_->sites(); }
    std::unique_ptr<model::GrowingStage> first_stage() const override {
        return std::make_unique<LatticeStage>(lattice_);
    }
    /// All sites free.
    double log_normaliser_empty() const override {
        return static_cast<double>(n_variables()) * std::log(static_cast<double>(lattice_->settings.colours));
    }
    double log_normaliser_first() const override { return log_normaliser_empty(); }
    std::optional<double> exact_log_normaliser() const override { return lattice_->settings.exact_log_normaliser; }
    void fingerprint(model::Fingerprint& fingerprint) const override {
        const auto& settings = lattice_->settings;
        fingerprint.add("growing lattice");
        for (const double value : {static_cast<double>(settings.size), static_cast<double>(settings.colours),
                                   settings.equal, settings.unequal})
            fingerprint.add(value);
        for (const Index site : lattice_->order)
            fingerprint.add(static_cast<double>(site));
    }

  private:
    std::shared_ptr<const Lattice> lattice_;
};

class LatticeGrowth final : public model::Growth {
  public:
    explicit LatticeGrowth(const GrowingLatticeSettings& settings) : settings_(settings) {}
    std::vector<std::string> orders() const override { return {"raster", "random"}; }
    std::shared_ptr<const model::GrowingTarget> growing(const std::string& order, std::uint64_t seed) const override {
        const Index sites = settings_.size * settings_.size;
        return std::make_shared<const GrowingLattice>(std::make_shared<const Lattice>(
            settings_, order == "random" ? random_order(sites, seed) : given_order(sites)));
    }

  private:
    GrowingLatticeSettings settings_;
};

} // namespace

std::shared_ptr<const model::Growth> lattice_growth(const GrowingLatticeSettings& settings) {
    return std::make_shared<const LatticeGrowth>(settings);
}

} // namespace pearlite::models
