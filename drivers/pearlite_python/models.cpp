#include "pearlite_python/models.hpp"

#include "pearlite/model/detail/density_of.hpp"
#include "pearlite/model/estimated_likelihood.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

namespace pearlite::python {

namespace {

constexpr const char* model_name = "python";

Points columns_of(const Matrix& points, Index n) {
    return {points.data(), n, points.rows(), points.rows(), 1};
}
Points one_point(std::span<const double> x) {
    return {x.data(), 1, std::ssize(x), std::ssize(x), 1};
}
Points lanes_of(const model::LaneMatrix& points, Index n) {
    return {points.data(), n, points.rows(), 1, points.cols()};
}

std::span<double> first(Vector& values, Index n) {
    return {values.data(), static_cast<std::size_t>(n)};
}

/// The first n columns of a matrix (d x padded) from an array (n, d).
void copy_columns(const py::object& from, const Function& function, Index n, Matrix& to) {
    copy_numbers(from, function.name(), std::array{n, to.rows()}, {to.data(), static_cast<std::size_t>(n * to.rows())});
}

class Quantities final : public model::ReportedQuantities {
  public:
    explicit Quantities(const Described& described)
        : function_(described.quantities, "quantities"), names_(described.quantity_names) {}
    const std::vector<std::string>& quantity_names() const override { return names_; }
    void quantities(std::span<const double> x, std::span<double> out) const override {
        function_.call(one_point(x), {}, [&](const py::object& result) {
            copy_numbers(result, function_.name(), std::array{Index{1}, std::ssize(out)}, out);
        });
    }

  private:
    Function function_;
    std::vector<std::string> names_;
};

class Density final : public model::DensityFunctions {
  public:
    Density(Described described, const PriorAndLikelihood& functions)
        : described_(std::move(described)),
          log_prior_(functions.log_prior, "log_prior"),
          draw_prior_(functions.draw_prior, "draw_prior"),
          log_likelihood_(functions.log_likelihood, "log_likelihood"),
          is_estimated_(functions.is_estimated),
          exact_log_ratio_(functions.exact_log_ratio) {
        if (!described_.quantities.is_none())
            offer<model::ReportedQuantities>(std::make_shared<Quantities>(described_));
        described_.quantities = py::object();
        if (!functions.gradient.is_none())
            offer<model::DensityGradient>(std::make_shared<Gradient>(*this, functions.gradient));
    }

    const std::vector<std::string>& parameter_names() const override { return described_.names; }
    void draw_prior(random::Stream& stream, std::span<double> x) const override {
        const std::uint64_t a = stream.bits64(), b = stream.bits64();
        draw_prior_.point([&] { return py::make_tuple(a, b); }, x);
    }
    void evaluate(const Matrix& points, Index n, const model::BlockStreams& streams, Vector& log_prior,
                  Vector& log_likelihood) const override {
        const auto x = columns_of(points, n);
        log_prior_.numbers(x, first(log_prior, n));
        const auto keys = [&] {
            py::array_t<std::uint64_t> array({n, Index{2}});
            for (Index i = 0; i < n; ++i) {
                random::Stream stream(streams.at(model::likelihood_draws, i));
                array.mutable_at(i, 0) = stream.bits64();
                array.mutable_at(i, 1) = stream.bits64();
            }
            return py::make_tuple(array);
        };
        log_likelihood_.numbers(x, first(log_likelihood, n),
                                is_estimated_ ? std::function<py::tuple()>(keys) : nullptr);
        model::detail::leave_out_impossible(first(log_prior, n), first(log_likelihood, n));
    }
    bool is_estimated() const override { return is_estimated_; }
    std::optional<double> log_prior_normaliser() const override { return 0.0; }
    std::optional<double> exact_log_ratio() const override { return exact_log_ratio_; }
    void fingerprint(model::Fingerprint& fingerprint) const override { fingerprint.add(described_.identity); }

  private:
    class Gradient final : public model::DensityGradient {
      public:
        Gradient(const Density& density, py::object function)
            : density_(density), function_(std::move(function), "gradient") {}
        void evaluate(const Matrix& points, Index n, double b, Vector& log_prior, Vector& log_likelihood,
                      Matrix& gradient) const override {
            density_.evaluate(points, n, {}, log_prior, log_likelihood);
            function_.call(
                columns_of(points, n), [&] { return py::make_tuple(b); },
                [&](const py::object& result) { copy_columns(result, function_, n, gradient); });
        }

      private:
        const Density& density_;
        Function function_;
    };

    Described described_;
    Function log_prior_, draw_prior_, log_likelihood_;
    bool is_estimated_;
    std::optional<double> exact_log_ratio_;
};

class JointDensity final : public model::JointFunctions {
  public:
    JointDensity(Described described, py::object log_density, py::object gradient)
        : described_(std::move(described)),
          log_density_(std::move(log_density), "log_density"),
          gradient_(std::move(gradient), "gradient") {
        if (!described_.quantities.is_none())
            offer<model::ReportedQuantities>(std::make_shared<Quantities>(described_));
        described_.quantities = py::object();
    }

    const std::vector<std::string>& coordinate_names() const override { return described_.names; }
    void log_densities(const Matrix& points, Index n, Vector& out) const override {
        log_density_.numbers(columns_of(points, n), first(out, n));
    }
    bool has_gradient() const override { return gradient_.is_there(); }
    void log_densities(const Matrix& points, Index n, Vector& out, Matrix& gradient) const override {
        log_densities(points, n, out);
        gradient_.call(columns_of(points, n), {},
                       [&](const py::object& result) { copy_columns(result, gradient_, n, gradient); });
    }
    void fingerprint(model::Fingerprint& fingerprint) const override { fingerprint.add(described_.identity); }

  private:
    Described described_;
    Function log_density_, gradient_;
};

class Energy final : public kernel::BoxFunctions {
  public:
    Energy(std::vector<double> lower, std::vector<double> upper, py::object energy, py::object gradient,
           bool is_periodic, std::optional<double> known_minimum, std::string identity)
        : lower_(std::move(lower)),
          upper_(std::move(upper)),
          energy_(std::move(energy), "energy"),
          gradient_(std::move(gradient), "gradient"),
          is_periodic_(is_periodic),
          known_minimum_(known_minimum),
          identity_(std::move(identity)) {}

    Index dimension() const override { return std::ssize(lower_); }
    std::span<const double> lower() const override { return lower_; }
    std::span<const double> upper() const override { return upper_; }
    bool is_periodic() const override { return is_periodic_; }
    std::span<const double> start_lower() const override { return lower_; }
    std::span<const double> start_upper() const override { return upper_; }
    void energies(const model::LaneMatrix& points, Index n, std::span<double> out) const override {
        energy_.numbers(lanes_of(points, n), out.first(static_cast<std::size_t>(n)));
    }
    double energy(std::span<const double> x) const override {
        double value = 0;
        energy_.numbers(one_point(x), {&value, 1});
        return value;
    }
    bool has_gradient() const override { return gradient_.is_there(); }
    void gradient(std::span<const double> x, std::span<double> gradient) const override {
        gradient_.call(one_point(x), {}, [&](const py::object& result) {
            copy_numbers(result, gradient_.name(), std::array{Index{1}, std::ssize(gradient)}, gradient);
        });
    }
    std::optional<double> known_minimum() const override { return known_minimum_; }
    void fingerprint(model::Fingerprint& fingerprint) const override {
        fingerprint.add(identity_);
        fingerprint.add(lower_);
        fingerprint.add(upper_);
        if (is_periodic_)
            fingerprint.add("periodic");
    }

  private:
    std::vector<double> lower_, upper_;
    Function energy_, gradient_;
    bool is_periodic_;
    std::optional<double> known_minimum_;
    std::string identity_;
};

} // namespace

app::ModelEntry density_of(Described described, const PriorAndLikelihood& functions) {
    return app::density_entry(model_name, std::make_shared<const Density>(std::move(described), functions));
}

app::ModelEntry joint_density_of(Described described, py::object log_density, py::object gradient) {
    return app::joint_density_entry(model_name, std::make_shared<const JointDensity>(
                                                    std::move(described), std::move(log_density), std::move(gradient)));
}

app::ModelEntry energy_of(std::vector<double> lower, std::vector<double> upper, py::object energy, py::object gradient,
                          bool is_periodic, std::optional<double> known_minimum, std::string identity) {
    return app::energy_entry(model_name, std::make_shared<const Energy>(
                                             std::move(lower), std::move(upper), std::move(energy), std::move(gradient),
                                             is_periodic, known_minimum, std::move(identity)));
}

} // namespace pearlite::python
