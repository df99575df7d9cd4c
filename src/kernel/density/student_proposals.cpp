#include "kernel/density/student_proposals.hpp"

#include "core/linear_algebra/linear_algebra.hpp"
#include "core/moments.hpp"
#include "kernel/density/density_entry.hpp"
#include "kernel/density/draws.hpp"

namespace pearlite::kernel {

namespace {

constexpr int steps_of_fit = 10;

Index numbers_of_component(Index d) {
    return 1 + d + d * d;
}

/// Components of equal weight along the longest axis of the shape, as far apart as a uniform distribution with that
/// variance reaches.
random::StudentMixture along_axis(const Shape& shape, Index components, double df) {
    const Matrix whole = shape.is_diagonal() ? Matrix(shape.factor().col(0).asDiagonal()) : shape.factor();
    const Matrix covariance = row_products(whole);
    const Matrix axes = symmetric_eigenvectors(covariance);
    const Vector longest = axes.col(axes.cols() - 1);
    const double reach = std::sqrt(3 * longest.dot(covariance * longest));
    // A t distribution of this scale has the covariance that is left to each component.
    const Matrix factor = std::sqrt((df - 2) / (df * static_cast<double>(components))) * whole;
    std::vector<random::StudentMixture::Component> starts;
    for (Index k = 0; k < components; ++k) {
        const double place = static_cast<double>(2 * k + 1) / static_cast<double>(components) - 1;
        starts.push_back({1, shape.mean() + reach * place * longest, factor});
    }
    return {std::move(starts), df};
}

/// Collective. The totals of a step's statistics, with weights relative to e^log_max.
std::vector<double> statistics(const parallel::Communicator& ranks, const population::Generation& generation,
                               double log_max, const random::StudentMixture& mixture) {
    population::BlockSums sums(mixture.statistics_size());
    std::vector<double> of_block;
    for (Index b = 0; b < generation.local_blocks(); ++b) {
        const auto& block = path::points_of(generation.block(b));
        const auto log_w = generation.of_block(generation.log_weights(), b);
        of_block.assign(mixture.statistics_size(), 0.0);
        for (Index i = 0; i < block.size(); ++i)
            if (const double w = std::exp(log_w[static_cast<std::size_t>(i)] - log_max); w > 0)
                mixture.add_statistics({block.points.col(i).data(), static_cast<std::size_t>(block.dimension())}, w,
                                       of_block);
        for (std::size_t k = 0; k < of_block.size(); ++k)
            sums.add(k, of_block[k]);
    }
    return sums.total(ranks);
}

} // namespace

// The kernel keeps it. NOLINTNEXTLINE(performance-unnecessary-value-param)
StudentProposals::StudentProposals(Path path, const MoveSettings& moves, const Matrix* learnt, const Family& family)
    : DensityKernel(path,
                    {.moves = moves,
                     .covariance = Covariance::full,
                     .extra_numbers = 1 + family.components * numbers_of_component(path->dimension())},
                    learnt),
      family_(family) {
    PEARLITE_EXPECTS(family.components >= 1 && family.degrees_of_freedom > 2);
}

void StudentProposals::prepare() {
    const auto numbers = extra();
    const auto stride = static_cast<std::size_t>(numbers_of_component(path().dimension()));
    std::size_t end = 1;
    while (end < numbers.size() && numbers[end] > 0)
        end += stride;
    mixture_.reset();
    if (end > 1)
        mixture_ = random::StudentMixture::from_values(numbers.first(end), path().dimension());
}

std::vector<double> StudentProposals::numbers_of(const random::StudentMixture& mixture, const Family& family) {
    auto numbers = mixture.values();
    numbers.resize(static_cast<std::size_t>(1 + family.components * numbers_of_component(mixture.dimension())), 0.0);
    return numbers;
}

void StudentProposals::learn_extra(const parallel::Communicator& ranks, const population::Generation& generation,
                                   const Shape& shape, std::span<double> out) {
    const double log_max = population::largest_log_weight(ranks, generation.layout(), generation.log_weights());
    const Index supported = generation.size() / (5 * (shape.dimension() + 1));
    auto mixture = along_axis(shape, std::clamp<Index>(supported, 1, family_.components), family_.degrees_of_freedom);
    for (int step = 0; step < steps_of_fit && log_max > -infinity; ++step)
        mixture = mixture.updated(statistics(ranks, generation, log_max, mixture));
    std::ranges::copy(numbers_of(mixture, family_), out.begin());
}

void StudentProposals::log_proposal(const model::DensityBlock& block, const Matrix& points, Vector& out) const {
    out.resize(block.size());
    mixture_->log_densities(points.leftCols(block.size()), {out.data(), static_cast<std::size_t>(block.size())});
}

void StudentProposals::begin_block(model::DensityBlock& block, double) const {
    PEARLITE_EXPECTS(mixture_.has_value());
    log_proposal(block, block.points, log_q_);
}

Index StudentProposals::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    block.proposals = block.points;
    for (Index i = 0; i < block.size(); ++i) {
        random::Stream stream(streams.at(random::Purpose::move, i));
        mixture_->draw(stream, {block.proposals.col(i).data(), static_cast<std::size_t>(block.dimension())});
    }
    log_proposal(block, block.proposals, proposed_log_q_);
    path().evaluate(block, block.proposals, b, block.proposed_log_prior, block.proposed_log_likelihood, streams);
    return accept_proposals(
        block, path().power(b), streams,
        [&](double change, Index i) { return change + log_q_(i) - proposed_log_q_(i); },
        [&](Index i) { log_q_(i) = proposed_log_q_(i); });
}

namespace {

class StudentFactory final : public DensityFactory {
  public:
    void keys(Keys& k) override { own_keys(k); }
    void own_keys(Keys& k) override {
        k("components", family_.components, within(1, 1000), "largest number of components of the Student mixture");
        k("degrees_of_freedom", family_.degrees_of_freedom, above(2).up_to(1e6), "degrees of freedom of that mixture");
    }
    std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                 const Matrix* learnt) const override {
        return std::make_unique<StudentProposals>(density_path(std::move(target)), moves, learnt, family_);
    }

  private:
    StudentProposals::Family family_;
};

} // namespace

KernelEntry student_proposals_entry() {
    return {.name = "student-mixture",
            .about = "independent draws from a Student mixture that is fitted to the population",
            .learns = true,
            .suits = [](const model::ModelTraits& traits) { return traits.continuous; },
            .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<StudentFactory>(); }};
}

} // namespace pearlite::kernel
