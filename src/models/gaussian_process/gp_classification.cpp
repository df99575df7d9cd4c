#include "models/gaussian_process/gp_classification.hpp"

#include "models/common/orders.hpp"
#include "models/gaussian_process/gp_predictions.hpp"
#include "models/gaussian_process/orthant/annealed_orthant.hpp"
#include "pearlite/model/detail/target_of.hpp"
#include "pearlite/path/tempered.hpp"

namespace pearlite::models {

namespace {

/// The orthant problem of z.
OrthantSettings orthant_of(const GpClassificationSettings& settings, std::vector<Index> order) {
    const auto& training = settings.data.training;
    Matrix covariance = settings.covariance.between(training.inputs, training.inputs);
    covariance.diagonal().array() += 1;
    return {std::move(covariance), training.classes, std::move(order), settings.is_double};
}

/// The classes of the training points, 0 and 1.
model::DataDescription description(const GpClassificationSettings& settings) {
    const auto& [training, test, observed] = settings.data;
    auto classes =
        labelled(observed.name, observed.dimension(training.size()), Vector((training.classes.array() + 1) / 2));
    classes.is_whole = true;
    return {{std::move(classes)}, {}, observed.rows};
}

class DescribedClasses final : public model::DescribedData {
  public:
    explicit DescribedClasses(std::shared_ptr<const GpClassificationSettings> settings)
        : settings_(std::move(settings)) {}
    model::DataDescription describe_data() const override { return description(*settings_); }

  private:
    std::shared_ptr<const GpClassificationSettings> settings_;
};

/// The model in the latent z, with predictions of the held-out points.
class GpOrthant final : public Orthant {
  public:
    GpOrthant(const OrthantSettings& orthant, const std::shared_ptr<const GpClassificationSettings>& settings)
        : Orthant(orthant) {
        if (auto predictions = orthant_predictions(settings, orthant.order))
            offer(std::move(predictions));
        offer(gp_approximation(settings));
        offer<model::DescribedData>(std::make_shared<DescribedClasses>(settings));
    }
};

class GpGrowth final : public model::Growth {
  public:
    explicit GpGrowth(std::shared_ptr<const GpClassificationSettings> settings) : settings_(std::move(settings)) {}
    std::vector<std::string> orders() const override { return {"farthest", "random", "given", "alternating"}; }
    std::shared_ptr<const model::GrowingTarget> growing(const std::string& order, std::uint64_t seed) const override {
        return std::make_shared<const GpOrthant>(orthant_of(*settings_, order_of(order, seed)), settings_);
    }

  private:
    std::vector<Index> order_of(const std::string& order, std::uint64_t seed) const {
        const auto& training = settings_->data.training;
        if (order == "random")
            return random_order(training.size(), seed);
        if (order == "alternating")
            return alternating_order(training.classes);
        if (order == "farthest")
            return farthest_order(training.inputs);
        return given_order(training.size());
    }

    std::shared_ptr<const GpClassificationSettings> settings_;
};

/// Model, with predictions of the held-out points.
template <class Model>
class Predicting : public Model {
  public:
    Predicting(Model model, const std::shared_ptr<const GpClassificationSettings>& settings,
               std::shared_ptr<const model::HeldOutClasses> held_out)
        : Model(std::move(model)),
          settings_(settings),
          held_out_(std::move(held_out)),
          approximated_(gp_approximation(settings)) {}

    std::shared_ptr<const model::HeldOutClasses> held_out_classes() const { return held_out_; }
    std::shared_ptr<const model::Approximated> approximated() const { return approximated_; }
    model::DataDescription describe_data() const { return description(*settings_); }

  private:
    std::shared_ptr<const GpClassificationSettings> settings_;
    std::shared_ptr<const model::HeldOutClasses> held_out_;
    std::shared_ptr<const model::Approximated> approximated_;
};

template <class Real>
std::shared_ptr<const model::Target>
annealed_gp_orthant(const OrthantSettings& orthant, const std::shared_ptr<const GpClassificationSettings>& settings) {
    return model::target_of(
        Predicting(AnnealedOrthant<Real>(orthant), settings, orthant_predictions(settings, orthant.order)));
}

} // namespace

std::unique_ptr<model::BuiltModel> built_gp_classification(GpClassificationSettings settings,
                                                           LatentCoordinates coordinates) {
    const auto shared = std::make_shared<const GpClassificationSettings>(std::move(settings));
    const auto& training = shared->data.training;
    const GpLatent latent(shared->covariance.between(training.inputs, training.inputs), training.classes, coordinates);
    return model::annealed(path::tempered(Predicting(latent, shared, latent_predictions(shared, latent))),
                           std::make_shared<const GpGrowth>(shared));
}

std::unique_ptr<model::BuiltModel> built_gp_orthant(GpClassificationSettings settings) {
    const auto shared = std::make_shared<const GpClassificationSettings>(std::move(settings));
    const auto orthant = orthant_of(*shared, given_order(shared->data.training.size()));
    return model::annealed(shared->is_double ? annealed_gp_orthant<double>(orthant, shared)
                                             : annealed_gp_orthant<float>(orthant, shared),
                           std::make_shared<const GpGrowth>(shared));
}

Matrix Covariance::between(const Matrix& a, const Matrix& b) const {
    Matrix values(a.cols(), b.cols());
    for (Index j = 0; j < b.cols(); ++j)
        for (Index i = 0; i < a.cols(); ++i) {
            const double square = (a.col(i) - b.col(j)).squaredNorm() / (length_scale * length_scale);
            double correlation = 0;
            switch (kind) {
            case Kind::squared_exponential:
                correlation = std::exp(-0.5 * square);
                break;
            case Kind::matern32: {
                const double r = std::sqrt(3 * square);
                correlation = (1 + r) * std::exp(-r);
                break;
            }
            case Kind::matern52: {
                const double r = std::sqrt(5 * square);
                correlation = (1 + r + r * r / 3) * std::exp(-r);
                break;
            }
            }
            values(i, j) = variance() * correlation;
        }
    return values;
}

} // namespace pearlite::models
