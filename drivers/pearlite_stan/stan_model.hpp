#pragma once
/// Stan programs that Stan 2.21 has translated, behind BridgeStan's C interface (https://roualdes.us/bridgestan: "C
/// API"). compile.py compiles one or many of them in one unit, which includes the translations before this header; each
/// library links the unit with its own make_bs_model().

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

/// A program and its data.
struct bs_model {
    virtual ~bs_model() = default;

    /// The log density at `unc`, with its gradient in `g` unless that is null.
    virtual double log_density(bool propto, bool jacobian, const double* unc, double* g) const = 0;
    /// Parameters, transformed ones and generated quantities if they are asked for, at `unc`.
    virtual void constrain(boost::ecuyer1988& rng, bool tp, bool gq, const double* unc, double* theta) const = 0;
    /// Coordinates of parameters.
    virtual void unconstrain(const JsonData& parameters, double* unc) const = 0;
    /// Parameters in the order of `theta` as variables by their names.
    virtual JsonData variables(const double* theta) const = 0;

    /// Central differences of the gradient along v.
    double hessian_product(bool propto, bool jacobian, const double* unc, const double* v, double* hv) const {
        std::vector<double> g(dimension), up(dimension), down(dimension), x(unc, unc + dimension);
        const double lp = log_density(propto, jacobian, unc, g.data());
        double norm = 0;
        for (std::size_t i = 0; i < dimension; ++i)
            norm += v[i] * v[i];
        const double step = norm > 0 ? 1e-5 / std::sqrt(norm) : 0;
        for (std::size_t i = 0; i < dimension; ++i)
            x[i] = unc[i] + step * v[i];
        log_density(propto, jacobian, x.data(), up.data());
        for (std::size_t i = 0; i < dimension; ++i)
            x[i] = unc[i] - step * v[i];
        log_density(propto, jacobian, x.data(), down.data());
        for (std::size_t i = 0; i < dimension; ++i)
            hv[i] = step > 0 ? (up[i] - down[i]) / (2 * step) : 0;
        return lp;
    }

    std::string name, info, unc_names, names[2][2];
    int count[2][2];
    std::size_t dimension = 0;
};

namespace {

template <class Model>
class Program final : public bs_model {
  public:
    Program(const char* data, unsigned seed, const char* identity) : model_(context(data, seed, out_)) {
        print(out_);
        name = model_.model_name();
        info = "Stan " + std::string(stan::MAJOR_VERSION) + "." + stan::MINOR_VERSION + "." + stan::PATCH_VERSION +
               ", compiler " __VERSION__ ", " + identity;
        for (int tp = 0; tp < 2; ++tp)
            for (int gq = 0; gq < 2; ++gq) {
                std::vector<std::string> list;
                model_.constrained_param_names(list, tp != 0, gq != 0);
                count[tp][gq] = static_cast<int>(list.size());
                names[tp][gq] = joined(list);
            }
        std::vector<std::string> list;
        model_.unconstrained_param_names(list, false, false);
        unc_names = joined(list);
        dimension = model_.num_params_r();
    }

    double log_density(bool propto, bool jacobian, const double* unc, double* g) const override {
        if (propto)
            return jacobian ? log_density<true, true>(unc, g) : log_density<true, false>(unc, g);
        return jacobian ? log_density<false, true>(unc, g) : log_density<false, false>(unc, g);
    }
    void constrain(boost::ecuyer1988& rng, bool tp, bool gq, const double* unc, double* theta) const override {
        std::ostringstream messages;
        std::vector<double> x(unc, unc + dimension), all;
        std::vector<int> none;
        model_.write_array(rng, x, none, all, tp, gq, &messages);
        std::copy(all.begin(), all.end(), theta);
        print(messages);
    }
    void unconstrain(const JsonData& parameters, double* unc) const override {
        std::ostringstream messages;
        Vector x;
        with_declared_dims(parameters, [&](const JsonData& values) {
            messages.str("");
            model_.transform_inits(values, x, &messages);
        });
        std::copy(x.data(), x.data() + x.size(), unc);
        print(messages);
    }
    JsonData variables(const double* theta) const override {
        std::vector<std::string> arrays;
        std::vector<std::vector<std::size_t>> dims;
        model_.get_param_names(arrays);
        model_.get_dims(dims);
        std::map<std::string, StanVariable> found;
        const double* const end = theta + count[0][0];
        for (std::size_t k = 0; k < arrays.size() && theta != end; ++k) {
            std::size_t size = 1;
            for (const std::size_t d : dims[k])
                size *= d;
            found[arrays[k]] = {dims[k], std::vector<double>(theta, theta + size), false};
            theta += size;
        }
        return JsonData(std::move(found));
    }

  private:
    static Model context(const char* data, unsigned seed, std::ostringstream& out) {
        return with_declared_dims(JsonData(read_data(data)), [&](JsonData& json) {
            out.str("");
            return Model(json, seed, &out);
        });
    }

    /// On doubles all terms are constant, so differentiable numbers decide what to drop.
    template <bool propto, bool jacobian>
    double log_density(const double* unc, double* g) const {
        std::ostringstream messages;
        std::vector<int> none;
        std::vector<double> x(unc, unc + dimension), gradient;
        double lp = 0;
        if (propto || g != nullptr)
            lp = stan::model::log_prob_grad<propto, jacobian>(model_, x, none, gradient, &messages);
        else
            lp = model_.template log_prob<false, jacobian>(x, none, &messages);
        if (g != nullptr)
            std::copy(gradient.begin(), gradient.end(), g);
        print(messages);
        return lp;
    }

    std::ostringstream out_;
    Model model_;
};

} // namespace

/// The program of this library; `data` and `seed` are those of bs_model_construct().
bs_model* make_bs_model(const char* data, unsigned seed);

extern "C" {

BS_PUBLIC extern const int bs_major_version = 2;
BS_PUBLIC extern const int bs_minor_version = 7;
BS_PUBLIC extern const int bs_patch_version = 0;

BS_PUBLIC bs_model* bs_model_construct(const char* data, unsigned seed, char** error_msg) {
    return guarded("construct", error_msg, static_cast<bs_model*>(nullptr), [&] { return make_bs_model(data, seed); });
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
        m->constrain(rng == nullptr ? unused : rng->rng, tp, gq, unc, theta);
        return 0;
    });
}
BS_PUBLIC int bs_param_unconstrain(const bs_model* m, const double* theta, double* unc, char** error_msg) {
    return guarded("param_unconstrain", error_msg, -1, [&] {
        m->unconstrain(m->variables(theta), unc);
        return 0;
    });
}
BS_PUBLIC int bs_param_unconstrain_json(const bs_model* m, const char* json, double* unc, char** error_msg) {
    return guarded("param_unconstrain_json", error_msg, -1, [&] {
        m->unconstrain(JsonData(read_data(json)), unc);
        return 0;
    });
}
BS_PUBLIC int bs_log_density(const bs_model* m, bool propto, bool jacobian, const double* unc, double* lp,
                             char** error_msg) {
    return guarded("log_density", error_msg, -1, [&] {
        *lp = m->log_density(propto, jacobian, unc, nullptr);
        return 0;
    });
}
BS_PUBLIC int bs_log_density_gradient(const bs_model* m, bool propto, bool jacobian, const double* unc, double* lp,
                                      double* gradient, char** error_msg) {
    return guarded("log_density_gradient", error_msg, -1, [&] {
        *lp = m->log_density(propto, jacobian, unc, gradient);
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
        *lp = m->log_density(propto, jacobian, unc, gradient);
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
