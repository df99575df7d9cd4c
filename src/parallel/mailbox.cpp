#include "parallel/mailbox.hpp"

#include "parallel/communicator_implementation.hpp"

#include <deque>
#include <exception>
#include <list>
#include <utility>

namespace pearlite::parallel {

struct Mailbox::Implementation {
    /// A letter on its way; its words must stay until MPI has sent them.
    struct Sent {
        std::vector<Index> words;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    Communicator ranks;
    std::deque<Letter> own; ///< letters to this rank itself
    std::list<Sent> sent;
    int exceptions = std::uncaught_exceptions();

    void forget_those_that_left() {
        std::erase_if(sent, [](Sent& letter) {
            int has_left = 0;
            detail::check(MPI_Test(&letter.request, &has_left, MPI_STATUS_IGNORE), "MPI_Test");
            return has_left != 0;
        });
    }
};

Mailbox::Mailbox(const Communicator& ranks) : implementation_(new Implementation{ranks, {}, {}}) {}

Mailbox::~Mailbox() {
    for (auto& letter : implementation_->sent)
        if (std::uncaught_exceptions() > implementation_->exceptions)
            MPI_Request_free(&letter.request);
        else
            MPI_Wait(&letter.request, MPI_STATUS_IGNORE);
}

void Mailbox::post(int to, std::vector<Index> words) {
    auto& here = *implementation_;
    PEARLITE_EXPECTS(to >= 0 && to < here.ranks.size());
    if (to == here.ranks.rank()) {
        here.own.push_back({to, std::move(words)});
        return;
    }
    here.forget_those_that_left();
    auto& letter = here.sent.emplace_back(Implementation::Sent{std::move(words)});
    detail::count_send(letter.words.size() * sizeof(Index));
    detail::check(MPI_Isend(letter.words.data(), static_cast<int>(letter.words.size()), MPI_INT64_T, to,
                            detail::letter_tag, *here.ranks.implementation_->group, &letter.request),
                  "MPI_Isend");
}

std::optional<Mailbox::Letter> Mailbox::take() {
    auto& here = *implementation_;
    if (!here.own.empty()) {
        auto letter = std::move(here.own.front());
        here.own.pop_front();
        return letter;
    }
    if (!here.ranks.implementation_->group)
        return {};
    here.forget_those_that_left();
    const MPI_Comm group = *here.ranks.implementation_->group;
    int has_arrived = 0;
    MPI_Status status;
    detail::check(MPI_Iprobe(MPI_ANY_SOURCE, detail::letter_tag, group, &has_arrived, &status), "MPI_Iprobe");
    if (has_arrived == 0)
        return {};
    int length = 0;
    detail::check(MPI_Get_count(&status, MPI_INT64_T, &length), "MPI_Get_count");
    Letter letter{status.MPI_SOURCE, std::vector<Index>(static_cast<std::size_t>(length))};
    detail::check(
        MPI_Recv(letter.words.data(), length, MPI_INT64_T, letter.from, detail::letter_tag, group, MPI_STATUS_IGNORE),
        "MPI_Recv");
    return letter;
}

} // namespace pearlite::parallel
