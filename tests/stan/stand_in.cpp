// A library with BridgeStan's C interface that is no Stan program: y ~ N(theta, 1) for each of two numbers of the data,
// theta = exp(x_0) above 0 with density 2 exp(-2 theta), and x_1 ~ N(1, 0.5^2). Tests compile it in several ways, some
// of them wrong:
//   VERSION n     another version of the interface; 1 has no symbol for it
//   LACKING       without bs_log_density_gradient
//   THROWING      its constructor refuses the data
//   REJECTING     points with x_1 > 1.5 are refused, with a message
//   PRINTING      prints at each evaluation
// Data with "prior_only":1 leave out y.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numbers>
#include <string>

#ifdef LACKING
#define bs_log_density_gradient bs_hidden_gradient
#endif
#ifndef VERSION
#define VERSION 2
#endif

namespace {

using Print = void (*)(const char*, std::size_t);
Print print_callback = nullptr;

[[maybe_unused]] char* copy(const std::string& text) {
    return strdup(text.c_str());
}

double log_normal(double x, double mean, double sd) {
    const double z = (x - mean) / sd;
    return -0.5 * z * z - std::log(sd) - 0.5 * std::log(2 * std::numbers::pi);
}

} // namespace

struct Model {
    double y[2] = {1, 2};
    bool is_prior = false;
};
struct Rng {
    unsigned seed;
};

extern "C" {

#if VERSION > 1
__attribute__((visibility("default"))) extern const int bs_major_version = VERSION;
#endif

void* bs_model_construct(const char* data, [[maybe_unused]] unsigned seed, char** message) {
#ifdef THROWING
    *message = copy("construct() failed with exception: variable does not exist; processing stage=data initialization; "
                    "variable name=y");
    return nullptr;
#endif
    auto* model = new Model;
    if (data != nullptr && std::strchr(data, '[') != nullptr) {
        char* end = nullptr;
        model->y[0] = std::strtod(std::strchr(data, '[') + 1, &end);
        model->y[1] = std::strtod(end + 1, nullptr);
    }
    model->is_prior = data != nullptr && std::strstr(data, "\"prior_only\":1") != nullptr;
    *message = nullptr;
    return model;
}
void bs_model_destruct(void* model) {
    delete static_cast<Model*>(model);
}
void bs_free_error_msg(char* message) {
    std::free(message);
}
const char* bs_name(const void*) {
    return "stand_in";
}
const char* bs_model_info(const void*) {
    return "no Stan";
}
const char* bs_param_names(const void*, bool transformed, bool generated) {
    return generated ? "theta,m.1,m.2,draw,log_lik.1,log_lik.2,y_rep.1,y_rep.2,table.1.1,table.2.1,table.1.2,table.2.2"
           : transformed ? "theta,m.1,m.2"
                         : "theta,m.1";
}
const char* bs_param_unc_names(const void*) {
    return "theta,m.1";
}
int bs_param_num(const void*, bool transformed, bool generated) {
    return generated ? 12 : transformed ? 3 : 2;
}
int bs_param_unc_num(const void*) {
    return 2;
}
int bs_param_constrain(const void* model, bool transformed, bool generated, const double* x, double* out, void* rng,
                       char**) {
    out[0] = std::exp(x[0]);
    out[1] = x[1];
    if (transformed)
        out[2] = 2 * x[1];
    if (generated) {
        out[3] = static_cast<Rng*>(rng)->seed / 4294967296.0;
        for (int i = 0; i < 2; ++i)
            out[4 + i] = log_normal(static_cast<const Model*>(model)->y[i], out[0], 1);
        for (int i = 0; i < 2; ++i)
            out[6 + i] = out[0] + out[3] + i;
        for (int j = 0; j < 2; ++j)
            for (int i = 0; i < 2; ++i)
                out[8 + 2 * j + i] = out[0] + 10 * i + j;
    }
    return 0;
}
int bs_param_unconstrain(const void*, const double* theta, double* x, char** message) {
    if (!(theta[0] >= 0)) {
        *message = copy("param_unconstrain() failed with exception: lub_free: Lower bounded variable is -1");
        return -1;
    }
    x[0] = std::log(theta[0]);
    x[1] = theta[1];
    return 0;
}
int bs_log_density_gradient(const void* model, bool, bool, const double* x, double* value, double* gradient,
                            char** message);
int bs_log_density(const void* model, bool propto, bool jacobian, const double* x, double* value, char** message) {
    double gradient[2];
    return bs_log_density_gradient(model, propto, jacobian, x, value, gradient, message);
}
int bs_log_density_gradient(const void* model, bool, bool, const double* x, double* value, double* gradient,
                            [[maybe_unused]] char** message) {
#ifdef REJECTING
    if (x[1] > 1.5) {
        *message = copy("log_density() failed with exception: normal_lpdf: Scale parameter is -0.5, but must be > 0!");
        return -1;
    }
#endif
#ifdef PRINTING
    if (print_callback != nullptr)
        print_callback("theta is large\n", 15);
#endif
    const auto& [y, is_prior] = *static_cast<const Model*>(model);
    const double theta = std::exp(x[0]);
    *value = std::log(2.0) - 2 * theta + x[0] + log_normal(x[1], 1, 0.5);
    gradient[0] = 1 - 2 * theta;
    gradient[1] = -(x[1] - 1) / 0.25;
    for (int i = 0; i < 2 && !is_prior; ++i) {
        *value += log_normal(y[i], theta, 1);
        gradient[0] += (y[i] - theta) * theta;
    }
    return 0;
}
void* bs_rng_construct(unsigned seed, char**) {
    return new Rng{seed};
}
void bs_rng_destruct(void* rng) {
    delete static_cast<Rng*>(rng);
}
int bs_set_print_callback(Print callback, char**) {
    print_callback = callback;
    return 0;
}

} // extern "C"
