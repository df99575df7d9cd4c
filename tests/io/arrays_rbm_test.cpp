#include "pearlite/io/arrays.hpp"

#include "io/input_files.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <hdf5.h>
#include <limits>

namespace pearlite::io {
namespace {

using testing::expect_unreadable;
using ::testing::HasSubstr;
using testing::input_error;
using testing::mistake;
using ::testing::StartsWith;
using testing::TemporaryDirectory;

/// The bytes of a .f64 file.
std::string flat_rbm(std::int64_t n_visible, std::int64_t n_hidden, const std::vector<double>& values) {
    std::string bytes(16 + 8 * values.size(), '\0');
    std::memcpy(bytes.data(), &n_visible, 8);
    std::memcpy(bytes.data() + 8, &n_hidden, 8);
    std::memcpy(bytes.data() + 16, values.data(), 8 * values.size());
    return bytes;
}

const std::vector<double> rbm_values = {1, 2, 3, 4, 5, 6, 0.5, -0.5, 7, 8, 9}; // 2 visible, 3 hidden units

void expect_small_rbm(const RbmArrays& rbm) {
    EXPECT_EQ(rbm.weights, (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished());
    EXPECT_EQ(rbm.visible_bias, Eigen::Vector2d(0.5, -0.5));
    EXPECT_EQ(rbm.hidden_bias, Eigen::Vector3d(7, 8, 9));
}

TEST(ReadRbm, reads_flat_files) {
    const TemporaryDirectory directory;
    expect_small_rbm(read_rbm(directory.write("w.f64", flat_rbm(2, 3, rbm_values))));
}

TEST(ReadRbm, checks_size_and_values_of_flat_files) {
    const auto flat_mistake = [](const std::string& bytes) { return mistake(read_rbm, "w.f64", bytes); };
    EXPECT_EQ(flat_mistake(""), "w.f64: ends at byte 0, expected 16 bytes with n_visible and n_hidden as int64");
    EXPECT_EQ(flat_mistake(flat_rbm(2, 3, {1, 2})),
              "w.f64: wrong size (got 32 bytes), expected a longer file for n_visible = 2, n_hidden = 3");
    EXPECT_EQ(flat_mistake(flat_rbm(2, 3, rbm_values) + "x"),
              "w.f64: wrong size (got 105 bytes), expected 104 bytes for n_visible = 2, n_hidden = 3");
    const std::string whole = flat_rbm(2, 3, rbm_values);
    EXPECT_THAT(flat_mistake(whole.substr(0, whole.size() - 1)), HasSubstr("wrong size (got 103 bytes), expected 104"));
    EXPECT_THAT(flat_mistake(flat_rbm(0, 3, rbm_values)), HasSubstr("byte 0: impossible sizes (got n_visible = 0"));
    EXPECT_THAT(flat_mistake(flat_rbm(2, -3, rbm_values)), HasSubstr("impossible sizes"));
    constexpr Index huge = std::numeric_limits<Index>::max();
    EXPECT_THAT(flat_mistake(flat_rbm(huge, huge, rbm_values)), HasSubstr("expected a longer file"));
    EXPECT_THAT(flat_mistake(flat_rbm(Index{1} << 32, Index{1} << 32, rbm_values)),
                HasSubstr("expected a longer file"));
    std::vector<double> values = rbm_values;
    values[4] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(flat_mistake(flat_rbm(2, 3, values)),
              "w.f64, byte 48: no value of an RBM (got nan), expected a number in [-1e+30, 1e+30]");
    expect_unreadable(read_rbm, "w.f64");
}

/// Writes a dataset with one value after the other, as `type` in the file.
void write_dataset(hid_t file, const char* name, hid_t type, const std::vector<hsize_t>& sizes) {
    hsize_t count = 1;
    for (const hsize_t size : sizes) {
        count *= size;
    }
    std::vector<double> values(count);
    for (hsize_t i = 0; i < count; ++i) {
        values[i] = static_cast<double>(i) + 0.5;
    }
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Sclose(space);
}

struct DatasetForm {
    const char* name;
    std::vector<hsize_t> sizes;
    hid_t type = H5T_IEEE_F64LE;
};

std::filesystem::path write_h5(const TemporaryDirectory& directory, const std::vector<DatasetForm>& datasets) {
    const auto path = directory.path() / "w.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (const DatasetForm& dataset : datasets) {
        write_dataset(file, dataset.name, dataset.type, dataset.sizes);
    }
    H5Fclose(file);
    return path;
}

TEST(ReadRbm, reads_hdf5_files_of_any_float_type) {
    const TemporaryDirectory directory;
    for (const hid_t type : {H5T_IEEE_F64LE, H5T_IEEE_F32LE, H5T_IEEE_F64BE}) {
        const RbmArrays rbm = read_rbm(
            write_h5(directory, {{"weights", {2, 3}, type}, {"visible_bias", {2}, type}, {"hidden_bias", {3}, type}}));
        EXPECT_EQ(rbm.weights, (Matrix(2, 3) << 0.5, 1.5, 2.5, 3.5, 4.5, 5.5).finished());
        EXPECT_EQ(rbm.visible_bias, Eigen::Vector2d(0.5, 1.5));
        EXPECT_EQ(rbm.hidden_bias, Eigen::Vector3d(0.5, 1.5, 2.5));
    }
}

TEST(ReadRbm, checks_names_types_and_shapes_of_hdf5_files) {
    const TemporaryDirectory directory;
    const std::string file = (directory.path() / "w.h5").string();
    const auto h5_mistake = [&](const std::vector<DatasetForm>& datasets) {
        write_h5(directory, datasets);
        return input_error([&] { read_rbm(file); });
    };
    EXPECT_EQ(h5_mistake({{"weights", {2, 3}}, {"visible_bias", {2}}}),
              file + ": dataset 'hidden_bias' is missing, expected weights, visible_bias and hidden_bias");
    EXPECT_EQ(h5_mistake({{"weights", {6}}, {"visible_bias", {2}}, {"hidden_bias", {3}}}),
              file + ": dataset 'weights': wrong number of dimensions (got 1), expected 2");
    EXPECT_EQ(h5_mistake({{"weights", {2, 3}}, {"visible_bias", {1, 2}}, {"hidden_bias", {3}}}),
              file + ": dataset 'visible_bias': wrong number of dimensions (got 2), expected 1");
    EXPECT_EQ(h5_mistake({{"weights", {2, 3}}, {"visible_bias", {3}}, {"hidden_bias", {2}}}),
              file + ": dataset 'visible_bias': wrong length (got 3), expected 2 as in 'weights'");
    EXPECT_EQ(h5_mistake({{"weights", {2, 3}}, {"visible_bias", {2}}, {"hidden_bias", {2}}}),
              file + ": dataset 'hidden_bias': wrong length (got 2), expected 3 as in 'weights'");
    EXPECT_EQ(h5_mistake({{"weights", {2, 3}, H5T_STD_I32LE}, {"visible_bias", {2}}, {"hidden_bias", {3}}}),
              file + ": dataset 'weights': wrong type, expected floating-point numbers");
    EXPECT_EQ(h5_mistake({{"weights", {0, 3}}, {"visible_bias", {2}}, {"hidden_bias", {3}}}),
              file + ": dataset 'weights': impossible size (got 0), expected 1 to 16777216");

    const hid_t with_group = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(with_group, "weights", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Fclose(with_group);
    EXPECT_THAT(input_error([&] { read_rbm(file); }), StartsWith(file + ": dataset 'weights' cannot be opened"));
}

TEST(ReadRbm, says_what_is_no_hdf5_file) {
    EXPECT_EQ(mistake(read_rbm, "w.h5", "not HDF5"), "w.h5: not an HDF5 file that can be read, expected RBM weights");
    const TemporaryDirectory directory;
    const auto path = write_h5(directory, {{"weights", {20, 30}}, {"visible_bias", {20}}, {"hidden_bias", {30}}});
    std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
    ::testing::internal::CaptureStderr();
    EXPECT_THAT(input_error([&] { read_rbm(path); }), StartsWith(path.string()));
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "") << "HDF5 printed its errors";
    EXPECT_EQ(mistake(read_rbm, "w.mat", ""), "w.mat: unknown kind of RBM weights (got \".mat\"), expected .h5 or "
                                              ".f64; import_rbm.py converts MATLAB's .mat");
    expect_unreadable(read_rbm, "w.h5");
}

} // namespace
} // namespace pearlite::io
