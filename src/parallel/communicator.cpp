// Lifetime, numbers and text; the byte forms are in bytes.cpp.
#include "parallel/communicator_implementation.hpp"
#include "parallel/compact_sum.hpp"
#include "pearlite/core/error.hpp"

#include <boost/mpi/environment.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <utility>

namespace pearlite::parallel {

namespace {

bool mpi_is_running() {
    return boost::mpi::environment::initialized() && !boost::mpi::environment::finalized();
}

// Doubles in the order of integers, -0 below +0, every NaN above all: MPI_MAX of doubles leaves NaN to chance.
std::int64_t ordered_key(double value) {
    if (std::isnan(value))
        return std::numeric_limits<std::int64_t>::max();
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits >= 0 ? bits : bits ^ std::numeric_limits<std::int64_t>::max();
}

double value_of_key(std::int64_t key) {
    if (key == std::numeric_limits<std::int64_t>::max())
        return std::numeric_limits<double>::quiet_NaN();
    return std::bit_cast<double>(key >= 0 ? key : key ^ std::numeric_limits<std::int64_t>::max());
}

std::size_t words_of(std::size_t bytes) {
    return (bytes + sizeof(std::int64_t) - 1) / sizeof(std::int64_t);
}

/// A larger reduction is as fast by MPI.
constexpr std::size_t most_pieces_of_meeting = 4;

/// Every rank reduces what all have brought: all of it or, of many numbers, a share that it then brings to a second
/// meeting.
template <class T>
void reduce_at(Meeting& meeting, int rank, int ranks, const T* values, std::span<T> results, bool takes_largest) {
    constexpr std::size_t few_bytes = 1024;
    const bool shares = results.size_bytes() > few_bytes;
    const auto first_of = [&](int r) {
        return shares ? results.size() * static_cast<std::size_t>(r) / static_cast<std::size_t>(ranks) : 0;
    };
    const auto own = shares ? results.subspan(first_of(rank), first_of(rank + 1) - first_of(rank)) : results;
    const auto brought = [&](int r) { return reinterpret_cast<const T*>(meeting.brought(r)); };
    meeting.meet(std::as_bytes(std::span(values, results.size())));
    std::copy_n(brought(0) + first_of(rank), own.size(), own.begin());
    for (int r = 1; r < ranks; ++r) {
        const T* const other = brought(r) + first_of(rank);
        for (std::size_t i = 0; i < own.size(); ++i)
            own[i] = takes_largest ? std::max(own[i], other[i]) : static_cast<T>(own[i] + other[i]);
    }
    if (!shares)
        return;
    meeting.meet(std::as_bytes(own));
    for (int r = 0; r < ranks; ++r)
        std::copy_n(brought(r), first_of(r + 1) - first_of(r),
                    results.begin() + static_cast<std::ptrdiff_t>(first_of(r)));
}

// The C interface, because Boost.MPI 1.74 binds a reference to MPI_IN_PLACE, which is no address. Without `values`
// those of this rank stand where the results go.
template <class T>
void reduce(const boost::mpi::communicator& group, Meeting* meeting, const T* values, std::span<T> results,
            std::size_t largest_message, MPI_Op operation, MPI_Datatype type) {
    std::size_t limit = std::max<std::size_t>(largest_message / sizeof(T), 1);
    const bool meets = meeting != nullptr && results.size_bytes() <= most_pieces_of_meeting * Meeting::most_bytes;
    if (meets)
        limit = std::min(limit, Meeting::most_bytes / sizeof(T));
    detail::in_pieces(results.size(), limit, [&](std::size_t first, std::size_t count) {
        detail::count_reduction(words_of(count * sizeof(T)));
        if (meets)
            return reduce_at(*meeting, group.rank(), group.size(), values ? values + first : results.data() + first,
                             results.subspan(first, count), operation == MPI_MAX);
        detail::check(MPI_Allreduce(values ? values + first : MPI_IN_PLACE, results.data() + first,
                                    static_cast<int>(count), type, operation, group),
                      "MPI_Allreduce");
    });
}

/// Sums into an array of the same length; of one rank, if there is no group.
template <class T>
void sum_of(const boost::mpi::communicator* group, Meeting* meeting, std::span<const T> values, std::span<T> sums,
            std::size_t largest_message, MPI_Datatype type) {
    PEARLITE_EXPECTS(values.size() == sums.size());
    if (group)
        return reduce(*group, meeting, values.data(), sums, largest_message, MPI_SUM, type);
    detail::count_reduction(words_of(values.size_bytes()), detail::forgone());
    std::ranges::copy(values, sums.begin());
}

/// In place; nothing where there is no group. `of`: a communicator's implementation.
template <class Of, class T>
void reduce_in_place(const Of& of, std::span<T> values, MPI_Op operation, MPI_Datatype type = MPI_INT64_T) {
    if (of.group)
        return reduce<T>(*of.group, of.meeting.get(), nullptr, values, of.largest_message, operation, type);
    detail::count_reduction(words_of(values.size_bytes()), detail::forgone());
}

/// Every rank adds what all have brought.
void add_at(Meeting& meeting, int ranks, std::span<CompactSum> sums) {
    meeting.meet(std::as_bytes(sums));
    std::vector<CompactSum> total(sums.size());
    for (int r = 0; r < ranks; ++r) {
        const auto* const brought = reinterpret_cast<const CompactSum*>(meeting.brought(r));
        for (std::size_t i = 0; i < total.size(); ++i)
            total[i] = total[i] + brought[i];
    }
    std::ranges::copy(total, sums.begin());
}

MPI_Datatype type_of_compact_sums() {
    static const MPI_Datatype type = [] {
        MPI_Datatype made = MPI_DATATYPE_NULL;
        detail::check(MPI_Type_contiguous(sizeof(CompactSum), MPI_BYTE, &made), "MPI_Type_contiguous");
        detail::check(MPI_Type_commit(&made), "MPI_Type_commit");
        return made;
    }();
    return type;
}

void add_compact_sums(void* in, void* in_out, int* count, MPI_Datatype*) {
    const auto* const terms = static_cast<const CompactSum*>(in);
    auto* const sums = static_cast<CompactSum*>(in_out);
    for (int i = 0; i < *count; ++i)
        sums[i] = sums[i] + terms[i];
}

MPI_Op addition_of_compact_sums() {
    static const MPI_Op operation = [] {
        MPI_Op made = MPI_OP_NULL;
        constexpr int commutes = 1;
        detail::check(MPI_Op_create(add_compact_sums, commutes, &made), "MPI_Op_create");
        return made;
    }();
    return operation;
}

std::shared_ptr<Meeting>& meeting_of_world() {
    static std::shared_ptr<Meeting> meeting;
    return meeting;
}

} // namespace

MessageCount& detail::counted() {
    static MessageCount count; // MPI is called from one thread alone
    return count;
}

double work_seconds() {
    std::timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

MessageCount& detail::forgone() {
    static MessageCount count;
    return count;
}

MessageCount message_count() {
    return detail::counted();
}

MessageCount forgone_count() {
    return detail::forgone();
}

Communicator::Communicator(std::shared_ptr<const Implementation> implementation)
    : implementation_(std::move(implementation)) {}

Communicator Communicator::world() {
    if (!mpi_is_running())
        return alone();
    auto implementation = std::make_shared<Implementation>();
    implementation->group.emplace(MPI_COMM_WORLD, boost::mpi::comm_attach);
    implementation->meeting = meeting_of_world();
    return Communicator(std::move(implementation));
}

Communicator Communicator::alone() {
    return Communicator(std::make_shared<const Implementation>());
}

Communicator Communicator::with_largest_message(std::size_t bytes) const {
    PEARLITE_EXPECTS(bytes >= 1 && bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
    auto implementation = std::make_shared<Implementation>(*implementation_);
    implementation->largest_message = bytes;
    return Communicator(std::move(implementation));
}

std::size_t Communicator::largest_message() const {
    return implementation_->largest_message;
}

int Communicator::rank() const {
    return implementation_->group ? implementation_->group->rank() : 0;
}

int Communicator::size() const {
    return implementation_->group ? implementation_->group->size() : 1;
}

bool Communicator::all_arrive(double seconds) const {
    if (!implementation_->group)
        return true;
    MPI_Request request = MPI_REQUEST_NULL;
    detail::check(MPI_Ibarrier(*implementation_->group, &request), "MPI_Ibarrier");
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    for (int arrived = 0; std::chrono::steady_clock::now() < end;) {
        detail::check(MPI_Test(&request, &arrived, MPI_STATUS_IGNORE), "MPI_Test");
        if (arrived != 0)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

void Communicator::barrier() const {
    if (implementation_->meeting)
        implementation_->meeting->meet({});
    else if (implementation_->group)
        implementation_->group->barrier();
}

double Communicator::max(double value) const {
    max(std::span(&value, 1));
    return value;
}

void Communicator::max(std::span<double> values) const {
    std::vector<std::int64_t> keys(values.size());
    std::transform(values.begin(), values.end(), keys.begin(), ordered_key);
    reduce_in_place(*implementation_, std::span(keys), MPI_MAX);
    std::transform(keys.begin(), keys.end(), values.begin(), value_of_key);
}

Index Communicator::max(Index value) const {
    reduce_in_place(*implementation_, std::span(&value, 1), MPI_MAX);
    return value;
}

Index Communicator::sum(Index value) const {
    sum(std::span(&value, 1));
    return value;
}

void Communicator::sum(std::span<std::int64_t> values) const {
    reduce_in_place(*implementation_, values, MPI_SUM);
}

void Communicator::sum(std::span<std::int32_t> values) const {
    reduce_in_place(*implementation_, values, MPI_SUM, MPI_INT32_T);
}

void Communicator::sum(std::span<const std::int16_t> values, std::span<std::int16_t> sums) const {
    const auto& group = implementation_->group;
    sum_of(group ? &*group : nullptr, implementation_->meeting.get(), values, sums, implementation_->largest_message,
           MPI_INT16_T);
}

void Communicator::sum(std::span<const std::int32_t> values, std::span<std::int32_t> sums) const {
    const auto& group = implementation_->group;
    sum_of(group ? &*group : nullptr, implementation_->meeting.get(), values, sums, implementation_->largest_message,
           MPI_INT32_T);
}

void Communicator::sum(std::span<CompactSum> sums) const {
    const auto& group = implementation_->group;
    if (!group)
        return detail::count_reduction(words_of(sums.size_bytes()), detail::forgone());
    auto* const meeting = implementation_->meeting.get();
    const bool meets = meeting != nullptr && sums.size_bytes() <= most_pieces_of_meeting * Meeting::most_bytes;
    const auto most_bytes = std::min(implementation_->largest_message,
                                     meets ? Meeting::most_bytes : std::numeric_limits<std::size_t>::max());
    detail::in_pieces(sums.size(), std::max<std::size_t>(most_bytes / sizeof(CompactSum), 1),
                      [&](std::size_t first, std::size_t count) {
                          const auto piece = sums.subspan(first, count);
                          detail::count_reduction(piece.size_bytes() / sizeof(std::int64_t));
                          if (meets)
                              return add_at(*meeting, size(), piece);
                          detail::check(MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(count),
                                                      type_of_compact_sums(), addition_of_compact_sums(), *group),
                                        "MPI_Allreduce");
                      });
}

std::string Communicator::broadcast(const std::string& text, int root) const {
    std::uint64_t length = text.size();
    broadcast(std::span(&length, 1), root);
    std::string result = text;
    result.resize(length);
    broadcast(std::span(result), root);
    return result;
}

Communicator Communicator::split(int color) const {
    if (!implementation_->group)
        return *this;
    auto implementation = std::make_shared<Implementation>(*implementation_);
    implementation->group.emplace(implementation_->group->split(color, rank()));
    implementation->meeting = detail::open_meeting(*implementation->group);
    return Communicator(std::move(implementation));
}

struct Environment::Implementation {
    boost::mpi::environment environment;
};

Environment::Environment(int& argc, char**& argv) {
    constexpr bool abort_on_exception = false; // the destructor below decides
    implementation_.reset( // NOLINT(modernize-make-unique): clang 14 makes no aggregates from parentheses
        new Implementation{boost::mpi::environment(argc, argv, boost::mpi::threading::single, abort_on_exception)});
    detail::check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    detail::find_hosts();
    meeting_of_world() = detail::open_meeting(boost::mpi::communicator(MPI_COMM_WORLD, boost::mpi::comm_attach));
}

Environment::~Environment() {
    meeting_of_world().reset();
    if (std::uncaught_exceptions() > 0)
        abort(EXIT_FAILURE); // MPI_Finalize would wait for ranks that wait for this one
}

void Environment::abort(int status) {
    if (boost::mpi::environment::initialized() && !boost::mpi::environment::finalized())
        MPI_Abort(MPI_COMM_WORLD, status);
    std::_Exit(status);
}

void detail::check(int code, const char* routine) {
    if (code == MPI_SUCCESS)
        return;
    std::string text(MPI_MAX_ERROR_STRING, '\0');
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    text.resize(static_cast<std::size_t>(length));
    throw Error(ErrorKind::other, std::string(routine) + " failed: " + text);
}

} // namespace pearlite::parallel
