#pragma once
/// A Stan program as a joint density over its unconstrained parameters.

#include "models/stan/stan_program.hpp"
#include "target/joint_functions.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pearlite::models {

/// Identifies a Stan program and its data.
struct StanIdentity {
    std::string library, data; ///< the bytes of both; the data are also described by their names
};

class StanDensity final : public model::JointFunctions {
  public:
    /// `with_generated`: reports the program's generated quantities, too.
    StanDensity(std::shared_ptr<const StanProgram> program, bool with_generated, const StanIdentity& identity);

    const std::vector<std::string>& coordinate_names() const override { return program_->coordinate_names(); }
    void log_densities(const Matrix& points, Index n, Vector& out) const override;
    bool has_gradient() const override { return true; }
    void log_densities(const Matrix& points, Index n, Vector& out, Matrix& gradient) const override;
    void fingerprint(model::Fingerprint& fingerprint) const override { fingerprint.add(identity_); }

  private:
    std::shared_ptr<const StanProgram> program_;
    std::string identity_;
};

} // namespace pearlite::models
