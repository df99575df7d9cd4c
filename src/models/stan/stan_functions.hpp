#pragma once
/// The functions of BridgeStan's C interface, version 2, found by name in a shared library
/// (https://roualdes.us/bridgestan: "C API").

#include <filesystem>

namespace pearlite::models {

/// Models and generators are the library's own objects. A function that returns an int gives 0, or else a message that
/// free_error_msg() frees.
struct StanFunctions {
    void* (*model_construct)(const char* data, unsigned seed, char** message) = nullptr;
    void (*model_destruct)(void* model) = nullptr;
    void (*free_error_msg)(char* message) = nullptr;
    const char* (*name)(const void* model) = nullptr;
    const char* (*model_info)(const void* model) = nullptr;
    const char* (*param_names)(const void* model, bool transformed, bool generated) = nullptr;
    const char* (*param_unc_names)(const void* model) = nullptr;
    int (*param_num)(const void* model, bool transformed, bool generated) = nullptr;
    int (*param_unc_num)(const void* model) = nullptr;
    int (*param_constrain)(const void* model, bool transformed, bool generated, const double* x, double* out, void* rng,
                           char** message) = nullptr;
    int (*param_unconstrain)(const void* model, const double* constrained, double* x, char** message) = nullptr;
    int (*log_density)(const void* model, bool propto, bool jacobian, const double* x, double* value,
                       char** message) = nullptr;
    int (*log_density_gradient)(const void* model, bool propto, bool jacobian, const double* x, double* value,
                                double* gradient, char** message) = nullptr;
    void* (*rng_construct)(unsigned seed, char** message) = nullptr;
    void (*rng_destruct)(void* rng) = nullptr;

    /// Loads the library, for the life of the process. InputError if it cannot be loaded, lacks one of these functions,
    /// or has another version of the interface. The program's own output goes to the standard error stream.
    explicit StanFunctions(const std::filesystem::path& library);
};

} // namespace pearlite::models
