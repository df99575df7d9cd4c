// A Stan program that Stan 2.21 has translated, behind BridgeStan's C interface (https://roualdes.us/bridgestan: "C
// API"). compile.sh compiles it once for each program, with the translation included before everything else.

#include "stan_data.hpp"

#include <stan/model/log_prob_grad.hpp>
#include <stan/version.hpp>

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <vector>

#define BS_PUBLIC __attribute__((visibility("default")))

namespace {

using Vector = Eigen::Matrix<double, Eigen::Dynamic, 1>;
using Print = void (*)(const char* data, std::size_t size);

std::mutex print_mutex;
Print print_callback = nullptr;

void print(const std::ostringstream& out) {
    const std::string text = out.str();
    if (text.empty())
        return;
    const std::lock_guard<std::mutex> lock(print_mutex);
    if (print_callback != nullptr)
        print_callback(text.data(), text.size());
    else
        std::cout.write(text.data(), static_cast<std::streamsize>(text.size())).flush();
}

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names)
        all += (all.empty() ? "" : ",") + name;
    return all;
}

/// Runs f; an exception becomes error_msg and `failed`.
template <class R, class F>
R guarded(const char* where, char** error_msg, R failed, F f) {
    std::string message;
    try {
        return f();
    } catch (const std::exception& e) {
        message = std::string(where) + "() failed with exception: " + e.what();
    } catch (...) {
        message = std::string(where) + "() failed with unknown exception";
    }
    if (error_msg != nullptr)
        *error_msg = strdup(message.c_str());
    return failed;
}

} // namespace

struct bs_rng {
    boost::ecuyer1988 rng;
};

struct bs_model {
    bs_model(const char* data, unsigned seed) : model(context(data, seed, out)) {
        print(out);
        const stan_model* m = &model;
        name = m->model_name();
        info = "Stan " + std::string(stan::MAJOR_VERSION) + "." + stan::MINOR_VERSION + "." + stan::PATCH_VERSION +
               ", compiler " __VERSION__ ", " PEARLITE_STAN_IDENTITY;
        for (int tp = 0; tp < 2; ++tp)
            for (int gq = 0; gq < 2; ++gq) {
                std::vector<std::string> list;
                m->constrained_param_names(list, tp != 0, gq != 0);
                count[tp][gq] = static_cast<int>(list.size());
                names[tp][gq] = joined(list);
            }
        std::vector<std::string> list;
        m->unconstrained_param_names(list, false, false);
        unc_names = joined(list);
        dimension = m->num_params_r();
    }

    static stan_model context(const char* data, unsigned seed, std::ostringstream& out) {
        return with_declared_dims(JsonData(read_data(data)), [&](JsonData& json) {
            out.str("");
            return stan_model(json, seed, &out);
        });
    }

    template <bool propto, bool jacobian>
    double value(const double* unc, std::ostream* messages) const {
        std::vector<int> none;
        if constexpr (propto) { // on doubles all terms are constant, so differentiable numbers decide what to drop
            std::vector<double> x(unc, unc + dimension), g;
            return stan::model::log_prob_grad<true, jacobian>(model, x, none, g, messages);
        } else {
            std::vector<double> x(unc, unc + dimension);
            return model.template log_prob<false, jacobian>(x, none, messages);
        }
    }
    double value(bool propto, bool jacobian, const double* unc) const {
        std::ostringstream messages;
        const double lp = propto
                              ? (jacobian ? value<true, true>(unc, &messages) : value<true, false>(unc, &messages))
                              : (jacobian ? value<false, true>(unc, &messages) : value<false, false>(unc, &messages));
        print(messages);
        return lp;
    }
    double gradient(bool propto, bool jacobian, const double* unc, double* g) const {
        std::ostringstream messages;
        std::vector<int> none;
        std::vector<double> x(unc, unc + dimension), out_gradient;
        using stan::model::log_prob_grad;
        const double lp = propto ? (jacobian ? log_prob_grad<true, true>(model, x, none, out_gradient, &messages)
                                             : log_prob_grad<true, false>(model, x, none, out_gradient, &messages))
                                 : (jacobian ? log_prob_grad<false, true>(model, x, none, out_gradient, &messages)
                                             : log_prob_grad<false, false>(model, x, none, out_gradient, &messages));
        std::copy(out_gradient.begin(), out_gradient.end(), g);
        print(messages);
        return lp;
    }
    /// Central differences of the gradient along v.
    double hessian_product(bool propto, bool jacobian, const double* unc, const double* v, double* hv) const {
        std::vector<double> g(dimension), up(dimension), down(dimension), x(unc, unc + dimension);
        const double lp = gradient(propto, jacobian, unc, g.data());
        double norm = 0;
        for (std::size_t i = 0; i < dimension; ++i)
            norm += v[i] * v[i];
        const double step = norm > 0 ? 1e-5 / std::sqrt(norm) : 0;
        for (std::size_t i = 0; i < dimension; ++i)
            x[i] = unc[i] + step * v[i];
        gradient(propto, jacobian, x.data(), up.data());
        for (std::size_t i = 0; i < dimension; ++i)
            x[i] = unc[i] - step * v[i];
        gradient(propto, jacobian, x.data(), down.data());
        for (std::size_t i = 0; i < dimension; ++i)
            hv[i] = step > 0 ? (up[i] - down[i]) / (2 * step) : 0;
        return lp;
    }

    std::ostringstream out;
    stan_model model;
    std::string name, info, unc_names, names[2][2];
    int count[2][2];
    std::size_t dimension;
};

extern "C" {

BS_PUBLIC extern const int bs_major_version = 2;
BS_PUBLIC extern const int bs_minor_version = 7;
BS_PUBLIC extern const int bs_patch_version = 0;

BS_PUBLIC bs_model* bs_model_construct(const char* data, unsigned seed, char** error_msg) {
    return guarded("construct", error_msg, static_cast<bs_model*>(nullptr), [&] { return new bs_model(data, seed); });
}
BS_PUBLIC void bs_model_destruct(bs_model* m) {
    delete m;
}
BS_PUBLIC void bs_free_error_msg(char* error_msg) {
    std::free(error_msg);
}
BS_PUBLIC const char* bs_name(const bs_model* m) {
    return m->name.c_str();
}
BS_PUBLIC const char* bs_model_info(const bs_model* m) {
    return m->info.c_str();
}
BS_PUBLIC const char* bs_param_names(const bs_model* m, bool tp, bool gq) {
    return m->names[tp][gq].c_str();
}
BS_PUBLIC const char* bs_param_unc_names(const bs_model* m) {
    return m->unc_names.c_str();
}
BS_PUBLIC int bs_param_num(const bs_model* m, bool tp, bool gq) {
    return m->count[tp][gq];
}
BS_PUBLIC int bs_param_unc_num(const bs_model* m) {
    return static_cast<int>(m->dimension);
}

BS_PUBLIC int bs_param_constrain(const bs_model* m, bool tp, bool gq, const double* unc, double* theta, bs_rng* rng,
                                 char** error_msg) {
    return guarded("param_constrain", error_msg, -1, [&] {
        if (gq && rng == nullptr)
            throw std::invalid_argument("include_gq=true but rng=nullptr");
        boost::ecuyer1988 unused(0);
        std::ostringstream messages;
        std::vector<double> x(unc, unc + m->dimension), all;
        std::vector<int> none;
        m->model.write_array(rng == nullptr ? unused : rng->rng, x, none, all, tp, gq, &messages);
        std::copy(all.begin(), all.end(), theta);
        print(messages);
        return 0;
    });
}
BS_PUBLIC int bs_param_unconstrain(const bs_model* m, const double* theta, double* unc, char** error_msg) {
    return guarded("param_unconstrain", error_msg, -1, [&] {
        std::vector<std::string> names;
        std::vector<std::vector<std::size_t>> dims;
        m->model.get_param_names(names);
        m->model.get_dims(dims);
        std::map<std::string, StanVariable> variables;
        std::size_t at = 0;
        for (std::size_t k = 0; k < names.size() && at < static_cast<std::size_t>(m->count[0][0]); ++k) {
            std::size_t size = 1;
            for (const std::size_t d : dims[k])
                size *= d;
            variables[names[k]] = {dims[k], std::vector<double>(theta + at, theta + at + size), false};
            at += size;
        }
        std::ostringstream messages;
        Vector x;
        m->model.transform_inits(JsonData(std::move(variables)), x, &messages);
        std::copy(x.data(), x.data() + x.size(), unc);
        print(messages);
        return 0;
    });
}
BS_PUBLIC int bs_param_unconstrain_json(const bs_model* m, const char* json, double* unc, char** error_msg) {
    return guarded("param_unconstrain_json", error_msg, -1, [&] {
        std::ostringstream messages;
        Vector x;
        with_declared_dims(JsonData(read_data(json)), [&](const JsonData& values) {
            messages.str("");
            m->model.transform_inits(values, x, &messages);
        });
        std::copy(x.data(), x.data() + x.size(), unc);
        print(messages);
        return 0;
    });
}
BS_PUBLIC int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* unc, double* lp,
                             char** error_msg) {
    return guarded("log_density", error_msg, -1, [&] {
        *lp = m->value(propto, jacobian, unc);
        return 0;
    });
}
BS_PUBLIC int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* unc, double* lp,
                                      double* gradient, char** error_msg) {
    return guarded("log_density_gradient", error_msg, -1, [&] {
        *lp = m->gradient(propto, jacobian, unc, gradient);
        return 0;
    });
}
BS_PUBLIC int bs_log_density_hessian_vector_product(const bs_model* m, bool propto, bool jacobian, const double* unc,
                                                    const double* v, double* lp, double* product, char** error_msg) {
    return guarded("log_density_hessian_vector_product", error_msg, -1, [&] {
        *lp = m->hessian_product(propto, jacobian, unc, v, product);
        return 0;
    });
}
BS_PUBLIC int bs_log_density_hessian(const bs_model* m, bool propto, bool jacobian, const double* unc, double* lp,
                                     double* gradient, double* hessian, char** error_msg) {
    return guarded("log_density_hessian", error_msg, -1, [&] {
        *lp = m->gradient(propto, jacobian, unc, gradient);
        std::vector<double> e(m->dimension, 0);
        for (std::size_t i = 0; i < m->dimension; ++i) {
            e[i] = 1;
            m->hessian_product(propto, jacobian, unc, e.data(), hessian + i * m->dimension);
            e[i] = 0;
        }
        return 0;
    });
}
BS_PUBLIC bs_rng* bs_rng_construct(unsigned seed, char** error_msg) {
    return guarded("construct_rng", error_msg, static_cast<bs_rng*>(nullptr),
                   [&] { return new bs_rng{stan::services::util::create_rng(seed, 1)}; });
}
BS_PUBLIC void bs_rng_destruct(bs_rng* rng) {
    delete rng;
}
BS_PUBLIC int bs_set_print_callback(Print callback, char**) {
    const std::lock_guard<std::mutex> lock(print_mutex);
    print_callback = callback;
    return 0;
}

} // extern "C"
