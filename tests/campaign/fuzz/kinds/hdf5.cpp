// HDF5 files of users, and weights of RBMs in both forms.

#include "campaign/fuzz/input_kind.hpp"

#include "pearlite/io/arrays.hpp"

namespace pearlite::fuzz {

Kinds hdf5_kinds(const std::filesystem::path& scratch) {
    const auto kind = [&](const std::string& name, const std::string& corpus, const std::string& extension,
                          const std::function<void(const std::filesystem::path&)>& read) {
        const auto file = scratch / (name + extension);
        return InputKind{name, corpus, [=](const std::string& input) {
                             write_file(file, input);
                             read(file);
                         }};
    };
    constexpr Index most = 100; // rows
    return {
        kind("rbm-f64", "rbm-f64", ".f64", [](const auto& file) { io::read_rbm(file); }),
        kind("rbm-h5", "rbm-h5", ".h5", [](const auto& file) { io::read_rbm(file); }),
        kind("hdf5-rows", "hdf5", ".h5", [](const auto& file) { io::read_hdf5_rows(file, "images", most); }),
        kind("grey-images-h5", "hdf5", ".h5", [](const auto& file) { io::read_grey_images(file, "images", most); })};
}

} // namespace pearlite::fuzz
