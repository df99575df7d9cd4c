#include "app/sweep/dealer.hpp"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

namespace pearlite::app {

namespace {

/// The first word of a letter. To rank 0: `ask`; `ended_run`, place, whether it failed, microseconds; `stop`, reason;
/// `done`. From rank 0: `runs`, places ...; `stop`, reason; `done`.
enum Subject : Index { ask, ended_run, runs, stop, done };

/// A group works so many times as long as rank 0 may be silent before it asks again.
constexpr double work_per_silence = 10;
/// The share of the longest silence that still counts after the next one.
constexpr double memory_of_silences = 0.9;
constexpr auto pause = std::chrono::milliseconds(1);

} // namespace

Dealer::Dealer(const parallel::Communicator& ranks, std::vector<int> leaders, std::vector<double> costs)
    : ranks_(ranks), mailbox_(ranks), leaders_(std::move(leaders)), costs_(std::move(costs)) {
    const auto own = std::find(leaders_.begin(), leaders_.end(), ranks.rank());
    const auto first_runs = static_cast<Index>(std::min(leaders_.size(), costs_.size()));
    if (own != leaders_.end()) {
        group_ = static_cast<int>(own - leaders_.begin());
        if (group_ < first_runs)
            dealt_.push_back(group_);
    }
    paces_.resize(leaders_.size());
    next_ = first_runs;
    cost_left_ = std::accumulate(costs_.begin() + next_, costs_.end(), 0.0);
}

std::optional<Index> Dealer::next() {
    while (serve() == 0) {
        if (!dealt_.empty()) {
            const Index place = dealt_.front();
            dealt_.pop_front();
            return place;
        }
        if (none_is_left_)
            return {};
        if (!std::exchange(has_asked_, true))
            mailbox_.post(0, {ask});
        else if (!ranks_.is_root())
            std::this_thread::sleep_for(pause);
    }
    return {};
}

void Dealer::ended(Index place, bool has_failed, double seconds) {
    mailbox_.post(0, {ended_run, place, has_failed ? 1 : 0, std::llround(1e6 * seconds)});
}

void Dealer::raise_stop(Index reason) {
    mailbox_.post(0, {stop, reason});
}

Index Dealer::serve() {
    if (group_ < 0)
        return 0;
    if (ranks_.is_root())
        note_silence();
    while (const auto letter = mailbox_.take())
        read(*letter);
    return count_.stop;
}

void Dealer::note_silence() {
    const auto now = Clock::now();
    const double silence = std::chrono::duration<double>(now - served_).count();
    longest_silence_ = std::max(silence, memory_of_silences * longest_silence_);
    served_ = now;
}

void Dealer::read(const parallel::Mailbox::Letter& letter) {
    const auto& words = letter.words;
    switch (words.at(0)) {
    case ask:
        deal(group_led_by(letter.from));
        break;
    case ended_run: {
        auto& pace = paces_.at(at(group_led_by(letter.from)));
        const double cost = costs_.at(at(words.at(1)));
        ++(words.at(2) != 0 ? count_.failed : count_.finished);
        done_cost_ += cost;
        pace.cost += cost;
        pace.seconds += 1e-6 * static_cast<double>(words.at(3));
        break;
    }
    case runs:
        has_asked_ = false;
        none_is_left_ = words.size() == 1;
        dealt_.insert(dealt_.end(), words.begin() + 1, words.end());
        break;
    case stop:
        if (ranks_.is_root())
            spread_stop(words.at(1));
        else
            count_.stop = std::max(count_.stop, words.at(1));
        break;
    case done:
        if (ranks_.is_root())
            ++closed_groups_;
        else
            may_leave_ = true;
        break;
    }
}

void Dealer::spread_stop(Index reason) {
    if (reason <= count_.stop)
        return;
    count_.stop = reason;
    for (const int leader : leaders_)
        if (leader != 0)
            mailbox_.post(leader, {stop, reason});
}

int Dealer::group_led_by(int rank) const {
    return static_cast<int>(std::find(leaders_.begin(), leaders_.end(), rank) - leaders_.begin());
}

void Dealer::deal(int group) {
    const auto& pace = paces_.at(at(group));
    const double fair = cost_left_ / (2 * static_cast<double>(leaders_.size()));
    const double busy = work_per_silence * longest_silence_ * pace.cost / std::max(pace.seconds, 1e-9);
    const double wanted = group == 0 ? 0 : std::min(fair, busy); // rank 0 answers itself at once
    std::vector<Index> words{runs};
    for (double cost = 0; next_ < std::ssize(costs_) && (words.size() == 1 || cost < wanted); ++next_) {
        words.push_back(next_);
        cost += costs_[at(next_)];
        cost_left_ -= costs_[at(next_)];
    }
    mailbox_.post(leaders_.at(at(group)), std::move(words));
}

void Dealer::close(const std::function<void()>& look) {
    if (group_ >= 0)
        mailbox_.post(0, {done});
    if (ranks_.is_root()) {
        while (serve(), closed_groups_ < leaders_.size()) {
            std::this_thread::sleep_for(pause);
            look();
        }
        for (const int leader : leaders_)
            if (leader != 0)
                mailbox_.post(leader, {done});
    } else if (group_ >= 0) {
        while (serve(), !may_leave_)
            std::this_thread::sleep_for(pause);
    }
    ranks_.all_arrive(std::numeric_limits<double>::infinity());
    ranks_.broadcast(std::span(&count_, 1));
}

} // namespace pearlite::app
