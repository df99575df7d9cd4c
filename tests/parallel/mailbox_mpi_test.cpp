#include "parallel/mailbox.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace pearlite;
using namespace pearlite::parallel;

namespace {

Mailbox::Letter wait_for_letter(Mailbox& mailbox) {
    for (;;)
        if (auto letter = mailbox.take())
            return *letter;
}

/// A letter that is lost, cut or out of order would lose runs of a sweep.
TEST(Mailbox, LettersArriveWholeAndInOrder) {
    const auto ranks = Communicator::world();
    constexpr Index letters = 50;
    Mailbox mailbox(ranks);
    for (Index k = 0; k < letters; ++k)
        for (int to = 0; to < ranks.size(); ++to) {
            std::vector<Index> words{k};
            words.resize(at(1 + k * 10), ranks.rank());
            mailbox.post(to, std::move(words));
        }
    std::vector<Index> next(at(ranks.size()), 0);
    for (Index k = 0; k < letters * ranks.size(); ++k) {
        const auto letter = wait_for_letter(mailbox);
        const Index number = next[at(letter.from)]++;
        ASSERT_EQ(letter.words.front(), number);
        ASSERT_EQ(std::ssize(letter.words), 1 + number * 10);
        EXPECT_EQ(letter.words.back(), number == 0 ? 0 : letter.from);
    }
    EXPECT_FALSE(mailbox.take());
    ranks.barrier();
}

/// The receiver of a letter calls nothing of MPI until a file says that its sender has gone on.
TEST(Mailbox, TheSenderGoesOn) {
    const auto ranks = Communicator::world();
    Mailbox mailbox(ranks);
    const auto gone_on = [](int rank) { // of this launcher's job
        return std::filesystem::temp_directory_path() / fmt::format("pearlite-mailbox-{}-{}", getppid(), rank);
    };
    if (!ranks.is_root()) {
        mailbox.post(0, {7, ranks.rank()});
        std::ofstream{gone_on(ranks.rank())};
    } else {
        const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
        for (int k = 1; k < ranks.size(); ++k) {
            while (!std::filesystem::exists(gone_on(k)) && std::chrono::steady_clock::now() < deadline)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            EXPECT_TRUE(std::filesystem::remove(gone_on(k)));
        }
        for (int k = 1; k < ranks.size(); ++k)
            EXPECT_EQ(wait_for_letter(mailbox).words.front(), 7);
    }
    ranks.barrier();
}

TEST(Mailbox, ARankAloneWritesToItself) {
    Mailbox mailbox(Communicator::alone());
    EXPECT_FALSE(mailbox.take());
    mailbox.post(0, {1, 2});
    EXPECT_EQ(mailbox.take().value().words, (std::vector<Index>{1, 2}));
}

} // namespace
