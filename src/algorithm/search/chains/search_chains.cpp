#include "algorithm/search/chains/search_chains.hpp"

#include "core/marks.hpp"
#include "core/select.hpp"
#include "pearlite/core/detail/point_error.hpp"

#include <fmt/format.h>

namespace pearlite::algorithm {

SearchChains::SearchChains(const parallel::Communicator& ranks, std::shared_ptr<const model::Space> space,
                           const SearchSettings& settings)
    : ranks_(ranks),
      space_(std::move(space)),
      operations_(space_->operations()),
      settings_(settings),
      layout_(settings.chains, 1, ranks.size(), ranks.rank()),
      first_(layout_.first_local_item()),
      n_(at(layout_.local_items())),
      chains_(space_->make_chains(layout_.local_items())),
      planner_(settings),
      exponentials_ahead_(random::fill_exponential_steps, address_of(random::Purpose::accept, first_, 0),
                          chains_->padded_size()),
      exchange_(ranks_, layout_, chains_->packed_bytes()),
      finds_(chains_->packed_bytes()) {
    const auto padded = at(chains_->padded_size());
    for (auto* values : {&energies_, &proposals_.energies, &proposals_.log_ratios})
        values->assign(padded, 0.0);
    accepted_.assign(padded, 0);
    active_.assign(padded, 0);
    meeting_.assign(padded, -1);
    regions_.assign(padded, 0);
    proposed_regions_.assign(padded, 0);
}

template <class Work>
void SearchChains::guard(Index iteration, const Work& work) {
    failure_.guard(ranks_, [&] {
        try {
            work();
        } catch (const PointError& error) {
            error.throw_at(fmt::format("iteration {}, chain {}", iteration, first_ + error.point()));
        }
    });
}

std::vector<double> SearchChains::draw_start() {
    guard(0, [&] {
        space_->draw_start(*chains_, streams(0));
        evaluate();
    });
    auto all = ranks_.all_gather(std::span<const double>(energies_).first(n_));
    failure_.agree(ranks_);
    return all;
}

void SearchChains::begin_regions(const model::EnergyPartition& partition, Index step) {
    finds_.begin_regions(partition.regions());
    find_regions(partition);
    for (std::size_t i = 0; i < n_; ++i)
        note_find(i, step);
}

void SearchChains::find_regions(const model::EnergyPartition& partition) {
    std::transform(energies_.begin(), energies_.begin() + layout_.local_items(), regions_.begin(),
                   [&](double energy) { return partition.region(energy); });
}

void SearchChains::find_regions_again(const model::EnergyPartition& partition) {
    finds_.check(layout_.size(), partition.regions());
    find_regions(partition);
}

void SearchChains::sample(const SearchMove& move, const SearchMemory& memory, const Reports& reports) {
    if (move.step % iterations_remembered == 1 && space_->forgets())
        forget(memory);
    switch (operation(move).kind) {
    case model::Operation::Kind::mutation:
        mutate(move, memory);
        break;
    case model::Operation::Kind::partner:
        meet_partners(move, memory);
        break;
    case model::Operation::Kind::pair:
        meet_in_pairs(move, memory);
        break;
    }
    if (!failure_.happened())
        take_accepted(move, reports);
}

void SearchChains::copy_chains(std::span<const std::int64_t> parents, const SearchMemory& memory) {
    need_partners(1);
    exchange_.fetch(*space_, *chains_, std::array{PartnerFetch{parents, *partners_[0]}});
    std::vector<Index> source(n_, -1);
    for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t chain = at(first_) + i;
        if (parents[chain] < 0)
            continue;
        source[i] = static_cast<Index>(i);
        energies_[i] = memory.energies()[chain];
        regions_[i] = memory.region(chain);
    }
    space_->copy_states(*partners_[0], source, *chains_);
    if (space_->forgets()) // a copy from another rank comes without its parent's history
        forget(memory);
}

void SearchChains::describe(SearchOutcome& outcome) const {
    const auto all = finds_.gathered(ranks_, layout_);
    outcome.best = all.best();
    outcome.region_states = all.states();
}

void SearchChains::fields(Fields& f) {
    auto finds = f.is_reading() ? finds_ : finds_.gathered(ranks_, layout_);
    finds.fields(f);
    const std::size_t bytes = chains_->packed_bytes();
    ShardedField states{ItemType::bytes, bytes, layout_.size(), first_, layout_.local_items(), {}, {}};
    states.pack = [this, bytes](Index first, Index count, std::span<std::byte> out) {
        for (Index i = 0; i < count; ++i)
            chains_->pack(first + i, out.subspan(at(i) * bytes, bytes));
    };
    states.unpack = [this, bytes](Index first, Index count, std::span<const std::byte> in) {
        for (Index i = 0; i < count; ++i)
            chains_->unpack(first + i, in.subspan(at(i) * bytes, bytes));
    };
    f.sharded("chains", states);
    if (!f.is_reading())
        return;
    finds_ = std::move(finds);
    guard(0, [&] { evaluate(); });
    failure_.agree(ranks_);
}

void SearchChains::forget(const SearchMemory& memory) {
    guard(0, [&] {
        space_->forget(*chains_);
        evaluate();
        find_regions(memory.partition());
    });
}

void SearchChains::evaluate() {
    space_->evaluate(*chains_, energies_);
    for (std::size_t i = 0; i < n_; ++i)
        require_number(energies_[i], i, 0);
}

void SearchChains::refuse(std::size_t local, Index step) const {
    throw NumericalError("the energy of chain " + std::to_string(first_ + static_cast<Index>(local)) +
                         " is not a number in iteration " + std::to_string(step));
}

void SearchChains::mutate(const SearchMove& move, const SearchMemory& memory) {
    guard(move.step, [&] {
        space_->mutate(*chains_, move.operation, memory.scale(move.operation), energies_, streams(move.step),
                       proposals_);
        take_part({});
        accept_one_by_one(move, memory);
    });
}

void SearchChains::meet_partners(const SearchMove& move, const SearchMemory& memory) {
    const auto& plan = planner_.partners(memory.energies(), operation(move).partners, operation(move).by_energy,
                                         order_address(move), address_of(random::Purpose::partner, 0, move.step));
    meet(plan, operation(move).partners);
    guard(move.step, [&] {
        cross(move, memory);
        accept_one_by_one(move, memory);
    });
}

void SearchChains::meet_in_pairs(const SearchMove& move, const SearchMemory& memory) {
    const auto& plan = planner_.pairs(memory.energies(), order_address(move));
    meet(plan, 1);
    guard(move.step, [&] {
        cross(move, memory);
        find_proposed_regions(move, memory);
    });
    const auto children = exchange_.gather_children(proposals_, proposed_regions_);
    guard(move.step, [&] { accept_pairs(move, memory, plan, children); });
}

void SearchChains::need_partners(int n) {
    while (partners_.size() < static_cast<std::size_t>(n))
        partners_.push_back(space_->make_chains(layout_.local_items()));
}

void SearchChains::meet(const MeetingPlan& plan, int n_partners) {
    take_part(std::span(plan.active).subspan(at(first_), n_));
    std::copy_n(plan.meeting.begin() + first_, n_, meeting_.begin());
    need_partners(n_partners);
    const PartnerFetch first{plan.first, *partners_[0]};
    if (n_partners == 2)
        exchange_.fetch(*space_, *chains_, std::array{first, PartnerFetch{plan.second, *partners_[1]}});
    else
        exchange_.fetch(*space_, *chains_, std::array{first});
}

void SearchChains::cross(const SearchMove& move, const SearchMemory& memory) {
    model::Partners<Block> partners;
    for (const auto& all : partners_)
        partners.add(*all);
    space_->cross(*chains_, partners, move.operation, {active_, meeting_}, memory.scale(move.operation), energies_,
                  streams(move.step), proposals_);
}

void SearchChains::take_part(std::span<const std::uint8_t> active) {
    if (active.empty() && taking_part_.size() == n_)
        return; // as in the last operation, and accepting says of every chain that takes part whether it is accepted
    taking_part_.resize(n_);
    std::size_t n = 0;
    for (std::size_t i = 0; i < n_; ++i) { // without branches: active chains are random
        const std::uint8_t is_active = active.empty() ? 1 : active[i];
        active_[i] = is_active;
        accepted_[i] = 0;
        taking_part_[n] = i;
        n += is_active != 0 ? 1 : 0;
    }
    taking_part_.resize(n);
}

void SearchChains::find_proposed_regions(const SearchMove& move, const SearchMemory& memory) {
    const model::EnergyPartition::Finder region_of(memory.partition());
    for (const std::size_t i : taking_part_) {
        const double energy = proposals_.energies[i];
        require_number(energy, i, move.step);
        proposed_regions_[i] = region_of(energy);
    }
}

void SearchChains::accept_one_by_one(const SearchMove& move, const SearchMemory& memory) {
    const auto log_acceptance = memory.acceptance(move.temperature);
    const model::EnergyPartition::Finder region_of(memory.partition());
    const auto exponentials = exponentials_ahead_.at(move.step);
    const std::size_t* const taking_part = taking_part_.data();
    const std::size_t n = taking_part_.size(), first = at(first_);
    const auto accept = [&](auto is_accepted) {
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = taking_part[k];
            const double energy = proposals_.energies[i];
            require_number(energy, i, move.step);
            const Index region = region_of(energy);
            proposed_regions_[i] = region;
            accepted_[i] = is_accepted(exponentials[i], log_acceptance(first + i, energies_[i], regions_[i], energy,
                                                                       region, proposals_.log_ratios[i]));
        }
    };
    if (operation(move).heat_bath)
        accept([](double exponential, double log_alpha) { return exponential >= softplus(-log_alpha); });
    else
        accept([](double exponential, double log_alpha) { return log_alpha >= -exponential; });
}

void SearchChains::accept_pairs(const SearchMove& move, const SearchMemory& memory, const MeetingPlan& plan,
                                std::span<const Child> children) {
    const auto log_acceptance = memory.acceptance(move.temperature);
    const auto exponentials = exponentials_ahead_.at(move.step);
    for (const std::size_t i : taking_part_) {
        const auto one = at(plan.meeting[at(first_) + i]), other = at(plan.first[one]);
        const bool is_here = one >= at(first_);
        if (is_here && one < at(first_) + i) {
            accepted_[i] = accepted_[one - at(first_)];
            continue;
        }
        const double exponential =
            is_here
                ? exponentials[i]
                : random::Stream(address_of(random::Purpose::accept, static_cast<Index>(one), move.step)).exponential();
        accepted_[i] = log_acceptance_of_pair(memory, log_acceptance, settings_, children, one, other) >= -exponential;
    }
}

void SearchChains::take_accepted(const SearchMove& move, const Reports& reports) {
    space_->accept(*chains_, accepted_);
    std::copy(active_.begin(), active_.end(), reports.is_active);
    std::copy(accepted_.begin(), accepted_.end(), reports.is_accepted);
    std::copy_n(regions_.data(), n_, reports.proposed_regions);
    for (const std::size_t i : taking_part_)
        reports.proposed_regions[i] =
            static_cast<std::int32_t>(select(proposals_.energies[i] < infinity, proposed_regions_[i], regions_[i]));
    for_each_marked(accepted_.data(), n_, [&](std::size_t i) {
        energies_[i] = proposals_.energies[i];
        regions_[i] = proposed_regions_[i];
        note_find(i, move.step);
    });
    std::copy_n(energies_.data(), n_, reports.energies);
}

void SearchChains::note_find(std::size_t i, Index step) {
    if (finds_.is_new(energies_[i], regions_[i]))
        finds_.note(energies_[i], regions_[i], step, first_ + static_cast<Index>(i),
                    [&](std::span<std::byte> out) { chains_->pack(static_cast<Index>(i), out); });
}

} // namespace pearlite::algorithm
