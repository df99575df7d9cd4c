#pragma once
/// Typed errors. A user's mistake is an InputError (exit status 2); everything else is status 1.

#include "pearlite/core/types.hpp"

#include <exception>
#include <stdexcept>
#include <string>

namespace pearlite {

/// The kind of an error, in a form that survives the trip to other ranks.
enum class ErrorKind : int { none = 0, input = 1, file = 2, numerical = 3, contract = 4, other = 5 };

class Error : public std::runtime_error {
  public:
    Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
    ErrorKind kind() const { return kind_; }

    /// All ranks of a job throw this error together, so that none waits for another.
    bool is_agreed() const { return is_agreed_; }
    void mark_agreed() { is_agreed_ = true; }

  private:
    ErrorKind kind_;
    bool is_agreed_ = false;
};

/// Bad configuration, data or command line; the message says where and what was expected.
struct InputError : Error {
    explicit InputError(const std::string& message) : Error(ErrorKind::input, message) {}
};

/// A file that cannot be read or written, is damaged or does not belong to this run.
struct FileError : Error {
    explicit FileError(const std::string& message) : Error(ErrorKind::file, message) {}
};

/// A number that must not arise, NaN above all; the message names step and particle.
struct NumericalError : Error {
    explicit NumericalError(const std::string& message) : Error(ErrorKind::numerical, message) {}
};

/// A broken promise between parts of the program: a defect, never the user's fault.
struct ContractViolation : Error {
    explicit ContractViolation(const std::string& message) : Error(ErrorKind::contract, message) {}
};

/// Throws the class that belongs to `kind`; a plain Error of kind other for `none` and `other`.
[[noreturn]] void throw_error(ErrorKind kind, const std::string& message);
/// The same, marked: all ranks call it together.
[[noreturn]] void throw_agreed(ErrorKind kind, const std::string& message);
/// An error that says more than `error` and takes its place; marked if that is.
[[noreturn]] void throw_in_place_of(const Error& error, ErrorKind kind, const std::string& message);

/// Kind and message of a caught exception (kind none for a null pointer; other for an exception of another type).
struct ErrorReport {
    ErrorKind kind = ErrorKind::none;
    std::string message;
};
ErrorReport describe(const std::exception_ptr& error);
/// False for what is not a pearlite::Error.
bool is_agreed(const std::exception_ptr& error);

} // namespace pearlite
