#include "models/stan/stan_functions.hpp"

#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <string>
#include <string_view>
#include <type_traits>

namespace pearlite::models {

namespace {

constexpr int version = 2;
constexpr int most_prints = 20; // of a process: a program prints at each evaluation

/// Prints the text of a Stan program's print() or reject() statement.
void print(const char* text, std::size_t size) {
    static std::atomic<int> printed = 0;
    const int n = printed++;
    if (n < most_prints) {
        std::string_view words(text, size);
        while (words.ends_with('\n'))
            words.remove_suffix(1);
        std::fprintf(stderr, "the model prints: %.*s\n", static_cast<int>(words.size()), words.data());
    } else if (n == most_prints) {
        std::fputs("the model prints more, which is not shown\n", stderr);
    }
}

void* find(void* library, const std::filesystem::path& file, const std::string& name) {
    if (void* const found = dlsym(library, name.c_str()))
        return found;
    throw InputError(fmt::format("{}: no {} in this library, expected a Stan model with BridgeStan's interface of "
                                 "version {}",
                                 file.string(), name, version));
}

} // namespace

StanFunctions::StanFunctions(const std::filesystem::path& file) {
    // Local: two models in a process do not see each other's functions.
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr)
        throw InputError(fmt::format("{}: not a library that can be loaded ({}), expected a compiled Stan model",
                                     file.string(), dlerror()));
    const int* const its_version = static_cast<const int*>(dlsym(library, "bs_major_version"));
    if (its_version == nullptr && dlsym(library, "bs_log_density") != nullptr)
        throw InputError(
            fmt::format("{}: BridgeStan's interface of version 1, expected version {}", file.string(), version));
    const auto take = [&](auto& function, const char* symbol) {
        function = reinterpret_cast<std::decay_t<decltype(function)>>(find(library, file, symbol));
    };
    take(model_construct, "bs_model_construct");
    take(model_destruct, "bs_model_destruct");
    take(free_error_msg, "bs_free_error_msg");
    take(name, "bs_name");
    take(model_info, "bs_model_info");
    take(param_names, "bs_param_names");
    take(param_unc_names, "bs_param_unc_names");
    take(param_num, "bs_param_num");
    take(param_unc_num, "bs_param_unc_num");
    take(param_constrain, "bs_param_constrain");
    take(param_unconstrain, "bs_param_unconstrain");
    take(log_density, "bs_log_density");
    take(log_density_gradient, "bs_log_density_gradient");
    take(rng_construct, "bs_rng_construct");
    take(rng_destruct, "bs_rng_destruct");
    if (its_version == nullptr || *its_version != version)
        throw InputError(fmt::format("{}: BridgeStan's interface of version {}, expected version {}", file.string(),
                                     its_version ? std::to_string(*its_version) : "unknown", version));
    using SetPrint = int (*)(void (*)(const char*, std::size_t), char**);
    if (const auto set_print = reinterpret_cast<SetPrint>(dlsym(library, "bs_set_print_callback"))) {
        char* message = nullptr;
        if (set_print(print, &message) != 0 && message != nullptr)
            free_error_msg(message);
    }
}

} // namespace pearlite::models
