// What an RBM that learns leaves behind: the fields of a checkpoint, its parameters as a file, and pictures.
#include "core/log_space.hpp"
#include "models/rbm/training/rbm_learner.hpp"
#include "models/rbm/training/weights_kernels.hpp"
#include "pearlite/core/error.hpp"
#include "pearlite/io/arrays.hpp"
#include "simd/instructions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

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
    list(f, "weights", weights_);
    list(f, "visible_bias", visible_bias_);
    list(f, "hidden_bias", hidden_bias_);
    list(f, "weight_velocity", weight_velocity_);
    list(f, "visible_velocity", visible_velocity_);
    list(f, "hidden_velocity", hidden_velocity_);
    if (f.is_reading() && !round())
        throw FileError("the checkpoint has a weight that is not finite");
}

std::vector<double> RbmLearner::parameters() const {
    std::vector<double> all;
    all.reserve(at(n_visible() * n_hidden_ + n_visible() + n_hidden_));
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden_; ++j)
            all.push_back(static_cast<double>(weight(i, j)));
    all.insert(all.end(), visible_bias_.begin(), visible_bias_.end());
    all.insert(all.end(), hidden_bias_.begin(), hidden_bias_.end());
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
    const float largest =
        std::max(std::numeric_limits<float>::min(), simd::on_this_cpu([&](auto cpu) {
                     return rbm_training::largest_magnitude<decltype(cpu)>(weights_.data(), std::ssize(weights_));
                 }));
    Matrix pixels(n_hidden_, n_visible());
    for (Index j = 0; j < n_hidden_; ++j)
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
            for (Index j = 0; j < n_hidden_; ++j)
                field += states.hidden().get(j, chain) ? static_cast<double>(weight(i, j)) : 0.0;
            pixels(chain, i) = logistic(field);
        }
    return as_images(std::move(pixels));
}

void RbmLearner::write(const std::filesystem::path& directory) const {
    io::RbmArrays arrays{Matrix(n_visible(), n_hidden_), Vector(n_visible()), Vector(n_hidden_)};
    for (Index i = 0; i < n_visible(); ++i)
        for (Index j = 0; j < n_hidden_; ++j)
            arrays.weights(i, j) = static_cast<double>(weight(i, j));
    std::copy(visible_bias_.begin(), visible_bias_.end(), arrays.visible_bias.begin());
    std::copy(hidden_bias_.begin(), hidden_bias_.end(), arrays.hidden_bias.begin());
    io::write_rbm(directory / file_name(), arrays);
}

} // namespace pearlite::models
