#include "io/files/apart.hpp"
#include "io/files/netcdf.hpp"
#include "pearlite/core/error.hpp"

#include <netcdf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace pearlite::io {

namespace {

/// An open NetCDF file.
class OpenFile {
  public:
    explicit OpenFile(const std::filesystem::path& path) : name_(path.string()) {
        std::error_code ignored;
        if (!std::filesystem::is_regular_file(path, ignored))
            throw InputError(name_ + ": not there, expected a NetCDF-4 file");
        check(nc_open(name_.c_str(), NC_NOWRITE, &id_));
    }
    OpenFile(const OpenFile&) = delete;
    ~OpenFile() { nc_close(id_); }

    int id() const { return id_; }
    void check(int status) const {
        if (status != NC_NOERR)
            throw InputError(name_ + ": " + nc_strerror(status) + ", expected a whole NetCDF-4 file");
    }

  private:
    std::string name_;
    int id_ = -1;
};

class GroupReader {
  public:
    GroupReader(const OpenFile& file, int id) : file_(file), id_(id) {}

    std::vector<NetcdfGroup::Attribute> attributes() const {
        int n = 0;
        file_.check(nc_inq_natts(id_, &n));
        std::vector<NetcdfGroup::Attribute> all;
        for (int i = 0; i < n; ++i) {
            std::array<char, NC_MAX_NAME + 1> name{};
            file_.check(nc_inq_attname(id_, NC_GLOBAL, i, name.data()));
            nc_type type = 0;
            std::size_t size = 0;
            file_.check(nc_inq_att(id_, NC_GLOBAL, name.data(), &type, &size));
            if (type != NC_CHAR)
                continue;
            std::string text(size, '\0');
            file_.check(nc_get_att_text(id_, NC_GLOBAL, name.data(), text.data()));
            all.emplace_back(name.data(), std::move(text));
        }
        return all;
    }

    std::vector<LabelledArray> arrays() const {
        int n = 0;
        file_.check(nc_inq_varids(id_, &n, nullptr));
        std::vector<int> variables(static_cast<std::size_t>(n));
        file_.check(nc_inq_varids(id_, &n, variables.data()));
        std::vector<LabelledArray> all;
        for (const int variable : variables) {
            auto array = outline(variable);
            const bool is_coordinate = array.dimensions.size() == 1 && array.dimensions.front().name == array.name;
            nc_type type = 0;
            file_.check(nc_inq_vartype(id_, variable, &type));
            array.is_whole = type == NC_INT64;
            if (is_coordinate || (type != NC_DOUBLE && type != NC_INT64))
                continue;
            array.values.resize(static_cast<std::size_t>(array.size()));
            file_.check(nc_get_var_double(id_, variable, array.values.data()));
            all.push_back(std::move(array));
        }
        return all;
    }

  private:
    /// The name and the dimensions.
    LabelledArray outline(int variable) const {
        LabelledArray array;
        std::array<char, NC_MAX_NAME + 1> name{};
        file_.check(nc_inq_varname(id_, variable, name.data()));
        array.name = name.data();
        int n = 0;
        file_.check(nc_inq_varndims(id_, variable, &n));
        std::vector<int> dimensions(static_cast<std::size_t>(n));
        file_.check(nc_inq_vardimid(id_, variable, dimensions.data()));
        for (const int dimension : dimensions) {
            std::size_t size = 0;
            file_.check(nc_inq_dim(id_, dimension, name.data(), &size));
            array.dimensions.push_back({name.data(), static_cast<Index>(size)});
        }
        return array;
    }

    const OpenFile& file_;
    int id_;
};

std::optional<NetcdfGroup> read_here(const std::filesystem::path& path, const std::string& name) {
    const OpenFile file(path);
    int id = 0;
    if (const int status = nc_inq_grp_ncid(file.id(), name.c_str(), &id); status == NC_ENOGRP)
        return std::nullopt;
    else
        file.check(status);
    const GroupReader group(file, id);
    return NetcdfGroup{name, group.arrays(), group.attributes()};
}

} // namespace

std::optional<NetcdfGroup> read_netcdf_group(const std::filesystem::path& path, const std::string& name) {
    read_apart(path, [&]() -> std::vector<Matrix> {
        read_here(path, name);
        return {};
    });
    return read_here(path, name);
}

} // namespace pearlite::io
