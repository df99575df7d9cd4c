#include "models/gaussian_process/orthant/annealed_orthant.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/model/detail/target_of.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pearlite::models {

template <class Real>
AnnealedOrthant<Real>::AnnealedOrthant(const OrthantSettings& settings)
    : n_(settings.signs.size()),
      stride_((n_ + 15) / 16 * 16),
      exact_(Orthant(settings).exact_log_normaliser()),
      sd_(settings.covariance.diagonal().cwiseSqrt()),
      difference_(Matrix::Zero(stride_, n_)),
      rows_(at(n_ * stride_), Real{0}) {
    const auto factor = cholesky_factor(settings.covariance);
    if (!factor)
        throw NumericalError("the covariance of the orthant's variables is not positive definite");
    const Matrix precision = inverse(settings.covariance);
    difference_.topRows(n_) = 0.5 * (precision + precision.transpose());
    difference_.diagonal() -= sd_.cwiseAbs2().cwiseInverse();
    log_constant_ = sd_.array().log().sum() - factor->diagonal().array().log().sum();
    for (const double sign : settings.signs)
        signs_.push_back(static_cast<Real>(sign));
}

template <class Real>
void AnnealedOrthant<Real>::draw_start(Block& block, const model::BlockStreams& streams) const {
    for (Index slot = 0; slot < block.size(); ++slot) {
        random::Stream stream(streams.at(random::Purpose::start, slot));
        for (Index i = 0; i < n_; ++i)
            block.row(slot / panel_width, i)[slot % panel_width] =
                signs_[at(i)] * static_cast<Real>(std::abs(sd_(i) * stream.normal()));
    }
}

template <class Real>
void AnnealedOrthant<Real>::path_derivative(const Block& block, double, std::span<double> out) const {
    AlignedNumbers<double> z(at(n_ * panel_width));
    std::array<double, at(panel_width)> squares;
    for (Index p = 0; p < block.n_panels(); ++p) {
        std::copy_n(block.panel(p), n_ * panel_width, z.begin());
        simd::on_this_cpu([&](auto cpu) {
            OrthantKernels<decltype(cpu)>::square(z.data(), difference_.data(), stride_, n_, squares.data());
        });
        const Index first = p * panel_width;
        for (Index lane = 0; lane < std::min(panel_width, block.size() - first); ++lane)
            out[at(first + lane)] = log_constant_ - 0.5 * squares[at(lane)];
    }
}

template <class Real>
void AnnealedOrthant<Real>::add_log_ratio(const Block& block, double from, double to, std::span<double> out) const {
    std::vector<double> u(out.size());
    path_derivative(block, from, u);
    for (std::size_t i = 0; i < u.size(); ++i)
        out[i] += (to - from) * u[i];
}

template <class Real>
TruncatedNormal<Real> AnnealedOrthant<Real>::at_temperature(double b) const {
    if (b != rows_b_) {
        for (Index i = 0; i < n_; ++i) {
            for (Index k = 0; k < n_; ++k)
                rows_[at(i * stride_ + k)] = static_cast<Real>(b * difference_(k, i));
            rows_[at(i * stride_ + i)] = static_cast<Real>(b * difference_(i, i) + 1 / (sd_(i) * sd_(i)));
        }
        rows_b_ = b;
    }
    return {rows_.data(), stride_, signs_.data()};
}

template <class Real>
void AnnealedOrthant<Real>::move(Block& block, double b, const model::BlockStreams& streams) const {
    sweep_orthant(block, at_temperature(b), scan_order(n_, streams), streams);
}

template <class Real>
void AnnealedOrthant<Real>::move_reversed(Block& block, double b, const model::BlockStreams& streams) const {
    auto order = scan_order(n_, streams);
    std::ranges::reverse(order);
    sweep_orthant(block, at_temperature(b), order, streams);
}

template <class Real>
std::optional<double> AnnealedOrthant<Real>::log_normaliser_start() const {
    return -static_cast<double>(n_) * std::numbers::ln2;
}

template <class Real>
std::optional<double> AnnealedOrthant<Real>::exact_log_ratio(double b_end) const {
    if (b_end == 0)
        return 0.0;
    return exact_ && b_end == 1 ? std::optional(*exact_ + static_cast<double>(n_) * std::numbers::ln2) : std::nullopt;
}

template <class Real>
void AnnealedOrthant<Real>::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add("annealed-orthant");
    fingerprint.add(std::span<const double>(sd_.data(), at(n_)));
    fingerprint.add(std::span<const double>(difference_.data(), at(difference_.size())));
    for (const Real sign : signs_)
        fingerprint.add(static_cast<double>(sign));
}

std::shared_ptr<const model::Target> annealed_orthant(const OrthantSettings& settings) {
    if (settings.is_double)
        return model::target_of(AnnealedOrthant<double>(settings));
    return model::target_of(AnnealedOrthant<float>(settings));
}

template class AnnealedOrthant<float>;
template class AnnealedOrthant<double>;

} // namespace pearlite::models
