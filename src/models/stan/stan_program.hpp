#pragma once
/// A Stan program, compiled to a shared library with BridgeStan's C interface, version 2, and its data.

#include "pearlite/model/detail/density_functions.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace pearlite::models {

struct StanFunctions;

/// Coordinates are the program's unconstrained parameters, d of them; log densities have all constants and the Jacobian
/// of the transformation to them.
class StanProgram {
  public:
    /// `data`: JSON as CmdStan reads it, or empty; `seed`: of random numbers in transformed data. InputError if the
    /// library is no library, lacks a function of the interface, or has another version of it, and if the program
    /// rejects the data or has no parameters.
    StanProgram(const std::filesystem::path& library, const std::string& data, unsigned seed);
    ~StanProgram();
    StanProgram(const StanProgram&) = delete;
    StanProgram& operator=(const StanProgram&) = delete;

    const std::string& name() const { return name_; }
    /// Versions and options that the library was compiled with.
    const std::string& build() const { return build_; }
    /// d names: "theta[2]", "omega[1,2]"; those of simplexes are fewer than their constrained parameters.
    const std::vector<std::string>& coordinate_names() const { return coordinate_names_; }
    /// Names of the parameters alone: "theta[2]", "omega[1,2]".
    std::vector<std::string> parameter_names() const;
    /// Names of the parameters, the transformed parameters, and the generated quantities if they are asked for.
    std::vector<std::string> quantity_names(bool with_generated) const;

    /// -infinity at a point that the program rejects: it throws an exception, or gives NaN or +infinity.
    double log_density(std::span<const double> x) const;
    /// The same, and its gradient (d).
    double log_density(std::span<const double> x, std::span<double> gradient) const;
    /// The quantities of that name list at x; generated ones by random numbers of this seed. NaN where the program
    /// rejects the point.
    void quantities(std::span<const double> x, bool with_generated, std::uint32_t seed, std::span<double> out) const;

    /// The coordinates (d) at which the parameters have these values; false if they violate the constraints, or the
    /// coordinates are not finite, as on the border of the support.
    bool unconstrain(std::span<const double> parameters, std::span<double> x) const;

    model::Rejections rejections() const;

  private:
    /// The log density that a call with this status and message gave.
    double judged(int status, double value, char* message) const;
    void reject(const std::string& why) const;
    std::string taken(char* message) const;

    std::unique_ptr<const StanFunctions> functions_;
    void* model_ = nullptr;
    std::string name_, build_;
    std::vector<std::string> coordinate_names_;
    mutable std::mutex guard_;
    mutable model::Rejections rejections_;
};

// The functions of BridgeStan's C interface, version 2, found by name in a shared library
// (https://roualdes.us/bridgestan: "C API").

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
