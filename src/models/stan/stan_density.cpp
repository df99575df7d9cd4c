#include "models/stan/stan_density.hpp"

#include "io/files/digest.hpp"
#include "models/stan/stan_data.hpp"
#include "target/named_data.hpp"

#include <bit>

namespace pearlite::models {

namespace {

std::span<const double> column(const Matrix& points, Index i) {
    return {points.col(i).data(), static_cast<std::size_t>(points.rows())};
}

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

/// Parameters as the program declares them, transformed parameters and, on request, generated quantities.
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

class PointsOfParameters final : public model::PointsOfQuantities {
  public:
    explicit PointsOfParameters(std::shared_ptr<const StanProgram> program)
        : program_(std::move(program)), names_(program_->parameter_names()) {}
    const std::vector<std::string>& determining_quantities() const override { return names_; }
    bool point(std::span<const double> values, std::span<double> x) const override {
        return program_->unconstrain(values, x);
    }

  private:
    std::shared_ptr<const StanProgram> program_;
    std::vector<std::string> names_;
};

class Rejected final : public model::RejectedPoints {
  public:
    explicit Rejected(std::shared_ptr<const StanProgram> program) : program_(std::move(program)) {}
    model::Rejections rejections() const override { return program_->rejections(); }

  private:
    std::shared_ptr<const StanProgram> program_;
};

class Data final : public model::NamedData {
  public:
    explicit Data(model::DataDescription data) : data_(std::move(data)) {}
    model::DataDescription named_data() const override { return data_; }

  private:
    model::DataDescription data_;
};

} // namespace

StanDensity::StanDensity(std::shared_ptr<const StanProgram> program, bool with_generated, const StanIdentity& identity)
    : program_(std::move(program)) {
    offer<model::ReportedQuantities>(std::make_shared<Quantities>(program_, with_generated));
    offer<model::PointsOfQuantities>(std::make_shared<PointsOfParameters>(program_));
    offer<model::RejectedPoints>(std::make_shared<Rejected>(program_));
    offer<model::NamedData>(
        std::make_shared<Data>(describe_stan_data(identity.data, program_->quantity_names(with_generated))));
    for (const auto* part : {&identity.library, &identity.data}) {
        io::Sha256 hash;
        hash.add(*part);
        identity_ += hash.finish_hex();
    }
}

void StanDensity::log_densities(const Matrix& points, Index n, Vector& out) const {
    for (Index i = 0; i < n; ++i)
        out(i) = program_->log_density(column(points, i));
}

void StanDensity::log_densities(const Matrix& points, Index n, Vector& out, Matrix& gradient) const {
    for (Index i = 0; i < n; ++i)
        out(i) =
            program_->log_density(column(points, i), {gradient.col(i).data(), static_cast<std::size_t>(points.rows())});
}

} // namespace pearlite::models
