#include "kernel/density/kernel_mixture.hpp"

#include "kernel/density/density_entry.hpp"

#include <fmt/format.h>

#include <numeric>

namespace pearlite::kernel {

namespace {

Index numbers_of(const std::vector<KernelMixture::Part>& parts) {
    Index n = 0;
    for (const auto& part : parts)
        n += 1 + part.kernel->extra_numbers();
    return n;
}

double sum_of_shares(const std::vector<KernelMixture::Part>& parts) {
    return std::accumulate(parts.begin(), parts.end(), 0.0,
                           [](double sum, const auto& part) { return sum + part.share; });
}

} // namespace

KernelMixture::KernelMixture(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
                             std::vector<Part> parts)
    : DensityKernel(std::move(path), {.moves = moves, .covariance = covariance, .extra_numbers = numbers_of(parts)},
                    learnt),
      parts_(std::move(parts)) {
    PEARLITE_EXPECTS(!parts_.empty());
    for_each_part(extra(), [](const Part& part, std::span<double> numbers) { numbers[0] = part.kernel->scale(); });
    forget_tally();
    prepare();
}

KernelMixture::KernelMixture(const KernelMixture& other)
    : DensityKernel(other), ranks_(other.ranks_), tally_(other.tally_) {
    for (const auto& part : other.parts_) {
        auto copy = part.kernel->clone();
        parts_.push_back({std::unique_ptr<DensityKernel>(&dynamic_cast<DensityKernel&>(*copy.release())), part.share});
    }
}

template <class Visit>
void KernelMixture::for_each_part(std::span<double> extra, const Visit& visit) const {
    for (const auto& part : parts_) {
        const auto n = static_cast<std::size_t>(1 + part.kernel->extra_numbers());
        visit(part, extra.first(n));
        extra = extra.subspan(n);
    }
}

void KernelMixture::forget_tally() const {
    tally_.assign(2 * parts_.size(), 0);
}

void KernelMixture::prepare() {
    for_each_part(extra(), [&](const Part& part, std::span<const double> numbers) {
        part.kernel->set(proposal_shape(), numbers[0], numbers.subspan(1));
    });
}

double KernelMixture::evaluations_per_move() const {
    double sum = 0;
    for (const auto& part : parts_)
        sum += part.share * part.kernel->evaluations_per_move();
    return sum / sum_of_shares(parts_);
}

void KernelMixture::learn_extra(const parallel::Communicator& ranks, const population::Generation& generation,
                                const Shape& shape, std::span<double> out) {
    ranks_ = ranks;
    forget_tally();
    for_each_part(out, [&](const Part& part, std::span<double> numbers) {
        part.kernel->learn_extra(ranks, generation, shape, numbers.subspan(1));
    });
}

bool KernelMixture::tunes_scale() const {
    return std::any_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.kernel->tunes_scale(); });
}

void KernelMixture::tune_scale(double) {
    if (!tunes_scale())
        return;
    PEARLITE_EXPECTS(ranks_.has_value());
    ranks_->sum(tally_);
    std::size_t k = 0;
    for_each_part(extra(), [&](const Part& part, std::span<double> numbers) {
        const auto proposals = static_cast<double>(tally_[k]), accepted = static_cast<double>(tally_[k + 1]);
        if (proposals > 0)
            part.kernel->tune_scale(accepted / proposals);
        numbers[0] = part.kernel->scale();
        k += 2;
    });
    forget_tally();
}

void KernelMixture::begin_block(model::DensityBlock&, double) const {
    begun_ = nullptr;
}

Index KernelMixture::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    random::Stream stream(streams.shared(random::Purpose::kernel_choice));
    double place = stream.uniform() * sum_of_shares(parts_);
    std::size_t k = 0;
    while (k + 1 < parts_.size() && place >= parts_[k].share)
        place -= parts_[k++].share;
    const auto& kernel = *parts_[k].kernel;
    if (begun_ != &kernel)
        kernel.begin_block(block, b);
    begun_ = &kernel;
    const Index accepted = kernel.transition(block, b, streams);
    tally_[2 * k] += block.size();
    tally_[2 * k + 1] += accepted;
    return accepted;
}

namespace {

constexpr const char* own_name = "mixture";

/// The keys of a mixture, then those of its parts.
class MixtureFactory final : public DensityFactory {
  public:
    void suit(const model::ModelTraits& traits) override {
        candidates_.clear();
        for (const auto& entry : kernels_for(traits))
            if (entry.name != own_name)
                if (auto factory = std::dynamic_pointer_cast<DensityFactory>(entry.factory()))
                    candidates_.push_back({entry.name, std::move(factory)});
    }
    std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                 const Matrix* learnt) const override {
        std::vector<KernelMixture::Part> parts;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            auto kernel = candidate(kinds_[k])->make(target, moves, nullptr);
            parts.push_back({std::unique_ptr<DensityKernel>(&dynamic_cast<DensityKernel&>(*kernel.release())),
                             shares_ ? (*shares_)[k] : 1});
        }
        return std::make_unique<KernelMixture>(density_path(std::move(target)), moves, learnt, covariance(),
                                               std::move(parts));
    }

    void own_keys(Keys& k) override {
        std::vector<std::string> names;
        for (const auto& each : candidates_)
            names.push_back(each.name);
        k("kinds", kinds_, names, about("kernels that take turns at random").must_be_given());
        k("shares", shares_, "share of the moves of each kind; equal shares if left out");
        if (shares_ && (shares_->size() != kinds_.size() ||
                        std::any_of(shares_->begin(), shares_->end(), [](double share) { return !(share > 0); }))) {
            k.error("shares", fmt::format("expected {} numbers above 0, one for each of the kinds", kinds_.size()));
            shares_.reset();
        }
        keep_one_trajectory(k);
        for (const auto& each : candidates_)
            k.when("kinds has " + each.name, has(each.name), [&] { each.factory->own_keys(k); });
    }

  private:
    struct Candidate {
        std::string name;
        std::shared_ptr<DensityFactory> factory;
    };
    /// Kernels of trajectories have keys of the same names with other defaults.
    void keep_one_trajectory(Keys& k) {
        std::string kept;
        for (const auto* name : {"hmc", "mala", "riemannian-hmc"}) {
            if (!has(name))
                continue;
            if (!kept.empty()) {
                k.error("kinds",
                        fmt::format("got \"{}\" and \"{}\", which share keys; expected one of them", kept, name));
                std::erase(kinds_, name);
            } else {
                kept = name;
            }
        }
    }
    bool has(const std::string& name) const { return std::find(kinds_.begin(), kinds_.end(), name) != kinds_.end(); }
    const DensityFactory* candidate(const std::string& name) const {
        const auto found = std::find_if(candidates_.begin(), candidates_.end(),
                                        [&](const Candidate& each) { return each.name == name; });
        PEARLITE_EXPECTS(found != candidates_.end());
        return found->factory.get();
    }

    std::vector<Candidate> candidates_;
    std::vector<std::string> kinds_;
    std::optional<std::vector<double>> shares_;
};

} // namespace

KernelEntry kernel_mixture_entry() {
    return {.name = own_name,
            .about = "several kernels that take turns at random",
            .learns = true,
            .suits = [](const model::ModelTraits& traits) { return traits.continuous; },
            .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<MixtureFactory>(); }};
}

} // namespace pearlite::kernel
