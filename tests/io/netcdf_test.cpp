#include "io/files/netcdf.hpp"

#include "io/container_support.hpp"
#include "pearlite/core/error.hpp"

#include <netcdf.h>

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace pearlite::io {
namespace {

namespace fs = std::filesystem;

class Netcdf : public ::testing::Test {
  protected:
    Netcdf()
        : directory_(fs::temp_directory_path() / ("pearlite-netcdf-" + std::to_string(::getpid()) + "-" +
                                                  ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
        fs::remove_all(directory_);
        fs::create_directory(directory_);
    }
    ~Netcdf() override { fs::remove_all(directory_); }

    static std::string bytes_of(const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> found;
        for (const auto& entry : fs::directory_iterator(directory_))
            found.push_back(entry.path().filename());
        return found;
    }

    fs::path directory_;
};

std::vector<NetcdfGroup> sample_groups() {
    const LabelledDimension row{"row", 2}, column{"column", 3, {"a", "b:c", "d"}};
    return {
        {"first", {{"x", {row, column}, {1, 2, 3, 4, 5, 6}, "a table"}, {"one", {}, {7}}}, {{"note", "of a group"}}},
        {"second", {{"y", {{"row", 5}}, {1, 2, 3, 4, 5}}}}};
}

TEST_F(Netcdf, HoldsWhatWasWritten) {
    const auto file = directory_ / "a.nc";
    write_netcdf(file, sample_groups(), {{"inference_library", "pearlite"}});
    int id = 0, group = 0, variable = 0;
    ASSERT_EQ(nc_open(file.c_str(), NC_NOWRITE, &id), NC_NOERR);
    char text[9] = {};
    EXPECT_EQ(nc_get_att_text(id, NC_GLOBAL, "inference_library", text), NC_NOERR);
    EXPECT_STREQ(text, "pearlite");
    ASSERT_EQ(nc_inq_grp_ncid(id, "first", &group), NC_NOERR);
    ASSERT_EQ(nc_inq_varid(group, "x", &variable), NC_NOERR);
    double x[6] = {};
    EXPECT_EQ(nc_get_var_double(group, variable, x), NC_NOERR);
    EXPECT_EQ(x[4], 5);
    ASSERT_EQ(nc_inq_varid(group, "column", &variable), NC_NOERR);
    char* labels[3] = {};
    ASSERT_EQ(nc_get_var_string(group, variable, labels), NC_NOERR);
    EXPECT_STREQ(labels[1], "b:c");
    nc_free_string(3, labels);
    ASSERT_EQ(nc_inq_varid(group, "row", &variable), NC_NOERR);
    long long places[2] = {};
    EXPECT_EQ(nc_get_var_longlong(group, variable, places), NC_NOERR);
    EXPECT_EQ(places[1], 1);
    nc_close(id);
}

TEST_F(Netcdf, ReadsWhatWasWritten) {
    const auto file = directory_ / "a.nc";
    auto groups = sample_groups();
    groups[0].arrays.push_back({"counts", {{"row", 2}}, {3, 4}, {}, true});
    write_netcdf(file, groups, {});
    const auto group = read_netcdf_group(file, "first");
    ASSERT_TRUE(group);
    EXPECT_EQ(group->attributes, groups[0].attributes);
    ASSERT_EQ(group->arrays.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        const auto &read = group->arrays[i], &written = groups[0].arrays[i];
        EXPECT_EQ(read.name, written.name);
        EXPECT_EQ(read.values, written.values);
        EXPECT_EQ(read.is_whole, written.is_whole);
        ASSERT_EQ(read.dimensions.size(), written.dimensions.size());
        for (std::size_t d = 0; d < read.dimensions.size(); ++d) {
            EXPECT_EQ(read.dimensions[d].name, written.dimensions[d].name);
            EXPECT_EQ(read.dimensions[d].size, written.dimensions[d].size);
        }
    }
    EXPECT_FALSE(read_netcdf_group(file, "third"));
    std::ofstream(directory_ / "b.nc") << "no NetCDF";
    EXPECT_THROW(read_netcdf_group(directory_ / "b.nc", "first"), InputError);
    EXPECT_THROW(read_netcdf_group(directory_ / "none.nc", "first"), InputError);
    EXPECT_THROW(read_netcdf_group(directory_, "first"), InputError);
}

TEST_F(Netcdf, EqualGroupsGiveEqualBytes) {
    write_netcdf(directory_ / "a.nc", sample_groups(), {});
    write_netcdf(directory_ / "b.nc", sample_groups(), {});
    auto other = sample_groups();
    other[0].arrays[0].values[5] += 1e-15;
    write_netcdf(directory_ / "c.nc", other, {});
    EXPECT_FALSE(bytes_of(directory_ / "a.nc").empty());
    EXPECT_EQ(bytes_of(directory_ / "a.nc"), bytes_of(directory_ / "b.nc"));
    EXPECT_NE(bytes_of(directory_ / "a.nc"), bytes_of(directory_ / "c.nc"));
}

TEST_F(Netcdf, MendsNames) {
    const auto file = directory_ / "a.nc";
    write_netcdf(file,
                 {{"g", {{"(a/b)", {}, {1}}, {"row", {{"row", 2}}, {1, 2}}, {"", {}, {3}}, {"none", {{"n", 0}}, {}}}}},
                 {});
    int id = 0, group = 0, variable = 0;
    ASSERT_EQ(nc_open(file.c_str(), NC_NOWRITE, &id), NC_NOERR);
    ASSERT_EQ(nc_inq_grp_ncid(id, "g", &group), NC_NOERR);
    for (const char* name : {"_(a_b)", "row", "row_", "_"})
        EXPECT_EQ(nc_inq_varid(group, name, &variable), NC_NOERR) << name;
    EXPECT_NE(nc_inq_varid(group, "none", &variable), NC_NOERR);
    nc_close(id);
}

TEST_F(Netcdf, LeavesTheOldFileWhereItCannotWrite) {
    const auto file = directory_ / "a.nc";
    write_netcdf(file, sample_groups(), {});
    const auto before = bytes_of(file);
    {
        const testing::FileSizeLimit limit(100);
        EXPECT_THROW(write_netcdf(file, sample_groups(), {}), FileError);
    }
    EXPECT_EQ(bytes_of(file), before);
    EXPECT_EQ(files(), std::vector<fs::path>{"a.nc"});
    EXPECT_THROW(write_netcdf(directory_ / "absent" / "a.nc", sample_groups(), {}), FileError);
}

TEST_F(Netcdf, LeavesNothingElse) {
    write_netcdf(directory_ / "a.nc", sample_groups(), {});
    EXPECT_EQ(files(), std::vector<fs::path>{"a.nc"});
}

TEST_F(Netcdf, RefusesWhatDoesNotFit) {
    const auto write = [&](std::vector<LabelledArray> arrays) {
        write_netcdf(directory_ / "a.nc", {{"g", std::move(arrays)}}, {});
    };
    EXPECT_THROW(write({{"x", {{"row", 3}}, {1, 2}}}), ContractViolation);
    EXPECT_THROW(write({{"x", {{"row", 2}}, {1, 2}}, {"y", {{"row", 1}}, {1}}}), ContractViolation);
    EXPECT_THROW(write({{"x", {{"row", 2, {"only one"}}}, {1, 2}}}), ContractViolation);
    EXPECT_TRUE(files().empty());
}

} // namespace
} // namespace pearlite::io
