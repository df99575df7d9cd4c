#include "models/stan/stan_density.hpp"

#include "io/files/digest.hpp"

#include <bit>
#include <cstdint>
#include <utility>

namespace pearlite::models {

namespace {

using random::StudentMixture;

std::span<const double> column(const Matrix& points, Index i) {
    return {points.col(i).data(), static_cast<std::size_t>(points.rows())};
}

/// The gradient of log q + b (log p - log q).
class Gradient final : public model::DensityGradient {
  public:
    Gradient(std::shared_ptr<const StanProgram> program, std::shared_ptr<const StudentMixture> start)
        : program_(std::move(program)), start_(std::move(start)) {}
    void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                  Matrix& gradient) const override {
        const auto d = static_cast<std::size_t>(points.rows());
        Vector of_start(points.rows());
        for (Index i = 0; i < n; ++i) {
            log_prior(i) = start_->log_density(column(points, i), {of_start.data(), d});
            const double log_p = program_->log_density(column(points, i), {gradient.col(i).data(), d});
            log_likelihood(i) = log_p - log_prior(i);
            gradient.col(i) = of_start + b * (gradient.col(i) - of_start);
        }
    }

  private:
    std::shared_ptr<const StanProgram> program_;
    std::shared_ptr<const StudentMixture> start_;
};

/// A seed that a point has wherever it is (the finaliser of SplitMix64 over its coordinates' bits).
std::uint32_t seed_of(std::span<const double> x) {
    std::uint64_t hash = 0;
    for (const double value : x) {
        hash += std::bit_cast<std::uint64_t>(value) + 0x9e3779b97f4a7c15U;
        hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9U;
        hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebU;
        hash ^= hash >> 31;
    }
    return static_cast<std::uint32_t>(hash);
}

/// Parameters as the program declares them, and what it makes of them.
class Quantities final : public model::ReportedQuantities {
  public:
    Quantities(std::shared_ptr<const StanProgram> program, bool with_generated)
        : program_(std::move(program)),
          names_(program_->quantity_names(with_generated)),
          with_generated_(with_generated) {}
    const std::vector<std::string>& quantity_names() const override { return names_; }
    void quantities(std::span<const double> x, std::span<double> out) const override {
        program_->quantities(x, with_generated_, seed_of(x), out);
    }

  private:
    std::shared_ptr<const StanProgram> program_;
    std::vector<std::string> names_;
    bool with_generated_;
};

class Rejected final : public model::RejectedPoints {
  public:
    explicit Rejected(std::shared_ptr<const StanProgram> program) : program_(std::move(program)) {}
    model::Rejections rejections() const override { return program_->rejections(); }

  private:
    std::shared_ptr<const StanProgram> program_;
};

std::shared_ptr<const StudentMixture> wide_start(Index d, double scale) {
    constexpr double degrees_of_freedom = 7; // of the references of bridges, too
    return std::make_shared<const StudentMixture>(
        std::vector<StudentMixture::Component>{{1, Vector::Zero(d), scale * Matrix::Identity(d, d)}},
        degrees_of_freedom);
}

} // namespace

StanDensity::StanDensity(std::shared_ptr<const StanProgram> program, double scale, bool with_generated,
                         const StanIdentity& identity)
    : program_(std::move(program)),
      start_(wide_start(static_cast<Index>(program_->coordinate_names().size()), scale)),
      scale_(scale) {
    offer<model::DensityGradient>(std::make_shared<Gradient>(program_, start_));
    offer<model::ReportedQuantities>(std::make_shared<Quantities>(program_, with_generated));
    offer<model::RejectedPoints>(std::make_shared<Rejected>(program_));
    for (const auto* part : {&identity.library, &identity.data}) {
        io::Sha256 hash;
        hash.add(*part);
        identity_ += hash.finish_hex();
    }
}

void StanDensity::evaluate(const Matrix& points, Index n, const model::BlockStreams&, Vector& log_prior,
                           Vector& log_likelihood) const {
    start_->log_densities(points.leftCols(n), {log_prior.data(), static_cast<std::size_t>(n)});
    for (Index i = 0; i < n; ++i)
        log_likelihood(i) = program_->log_density(column(points, i)) - log_prior(i);
}

void StanDensity::fingerprint(model::Fingerprint& fingerprint) const {
    fingerprint.add(identity_);
    fingerprint.add(scale_);
}

} // namespace pearlite::models
