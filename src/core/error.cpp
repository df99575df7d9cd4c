#include "pearlite/core/error.hpp"

#include "pearlite/core/detail/contract.hpp"

#include <new>
#include <string_view>

namespace pearlite {

namespace {

template <class Thrown>
[[noreturn]] void raise(Thrown error, bool agreed) {
    if (agreed)
        error.mark_agreed();
    throw error;
}

[[noreturn]] void raise(ErrorKind kind, const std::string& message, bool agreed) {
    switch (kind) {
    case ErrorKind::input:
        raise(InputError(message), agreed);
    case ErrorKind::file:
        raise(FileError(message), agreed);
    case ErrorKind::numerical:
        raise(NumericalError(message), agreed);
    case ErrorKind::contract:
        raise(ContractViolation(message), agreed);
    case ErrorKind::none:
    case ErrorKind::other:
        break;
    }
    raise(Error(ErrorKind::other, message), agreed);
}

} // namespace

void throw_error(ErrorKind kind, const std::string& message) {
    raise(kind, message, false);
}

void throw_agreed(ErrorKind kind, const std::string& message) {
    raise(kind, message, true);
}

void throw_in_place_of(const Error& error, ErrorKind kind, const std::string& message) {
    raise(kind, message, error.is_agreed());
}

bool is_agreed(const std::exception_ptr& error) {
    try {
        if (error)
            std::rethrow_exception(error);
    } catch (const Error& e) {
        return e.is_agreed();
    } catch (...) {
        return false;
    }
    return false;
}

ErrorReport describe(const std::exception_ptr& error) {
    if (!error)
        return {};
    try {
        std::rethrow_exception(error);
    } catch (const Error& e) {
        return {e.kind() == ErrorKind::none ? ErrorKind::other : e.kind(), e.what()};
    } catch (const std::bad_alloc&) {
        return {ErrorKind::other, "out of memory"};
    } catch (const std::exception& e) {
        return {ErrorKind::other, e.what()};
    } catch (...) {
        return {ErrorKind::other, "unknown error"};
    }
}

} // namespace pearlite

namespace pearlite::detail {

namespace {

// The file's name alone: where the program was built is nobody's business.
std::string_view without_directory(std::string_view path) {
    const auto slash = path.find_last_of('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

} // namespace

void contract_violated(const char* kind, const char* condition, const char* file, int line) {
    throw ContractViolation(std::string(kind) + " violated: " + condition + " (" +
                            std::string(without_directory(file)) + ":" + std::to_string(line) + ")");
}

} // namespace pearlite::detail
