#pragma once
/// States of truncated normals, particles side by side, and a Gibbs sweep of them.

#include "models/gaussian_process/orthant/orthant_kernels.hpp"
#include "pearlite/core/detail/block.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/model/detail/block_streams.hpp"
#include "random/fill.hpp"

#include <cstring>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace pearlite::models {

/// Aligned to 64 bytes, as kernels want them.
template <class Real>
using AlignedNumbers = std::vector<Real, Eigen::aligned_allocator<Real>>;

/// Particles in panels, a row a variable.
class OrthantBlock : public Block {
  public:
    OrthantBlock(Index n, Index size) : n_(n), size_(size) {}
    Index n() const { return n_; }
    Index size() const override { return size_; }
    Index padded_size() const override { return n_panels() * panel_width; }
    Index n_panels() const { return (size_ + panel_width - 1) / panel_width; }
    virtual double state(Index variable, Index slot) const = 0;

  protected:
    Index n_;

  private:
    Index size_;
};

template <class Real>
class PanelBlock final : public OrthantBlock {
  public:
    PanelBlock(Index n, Index size) : OrthantBlock(n, size), panels_(at(n_panels())) {
        for (auto& panel : panels_)
            panel.assign(at(n * panel_width), Real{0});
    }
    std::size_t packed_bytes() const override { return at(n_) * sizeof(Real); }
    void pack(Index slot, std::span<std::byte> out) const override {
        PEARLITE_EXPECTS(out.size() == packed_bytes());
        for (Index i = 0; i < n_; ++i)
            std::memcpy(out.data() + at(i) * sizeof(Real), &row(slot / panel_width, i)[slot % panel_width],
                        sizeof(Real));
    }
    void unpack(Index slot, std::span<const std::byte> in) override {
        PEARLITE_EXPECTS(in.size() == packed_bytes());
        for (Index i = 0; i < n_; ++i)
            std::memcpy(&row(slot / panel_width, i)[slot % panel_width], in.data() + at(i) * sizeof(Real),
                        sizeof(Real));
    }
    double state(Index variable, Index slot) const override {
        return static_cast<double>(row(slot / panel_width, variable)[slot % panel_width]);
    }
    Real* panel(Index p) { return panels_[at(p)].data(); }
    const Real* panel(Index p) const { return panels_[at(p)].data(); }
    Real* row(Index p, Index i) { return panel(p) + i * panel_width; }
    const Real* row(Index p, Index i) const { return panel(p) + i * panel_width; }
    void add_variable() {
        ++n_;
        for (auto& panel : panels_)
            panel.resize(at(n_ * panel_width), Real{0});
    }
    /// Memory for the draws of a sweep.
    AlignedNumbers<Real>& uniforms() { return uniforms_; }

  private:
    std::vector<AlignedNumbers<Real>> panels_;
    AlignedNumbers<Real> uniforms_;
};

/// A uniform permutation of 0 .. n-1, the same for all particles of a step.
inline std::vector<Index> scan_order(Index n, const model::BlockStreams& streams) {
    std::vector<Index> order(at(n));
    std::iota(order.begin(), order.end(), Index{0});
    random::Stream stream({streams.seed, random::Purpose::site, 0, streams.step});
    for (std::size_t i = order.size(); i > 1; --i)
        std::swap(order[i - 1], order[stream.index(i)]);
    return order;
}

/// The distribution of a sweep: rows of S, `stride` numbers each, and signs.
template <class Real>
struct TruncatedNormal {
    const Real* precision;
    Index stride;
    const Real* signs;
};

/// Each variable once, in this order.
template <class Real>
void sweep_orthant(PanelBlock<Real>& block, const TruncatedNormal<Real>& p, const std::vector<Index>& order,
                   const model::BlockStreams& streams) {
    auto& uniforms = block.uniforms();
    const std::size_t per_panel = at(2 * block.n() * panel_width);
    uniforms.resize(per_panel * at(block.n_panels()));
    random::fill_uniform(streams.shared(random::Purpose::move), std::span<Real>(uniforms));
    simd::on_this_cpu([&](auto cpu) {
        for (Index i = 0; i < block.n_panels(); ++i)
            OrthantKernels<decltype(cpu)>::sweep(OrthantSweep<Real>{
                p.precision, p.stride, p.signs, order.data(), &uniforms[per_panel * at(i)], block.panel(i), block.n()});
    });
}

} // namespace pearlite::models
