#include "pearlite/io/arrays.hpp"

#include "io/input_files.hpp"

#include <gmock/gmock.h>
#include <hdf5.h>

#include <cmath>
#include <string>
#include <vector>

namespace pearlite::io {
namespace {

using testing::expect_unreadable;
using ::testing::HasSubstr;
using testing::input_error;
using testing::TemporaryDirectory;

using GreyImages = Eigen::Matrix<std::uint8_t, Eigen::Dynamic, Eigen::Dynamic>;

GreyImages levels(std::initializer_list<std::initializer_list<int>> images) {
    GreyImages result(static_cast<Index>(images.begin()->size()), static_cast<Index>(images.size()));
    Index column = 0;
    for (const auto& image : images) {
        Index row = 0;
        for (const int level : image)
            result(row++, column) = static_cast<std::uint8_t>(level);
        ++column;
    }
    return result;
}

std::string idx(const std::vector<int>& pixels) {
    std::string bytes("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03", 16);
    for (const int pixel : pixels)
        bytes.push_back(static_cast<char>(pixel));
    return bytes;
}

template <class T>
std::filesystem::path write_hdf5(const TemporaryDirectory& directory, hid_t type, const std::vector<hsize_t>& sizes,
                                 const std::vector<T>& values) {
    auto path = directory.path() / "images.h5";
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t group = H5Gcreate2(file, "train", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
    const hid_t dataset = H5Dcreate2(group, "data", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    H5Sclose(space);
    H5Gclose(group);
    H5Fclose(file);
    return path;
}

TEST(ReadGreyImages, ReadsIdx) {
    const TemporaryDirectory directory;
    const auto grey = directory.write("grey-idx3-ubyte", idx({0, 128, 255, 1, 2, 3}));
    EXPECT_EQ(read_grey_images(grey, "", 10), levels({{0, 128, 255}, {1, 2, 3}}));
    EXPECT_EQ(read_grey_images(grey, "", 1), levels({{0, 128, 255}}));
    const auto binary = directory.write("binary-idx3-ubyte", idx({0, 1, 1, 1, 0, 0}));
    EXPECT_EQ(read_grey_images(binary, "", 10), levels({{0, 255, 255}, {255, 0, 0}}));
}

TEST(ReadGreyImages, ReadsCommaSeparatedNumbers) {
    const TemporaryDirectory directory;
    EXPECT_EQ(read_grey_images(directory.write("a.csv", "0,1\n1,0\n1,1\n"), "", 10),
              levels({{0, 255}, {255, 0}, {255, 255}}));
    EXPECT_EQ(read_grey_images(directory.write("b.csv", "0,0.5\n0.002,1\n"), "", 10), levels({{0, 128}, {1, 255}}));
    EXPECT_EQ(read_grey_images(directory.write("c.csv", "0,7\n255,1\n"), "", 1), levels({{0, 7}}));
    for (const auto& [text, what] : {std::pair{"0,256\n", "image 0, pixel 1: no grey level (got 256"},
                                     {"1,2\n3,2.5\n", "image 1, pixel 1: no grey level (got 2.5"},
                                     {"-1,0\n", "image 0, pixel 0"},
                                     {"1,0\n1\n", "2"}}) {
        const auto file = directory.write("bad.csv", text);
        EXPECT_THAT(input_error([&] { read_grey_images(file, "", 10); }), HasSubstr(what));
    }
}

TEST(ReadGreyImages, ReadsHdf5) {
    const TemporaryDirectory directory;
    const auto floats = write_hdf5<float>(directory, H5T_NATIVE_FLOAT, {2, 3}, {0, 0.5f, 1, 1, 0, 0.25f});
    EXPECT_EQ(read_grey_images(floats, "train/data", 10), levels({{0, 128, 255}, {255, 0, 64}}));
    const auto bytes =
        write_hdf5<std::uint8_t>(directory, H5T_NATIVE_UINT8, {3, 2, 2}, {0, 9, 255, 3, 1, 2, 3, 4, 5, 6, 7, 8});
    EXPECT_EQ(read_grey_images(bytes, "train/data", 2), levels({{0, 9, 255, 3}, {1, 2, 3, 4}}));
    EXPECT_THAT(input_error([&] { read_grey_images(bytes, "images", 2); }), HasSubstr("dataset 'images' is missing"));
    const auto flat = write_hdf5<float>(directory, H5T_NATIVE_FLOAT, {3}, {0, 1, 0});
    EXPECT_THAT(input_error([&] { read_grey_images(flat, "train/data", 2); }),
                HasSubstr("wrong number of dimensions (got 1)"));
    const auto holed = write_hdf5<float>(directory, H5T_NATIVE_FLOAT, {2, 2}, {0, 1, 1, NAN});
    EXPECT_THAT(input_error([&] { read_grey_images(holed, "train/data", 2); }),
                HasSubstr("row 1, number 1: the value is not finite (got nan), expected"));
    EXPECT_THAT(input_error([&] { read_grey_images(directory.write("t.h5", "text"), "train/data", 2); }),
                HasSubstr("not an HDF5 file"));
}

TEST(WriteRbm, WritesWhatIsReadAgain) {
    const TemporaryDirectory directory;
    const RbmArrays rbm{(Matrix(2, 3) << 1, 2, 3, 4, 5, 6.25).finished(), Vector::Constant(2, 0.5), Vector::Ones(3)};
    const auto file = directory.path() / "weights.h5";
    for (int time = 0; time < 2; ++time) {
        write_rbm(file, rbm);
        const auto found = read_rbm(file);
        EXPECT_EQ(found.weights, rbm.weights);
        EXPECT_EQ(found.visible_bias, rbm.visible_bias);
        EXPECT_EQ(found.hidden_bias, rbm.hidden_bias);
    }
    EXPECT_THROW(write_rbm(directory.path() / "none" / "weights.h5", rbm), FileError);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(directory.path()), {}), 1);
}

} // namespace
} // namespace pearlite::io
