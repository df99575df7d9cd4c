#include "io/container/hdf5_handle.hpp"

#include "pearlite/core/error.hpp"

#include <array>

namespace pearlite::io {
namespace {

// The innermost entry of HDF5's error stack is the reason; the outer ones only retell the call chain.
herr_t keep_first(unsigned, const H5E_error2_t* entry, void* reason) {
    auto& text = *static_cast<std::array<char, 200>*>(reason);
    if (text.front() == '\0' && entry->desc)
        std::strncpy(text.data(), entry->desc, text.size() - 1);
    return 0;
}

} // namespace

QuietHdf5::QuietHdf5() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
    H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void throw_hdf5_error(std::string_view what) {
    std::array<char, 200> reason{}; // HDF5 passes no exception on
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
    std::string message(what);
    if (reason.front() != '\0')
        message.append(": ").append(reason.data());
    throw FileError(message);
}

} // namespace pearlite::io
