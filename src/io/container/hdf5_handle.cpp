#include "io/container/hdf5_handle.hpp"

#include "pearlite/core/error.hpp"

namespace pearlite::io {
namespace {

// The innermost entry of HDF5's error stack is the reason; the outer ones only retell the call chain.
herr_t keep_first(unsigned, const H5E_error2_t* entry, void* reason) {
    auto& text = *static_cast<std::string*>(reason);
    if (text.empty() && entry->desc)
        text = entry->desc;
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

void throw_hdf5_error(const std::string& what) {
    std::string reason;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &reason);
    throw FileError(reason.empty() ? what : what + ": " + reason);
}

} // namespace pearlite::io
