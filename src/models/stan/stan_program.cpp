#include "models/stan/stan_program.hpp"

#include "io/arrays/draws.hpp"
#include "pearlite/core/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <dlfcn.h>
#include <type_traits>

namespace pearlite::models {

namespace {

constexpr bool propto = false, jacobian = true;

/// Splits a list at its commas.
std::vector<std::string> names_of(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        names.push_back(io::with_brackets(list.substr(0, end)));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return names;
}

} // namespace

StanProgram::StanProgram(const std::filesystem::path& library, const std::string& data, unsigned seed)
    : functions_(std::make_unique<const StanFunctions>(library)) {
    char* message = nullptr;
    model_ = functions_->model_construct(data.empty() ? nullptr : data.c_str(), seed, &message);
    if (model_ == nullptr)
        throw InputError(fmt::format("{}: the model rejects its data: {}", library.string(), taken(message)));
    name_ = functions_->name(model_);
    build_ = functions_->model_info(model_);
    coordinate_names_ = names_of(functions_->param_unc_names(model_));
    const int d = functions_->param_unc_num(model_);
    if (d > 0 && d == static_cast<int>(coordinate_names_.size()))
        return;
    functions_->model_destruct(model_);
    throw InputError(fmt::format("{}: {} has {} parameters and {} names of them, expected at least one parameter",
                                 library.string(), name_, d, coordinate_names_.size()));
}

StanProgram::~StanProgram() {
    functions_->model_destruct(model_);
}

std::vector<std::string> StanProgram::parameter_names() const {
    return names_of(functions_->param_names(model_, false, false));
}

std::vector<std::string> StanProgram::quantity_names(bool with_generated) const {
    return names_of(functions_->param_names(model_, true, with_generated));
}

double StanProgram::log_density(std::span<const double> x) const {
    double value = 0;
    char* message = nullptr;
    const int status = functions_->log_density(model_, propto, jacobian, x.data(), &value, &message);
    return judged(status, value, message);
}

double StanProgram::log_density(std::span<const double> x, std::span<double> gradient) const {
    double value = 0;
    char* message = nullptr;
    const int status =
        functions_->log_density_gradient(model_, propto, jacobian, x.data(), &value, gradient.data(), &message);
    return judged(status, value, message);
}

void StanProgram::quantities(std::span<const double> x, bool with_generated, std::uint32_t seed,
                             std::span<double> out) const {
    char* message = nullptr;
    void* const rng = with_generated ? functions_->rng_construct(seed, &message) : nullptr;
    const int status =
        with_generated && rng == nullptr
            ? 1
            : functions_->param_constrain(model_, true, with_generated, x.data(), out.data(), rng, &message);
    if (rng != nullptr)
        functions_->rng_destruct(rng);
    if (status == 0)
        return;
    std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
    reject(taken(message));
}

bool StanProgram::unconstrain(std::span<const double> parameters, std::span<double> x) const {
    char* message = nullptr;
    if (functions_->param_unconstrain(model_, parameters.data(), x.data(), &message) == 0)
        return std::ranges::all_of(x, [](double value) { return std::isfinite(value); });
    taken(message);
    return false;
}

model::Rejections StanProgram::rejections() const {
    const std::lock_guard lock(guard_);
    return rejections_;
}

double StanProgram::judged(int status, double value, char* message) const {
    if (status != 0)
        reject(taken(message));
    else if (!(value < infinity))
        reject(fmt::format("the log density is {}", value));
    else
        return value;
    return -infinity;
}

void StanProgram::reject(const std::string& why) const {
    const std::lock_guard lock(guard_);
    if (rejections_.number++ == 0)
        rejections_.first = why;
}

std::string StanProgram::taken(char* message) const {
    if (message == nullptr)
        return "for no stated reason";
    std::string text = message;
    functions_->free_error_msg(message);
    text.erase(text.find_last_not_of(" \n") + 1);
    return text;
}

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
