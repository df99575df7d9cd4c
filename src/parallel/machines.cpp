#include "parallel/machines.hpp"

#include "parallel/communicator_implementation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sched.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace pearlite::parallel {

namespace {

std::string& remark_on_host() {
    static std::string remark;
    return remark;
}

std::string host_name() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// The cores to which this rank is bound.
cpu_set_t own_cores() {
    cpu_set_t cores;
    CPU_ZERO(&cores);
    if (::sched_getaffinity(0, sizeof(cores), &cores) != 0)
        CPU_SET(0, &cores);
    return cores;
}

bool& ranks_share_cores() {
    static bool they_do = false;
    return they_do;
}

} // namespace

bool was_launched() {
    constexpr std::array<std::string_view, 9> traces{
        "OMPI_COMM_WORLD_", "OMPI_UNIVERSE_",      "PMIX_", "PMI_", "PMI2_", "PALS_", "MPI_LOCALRANK",
        "SLURM_STEP_",      "PEARLITE_START_MPI=1"};
    const auto is_trace = [&](std::string_view variable) {
        return std::ranges::any_of(traces, [&](auto trace) { return variable.starts_with(trace); });
    };
    for (char** variable = ::environ; *variable != nullptr; ++variable)
        if (is_trace(*variable))
            return true;
    return false;
}

const std::string& on_this_host() {
    return remark_on_host();
}

void detail::find_hosts() {
    const auto name = host_name();
    // The largest of a number and of its complement agree on all ranks only if the number does.
    const auto number = static_cast<std::int64_t>(std::hash<std::string>{}(name));
    std::array<std::int64_t, 2> ends{number, ~number};
    check(MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD), "MPI_Allreduce");
    const bool is_one_host = ends[0] == ~ends[1];
    remark_on_host() = is_one_host ? "" : " on " + name;
    auto cores = own_cores();
    check(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, MPI_COMM_WORLD), "MPI_Allreduce");
    int ranks = 0;
    check(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
    const char* const wish = std::getenv("PEARLITE_WAIT");
    int sleeps = wish != nullptr ? std::string(wish) == "sleep" : ranks > CPU_COUNT(&cores);
    check(MPI_Bcast(&sleeps, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
    ranks_share_cores() = is_one_host && sleeps != 0;
}

std::shared_ptr<Meeting> detail::open_meeting(const boost::mpi::communicator& group) {
    if (!ranks_share_cores() || group.size() == 1)
        return nullptr;
    static int meetings = 0;
    std::array<int, 2> number{static_cast<int>(::getpid()), ++meetings};
    check(MPI_Bcast(number.data(), 2, MPI_INT, 0, group), "MPI_Bcast");
    const auto name = "/pearlite-" + std::to_string(number[0]) + "-" + std::to_string(number[1]);
    const MPI_Comm comm = group;
    const auto deliver_messages = [comm] {
        int has_message = 0;
        check(MPI_Iprobe(MPI_ANY_SOURCE, no_message_tag, comm, &has_message, MPI_STATUS_IGNORE), "MPI_Iprobe");
    };
    std::shared_ptr<Meeting> meeting;
    int has_all = 1;
    const auto open = [&](bool makes_it) {
        try {
            meeting = std::make_shared<Meeting>(name, makes_it, group.rank(), group.size(), deliver_messages);
        } catch (const std::system_error&) { // no shared memory, or too little: MPI does without
            has_all = 0;
        }
    };
    if (group.rank() == 0)
        open(true);
    check(MPI_Bcast(&has_all, 1, MPI_INT, 0, group), "MPI_Bcast");
    if (group.rank() != 0 && has_all != 0)
        open(false);
    check(MPI_Allreduce(MPI_IN_PLACE, &has_all, 1, MPI_INT, MPI_MIN, group), "MPI_Allreduce");
    if (group.rank() == 0)
        Meeting::remove_name(name);
    return has_all != 0 ? meeting : nullptr;
}

Crowd most_crowded_machine(const Communicator& ranks, double quota) {
    Crowd here{1, 1, host_name()};
    auto cores = own_cores();
    if (ranks.size() > 1) {
        MPI_Comm machine = MPI_COMM_NULL;
        const MPI_Comm group = *ranks.implementation_->group;
        detail::check(MPI_Comm_split_type(group, MPI_COMM_TYPE_SHARED, ranks.rank(), MPI_INFO_NULL, &machine),
                      "MPI_Comm_split_type");
        detail::check(MPI_Comm_size(machine, &here.ranks), "MPI_Comm_size");
        detail::check(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof(cores), MPI_BYTE, MPI_BOR, machine), "MPI_Allreduce");
        MPI_Comm_free(&machine);
    }
    here.cores = static_cast<int>(std::max(1.0, std::min<double>(CPU_COUNT(&cores), std::ceil(quota))));
    // The first rank of the most crowded machine; all_gather keeps the order of ranks.
    const auto all = ranks.all_gather(std::array<int, 2>{here.ranks, here.cores});
    const auto most = std::ranges::max_element(
        all, {}, [](const auto& numbers) { return static_cast<double>(numbers[0]) / numbers[1]; });
    return {(*most)[0], (*most)[1], ranks.broadcast(here.host, static_cast<int>(most - all.begin()))};
}

} // namespace pearlite::parallel
