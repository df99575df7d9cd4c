#pragma once
/// The HDF5 C API with owners and exceptions. For the sources of this layer; no public header mentions HDF5.

#include <hdf5.h>

#include <string_view>
#include <utility>

namespace pearlite::io {

/// Switches HDF5's printing of errors to stderr off for its lifetime; the messages go into exceptions instead.
class QuietHdf5 {
  public:
    QuietHdf5();
    ~QuietHdf5();
    QuietHdf5(const QuietHdf5&) = delete;
    QuietHdf5& operator=(const QuietHdf5&) = delete;

  private:
    H5E_auto2_t function_ = nullptr;
    void* data_ = nullptr;
};

/// Throws FileError: `what`, then HDF5's own reason if it left one. `what` reads like "cannot open run/results.h5".
[[noreturn]] void throw_hdf5_error(std::string_view what);

/// Passes a result on, or throws FileError if it is negative (HDF5's sign of failure).
template <class Result>
Result hdf5_check(Result result, std::string_view what) {
    if (result < 0)
        throw_hdf5_error(what);
    return result;
}

/// Owner of one HDF5 identifier, with the function that closes it. Messages are views: to make a string could throw for
/// lack of memory while an open identifier has no owner yet, and HDF5 would crash at the program's end.
class Hdf5Handle {
  public:
    using Close = herr_t (*)(hid_t);

    Hdf5Handle() = default;
    /// Takes the identifier, or throws FileError if it is negative.
    Hdf5Handle(hid_t identifier, Close closing, std::string_view what)
        : identifier_(hdf5_check(identifier, what)), close_(closing) {}
    Hdf5Handle(Hdf5Handle&& other) noexcept
        : identifier_(std::exchange(other.identifier_, H5I_INVALID_HID)), close_(other.close_) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(identifier_, other.identifier_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Hdf5Handle() {
        if (identifier_ >= 0)
            close_(identifier_);
    }

    hid_t get() const { return identifier_; }
    /// Closes now, for closings whose failure matters.
    void close(std::string_view what) { hdf5_check(close_(std::exchange(identifier_, H5I_INVALID_HID)), what); }

  private:
    hid_t identifier_ = H5I_INVALID_HID;
    Close close_ = nullptr;
};

} // namespace pearlite::io
