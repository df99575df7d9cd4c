#include "kernel/density/slice.hpp"

#include "kernel/density/density_entry.hpp"
#include "kernel/density/draws.hpp"

namespace pearlite::kernel {

namespace {

using Direction = Brackets::Direction;

/// In standard deviations: about the mean width of the slices of a normal distribution.
constexpr double first_width = 3;
constexpr Index most_candidates = 100;

/// The uses of a particle's uniforms, in their order; the uniforms of the candidates come after these.
enum Use : Index { of_level, of_place, of_division, of_coordinate, n_uses };

} // namespace

Slice::Slice(Path path, const MoveSettings& moves, const Matrix* learnt, Covariance covariance,
             const Brackets& brackets)
    : DensityKernel(std::move(path), {moves, covariance, brackets.width.value_or(first_width)}, learnt),
      brackets_(brackets) {
    PEARLITE_EXPECTS(!this->path().is_estimated() && brackets.most_widths >= 1 && scale() > 0);
    prepare();
}

void Slice::prepare() {
    const auto& shape = proposal_shape();
    deviations_ = shape.is_diagonal() ? Vector(shape.factor().col(0)) : Vector(shape.factor().rowwise().norm());
}

void Slice::draw_directions(model::DensityBlock& block, const model::BlockStreams& streams) const {
    const Index d = block.dimension();
    if (brackets_.direction == Direction::coordinate) {
        block.normals.setZero();
        for (Index i = 0; i < block.size(); ++i) {
            const double place = uniform(block, streams, of_coordinate, i) * static_cast<double>(d);
            const Index j = std::min(static_cast<Index>(place), d - 1);
            block.normals(j, i) = deviations_(j);
        }
        return;
    }
    draw_normals(block, streams);
    for (Index i = 0; i < block.size(); ++i)
        block.normals.col(i).normalize();
    proposal_shape().scale(block.normals, block.proposals);
    block.normals.swap(block.proposals);
}

double Slice::uniform(const model::DensityBlock& block, const model::BlockStreams& streams, Index k, Index i) const {
    const auto n = static_cast<std::size_t>(block.padded_size()), at = static_cast<std::size_t>(k) * n;
    if (uniforms_.size() <= at) {
        // The first ones are drawn once more, and are the same.
        uniforms_.resize(std::max(2 * uniforms_.size(), 2 * n * n_uses));
        draw_uniforms(block, streams, uniforms_);
    }
    return uniforms_[at + static_cast<std::size_t>(i)];
}

void Slice::open(Search& search, double log_density, double of_level, double of_place, double of_division) const {
    search = {};
    search.stage = Search::Stage::stepping_down;
    search.level = log_density + std::log(of_level);
    search.lower = -scale() * of_place;
    search.upper = search.lower + scale();
    const auto steps = static_cast<double>(brackets_.most_widths);
    search.below = std::min(static_cast<Index>(of_division * steps), brackets_.most_widths - 1);
    search.above = brackets_.most_widths - 1 - search.below;
}

void Slice::choose(Search& search, const model::DensityBlock& block, const model::BlockStreams& streams,
                   Index i) const {
    using Stage = Search::Stage;
    if (search.stage == Stage::stepping_down && search.below == 0)
        search.stage = Stage::stepping_up;
    if (search.stage == Stage::stepping_up && search.above == 0)
        search.stage = Stage::shrinking;
    if (search.stage == Stage::shrinking && search.candidates == most_candidates)
        search.stage = Stage::ended;
    if (search.stage == Stage::stepping_down)
        search.t = search.lower;
    else if (search.stage == Stage::stepping_up)
        search.t = search.upper;
    else if (search.stage == Stage::shrinking)
        search.t =
            search.lower + uniform(block, streams, n_uses + search.candidates++, i) * (search.upper - search.lower);
    else
        search.t = 0;
}

bool Slice::look(Search& search, double log_density) const {
    using Stage = Search::Stage;
    const bool inside = log_density > search.level;
    if (search.stage == Stage::stepping_down) {
        search.lower -= inside ? scale() : 0;
        search.below = inside ? search.below - 1 : 0;
    } else if (search.stage == Stage::stepping_up) {
        search.upper += inside ? scale() : 0;
        search.above = inside ? search.above - 1 : 0;
    } else if (search.stage == Stage::shrinking) {
        if (inside) {
            search.stage = Stage::ended;
            return true;
        }
        (search.t < 0 ? search.lower : search.upper) = search.t;
    }
    return false;
}

Index Slice::transition(model::DensityBlock& block, double b, const model::BlockStreams& streams) const {
    const double power = path().power(b);
    uniforms_.clear();
    draw_directions(block, streams);
    block.proposals = block.points;
    searches_.resize(static_cast<std::size_t>(block.size()));
    for (Index i = 0; i < block.size(); ++i)
        open(searches_[static_cast<std::size_t>(i)], block.log_prior(i) + tempered(power, block.log_likelihood(i)),
             uniform(block, streams, of_level, i), uniform(block, streams, of_place, i),
             uniform(block, streams, of_division, i));
    Index accepted = 0;
    for (;;) {
        bool all_ended = true;
        for (Index i = 0; i < block.size(); ++i) {
            auto& search = searches_[static_cast<std::size_t>(i)];
            choose(search, block, streams, i);
            all_ended = all_ended && search.stage == Search::Stage::ended;
            block.proposals.col(i) = block.points.col(i) + search.t * block.normals.col(i);
        }
        if (all_ended)
            return accepted;
        path().evaluate(block, block.proposals, b, block.proposed_log_prior, block.proposed_log_likelihood, streams);
        for (Index i = 0; i < block.size(); ++i) {
            auto& search = searches_[static_cast<std::size_t>(i)];
            if (!look(search, block.proposed_log_prior(i) + tempered(power, block.proposed_log_likelihood(i))))
                continue;
            block.points.col(i) = block.proposals.col(i);
            block.log_prior(i) = block.proposed_log_prior(i);
            block.log_likelihood(i) = block.proposed_log_likelihood(i);
            accepted += search.candidates == 1;
        }
    }
}

namespace {

class SliceFactory final : public DensityFactory {
  public:
    void own_keys(Keys& k) override {
        k("direction", brackets_.direction,
          {{"hit-and-run", Direction::hit_and_run, "a random one in the shape of the population"},
           {"coordinate", Direction::coordinate, "a coordinate, drawn for each move"}},
          "the line on which a particle moves");
        k("width", brackets_.width, above(0).up_to(1e6),
          "width of a bracket in standard deviations of the population; left out: 3 at first, then tuned");
        k("most_widths", brackets_.most_widths, within(1, 1000), "largest length of a bracket, in widths");
    }
    std::unique_ptr<Kernel> make(std::shared_ptr<const model::Target> target, const MoveSettings& moves,
                                 const Matrix* learnt) const override {
        return std::make_unique<Slice>(density_path(std::move(target)), moves, learnt, covariance(), brackets_);
    }

  private:
    Brackets brackets_;
};

} // namespace

KernelEntry slice_entry() {
    return {
        .name = "slice",
        .about = "slice sampling along lines",
        .learns = true,
        .suits = [](const model::ModelTraits& traits) { return traits.continuous && !traits.has_estimated_likelihood; },
        .factory = []() -> std::shared_ptr<KernelFactory> { return std::make_shared<SliceFactory>(); }};
}

} // namespace pearlite::kernel
