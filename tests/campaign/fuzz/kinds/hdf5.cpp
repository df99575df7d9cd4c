// HDF5 files of users, and weights of RBMs in both forms.

#include "campaign/fuzz/input_kind.hpp"

#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

Kinds hdf5_kinds(const std::filesystem::path& scratch) {
    constexpr Index most = 100; // rows
    return {file_kind(scratch, "rbm-f64", ".f64", "rbm-f64", [](const auto& file) { io::read_rbm(file); }),
            file_kind(scratch, "rbm-h5", ".h5", "rbm-h5", [](const auto& file) { io::read_rbm(file); }),
            file_kind(scratch, "hdf5-rows", ".h5", "hdf5",
                      [](const auto& file) { io::read_hdf5_rows(file, "images", most); }),
            file_kind(scratch, "grey-images-h5", ".h5", "hdf5",
                      [](const auto& file) { io::read_grey_images(file, "images", most); })};
}

} // namespace pearlite::fuzz
