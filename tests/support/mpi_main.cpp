// Main of every MPI test: the same tests run on every rank; only rank 0 prints unless another fails.
#include "parallel/communicator.hpp"

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    pearlite::parallel::Environment environment(argc, argv);
    ::testing::InitGoogleTest(&argc, argv);
    const auto ranks = pearlite::parallel::Communicator::world();
    if (!ranks.is_root()) {
        auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
        delete listeners.Release(listeners.default_result_printer());
        struct FailurePrinter : testing::EmptyTestEventListener {
            int rank;
            explicit FailurePrinter(int r) : rank(r) {}
            void OnTestPartResult(const testing::TestPartResult& result) override {
                if (result.failed())
                    std::fprintf(stderr, "[rank %d] %s:%d: %s\n", rank, result.file_name() ? result.file_name() : "?",
                                 result.line_number(), result.message());
            }
        };
        listeners.Append(new FailurePrinter(ranks.rank()));
    }
    const int failed = RUN_ALL_TESTS();
    return ranks.max(static_cast<pearlite::Index>(failed)) != 0;
}
