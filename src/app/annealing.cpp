#include "pearlite/app/annealing.hpp"

#include "pearlite/io/digest.hpp"

#include <utility>

namespace pearlite::app {

namespace {

class AnnealedModel final : public BuiltModel {
  public:
    explicit AnnealedModel(std::shared_ptr<const model::Target> target) : target_(std::move(target)) {}

    std::string fingerprint() const override {
        io::Sha256 hash;
        model::Fingerprint sink([&](std::span<const std::byte> bytes) { hash.add(bytes); });
        target_->fingerprint(sink);
        return hash.finish_hex();
    }
    std::size_t packed_particle_bytes() const override { return target_->particle_bytes(); }
    std::shared_ptr<const model::Target> target() const override { return target_; }

  private:
    std::shared_ptr<const model::Target> target_;
};

} // namespace

std::unique_ptr<BuiltModel> annealed(std::shared_ptr<const model::Target> target) {
    return std::make_unique<AnnealedModel>(std::move(target));
}

} // namespace pearlite::app
