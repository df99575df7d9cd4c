#include "parallel/communicator_implementation.hpp"
#include "pearlite/core/error.hpp"

#include <boost/mpi/environment.hpp>
#include <cstdlib>
#include <exception>
#include <string>

namespace pearlite::parallel {

struct Environment::Implementation {
    boost::mpi::environment environment;
};

Environment::Environment(int& argc, char**& argv) {
    constexpr bool abort_on_exception = false; // the destructor below decides
    implementation_.reset( // NOLINT(modernize-make-unique): clang 14 makes no aggregates from parentheses
        new Implementation{boost::mpi::environment(argc, argv, boost::mpi::threading::single, abort_on_exception)});
    detail::check(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
}

Environment::~Environment() {
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
