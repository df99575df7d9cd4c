#include "parallel/agreement.hpp"

#include "parallel/machines.hpp"

namespace pearlite::parallel {

namespace {

// An error that ranks agreed on in an inner phase already says whose it was.
bool names_rank(const std::string& message, int ranks) {
    const auto place = message.rfind(" (rank ");
    return place != std::string::npos && message.ends_with(")") &&
           message.find(" of " + std::to_string(ranks), place) != std::string::npos;
}

/// 0 without an error. The greatest of the ranks' belongs to the lowest rank that has one.
Index mark_of(const Communicator& ranks, const std::exception_ptr& error) {
    return error ? ranks.size() - ranks.rank() : 0;
}

/// Collective. Throws the error of the rank with this mark.
[[noreturn]] void throw_marked(const Communicator& ranks, const std::exception_ptr& error, Index greatest) {
    const int n = ranks.size(), failed = n - static_cast<int>(greatest);
    const bool everywhere = ranks.sum(Index{error ? 1 : 0}) == n; // then no rank is to blame
    ErrorReport report;
    if (ranks.rank() == failed)
        report = describe(error);
    ranks.broadcast(std::span(&report.kind, 1), failed);
    report.message = ranks.broadcast(report.message, failed);
    if (!everywhere) {
        const auto job = Communicator::world(); // people know the ranks of the job, not those of a group
        int in_job = job.rank();
        ranks.broadcast(std::span(&in_job, 1), failed);
        const auto host = ranks.broadcast(on_this_host(), failed);
        if (!names_rank(report.message, job.size()))
            report.message += " (rank " + std::to_string(in_job) + " of " + std::to_string(job.size()) + host + ")";
    }
    throw_agreed(report.kind, report.message);
}

} // namespace

void agree(const Communicator& ranks, const std::exception_ptr& error) {
    if (const Index greatest = ranks.max(mark_of(ranks, error)); greatest > 0)
        throw_marked(ranks, error, greatest);
}

void agree(const Communicator& ranks, const std::exception_ptr& error, std::span<double> largest) {
    std::vector<double> numbers(largest.begin(), largest.end());
    numbers.push_back(static_cast<double>(mark_of(ranks, error)));
    ranks.max(std::span(numbers));
    if (numbers.back() > 0)
        throw_marked(ranks, error, static_cast<Index>(numbers.back()));
    std::copy_n(numbers.begin(), largest.size(), largest.begin());
}

} // namespace pearlite::parallel
