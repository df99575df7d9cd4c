// Output of an RBM that learns: the fields of a checkpoint, its parameters as a file, and pictures.
#include "core/log_space.hpp"
#include "models/rbm/training/rbm_learner.hpp"
#include "models/rbm/weights_kernels.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "simd/instructions.hpp"

namespace pearlite::models {

namespace {

void list(Fields& f, const char* name, rbm_kernels::Aligned<float>& values) {
    std::vector<double> copy(values.begin(), values.end());
    f(name, copy);
    if (copy.size() != values.size())
        throw FileError(std::string("the checkpoint has other sizes of ") + name);
    std::transform(copy.begin(), copy.end(), values.begin(), [](double x) { return static_cast<float>(x); });
}

} // namespace

void RbmLearner::fields(Fields& f) {
    list(f, "weights", rbm_.weights);
    list(f, "visible_bias", rbm_.visible_bias);
    list(f, "hidden_bias", rbm_.hidden_bias);
    list(f, "weight_velocity", weight_velocity_);
    list(f, "visible_velocity", visible_velocity_);
    list(f, "hidden_velocity", hidden_velocity_);
    if (f.is_reading() && !rbm_.round())
        throw FileError("the checkpoint has a weight that is not finite");
}

std::vector<double> RbmLearner::parameters() const {
    std::vector<double> all;
    all.reserve(at(n_visible() * n_hidden() + n_visible() + n_hidden()));
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden(); ++j)
            all.push_back(static_cast<double>(weight(i, j)));
    all.insert(all.end(), rbm_.visible_bias.begin(), rbm_.visible_bias.end());
    all.insert(all.end(), rbm_.hidden_bias.begin(), rbm_.hidden_bias.end());
    return all;
}

Index RbmLearner::image_rows() const {
    const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n_visible()))));
    return side * side == n_visible() ? side : 1;
}

model::Images RbmLearner::as_images(Matrix pixels) const {
    return {std::move(pixels), image_rows(), n_visible() / image_rows()};
}

model::Images RbmLearner::filters() const {
    const float largest = std::max(std::numeric_limits<float>::min(), simd::on_this_cpu([&](auto cpu) {
                                       return rbm_training::largest_magnitude<decltype(cpu)>(rbm_.weights.data(),
                                                                                             std::ssize(rbm_.weights));
                                   }));
    Matrix pixels(n_hidden(), n_visible());
    for (Index j = 0; j < n_hidden(); ++j)
        for (Index i = 0; i < n_visible(); ++i)
            pixels(j, i) = 0.5 + 0.5 * static_cast<double>(weight(i, j) / largest);
    return as_images(std::move(pixels));
}

model::Images RbmLearner::samples(const Block& block) const {
    const auto& states = own_block<RbmStates>(block);
    Matrix pixels(states.size(), n_visible());
    for (Index chain = 0; chain < states.size(); ++chain)
        for (Index i = 0; i < n_visible(); ++i) {
            double field = static_cast<double>(visible_bias(i));
            for (Index j = 0; j < n_hidden(); ++j)
                field += states.hidden().get(j, chain) ? static_cast<double>(weight(i, j)) : 0.0;
            pixels(chain, i) = logistic(field);
        }
    return as_images(std::move(pixels));
}

void RbmLearner::write(const std::filesystem::path& directory) const {
    io::RbmArrays arrays{Matrix(n_visible(), n_hidden()), Vector(n_visible()), Vector(n_hidden())};
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden(); ++j)
            arrays.weights(i, j) = static_cast<double>(weight(i, j));
    std::copy(rbm_.visible_bias.begin(), rbm_.visible_bias.end(), arrays.visible_bias.begin());
    std::copy(rbm_.hidden_bias.begin(), rbm_.hidden_bias.end(), arrays.hidden_bias.begin());
    io::write_rbm(directory / file_name(), arrays);
}

} // namespace pearlite::models
