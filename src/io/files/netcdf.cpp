#include "io/files/netcdf.hpp"

#include "io/files/child_process.hpp"
#include "io/files/temporary_file.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <array>
#include <cstdlib>
#include <map>
#include <netcdf.h>
#include <netcdf_mem.h>
#include <set>

namespace pearlite::io {

namespace {

constexpr std::size_t initial_bytes = std::size_t{1} << 20;

/// An open NetCDF file in memory.
class Image {
  public:
    explicit Image(std::string name) : name_(std::move(name)) {
        check(nc_create_mem(name_.c_str(), NC_NETCDF4, initial_bytes, &id_));
        is_open_ = true;
    }
    Image(const Image&) = delete;
    ~Image() {
        if (is_open_)
            nc_abort(id_);
    }

    int id() const { return id_; }
    void check(int status) const {
        if (status != NC_NOERR)
            throw FileError("cannot lay out " + name_ + ": " + nc_strerror(status));
    }

    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    struct Bytes {
        std::unique_ptr<void, Free> memory;
        std::size_t size = 0;
        std::span<const std::byte> span() const { return {static_cast<const std::byte*>(memory.get()), size}; }
    };
    /// Returns the whole file and ends the image.
    Bytes close() {
        NC_memio memory{};
        is_open_ = false;
        check(nc_close_memio(id_, &memory));
        return {std::unique_ptr<void, Free>(memory.memory), memory.size};
    }

  private:
    std::string name_;
    int id_ = -1;
    bool is_open_ = false;
};

/// Names begin with a letter, a digit or an underscore, have no slash and do not end in a space.
std::string legal_name(std::string name) {
    const auto is_plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    for (char& c : name)
        if (c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = '_';
    // Bytes beyond ASCII are UTF-8, which is legal anywhere.
    if (name.empty() || (!is_plain(name.front()) && static_cast<unsigned char>(name.front()) < 0x80))
        name.insert(name.begin(), '_');
    if (name.back() == ' ')
        name.back() = '_';
    return name;
}

void put_attribute(const Image& image, int group, int variable, const std::string& name, const std::string& text) {
    image.check(nc_put_att_text(group, variable, name.c_str(), text.size(), text.data()));
}

/// A group being written: its dimensions by name.
class GroupWriter {
  public:
    GroupWriter(const Image& image, const NetcdfGroup& group) : image_(image) {
        image_.check(nc_def_grp(image_.id(), legal_name(group.name).c_str(), &id_));
        for (const auto& [name, text] : group.attributes)
            put_attribute(image_, id_, NC_GLOBAL, name, text);
        for (const auto& array : group.arrays)
            if (array.size() > 0)
                for (const auto& dimension : array.dimensions)
                    define(dimension);
        for (const auto& array : group.arrays)
            if (array.size() > 0)
                write(array);
    }

  private:
    struct Defined {
        int id = 0;
        LabelledDimension dimension;
    };

    void define(const LabelledDimension& dimension) {
        const auto known = dimensions_.find(dimension.name);
        if (known != dimensions_.end()) {
            const auto& other = known->second.dimension;
            PEARLITE_EXPECTS(other.size == dimension.size && other.labels == dimension.labels &&
                             other.numbers == dimension.numbers);
            return;
        }
        PEARLITE_EXPECTS(dimension.labels.empty() || std::ssize(dimension.labels) == dimension.size);
        PEARLITE_EXPECTS(dimension.numbers.empty() || std::ssize(dimension.numbers) == dimension.size);
        Defined defined{0, dimension};
        const auto name = free_name(dimension.name);
        image_.check(nc_def_dim(id_, name.c_str(), static_cast<std::size_t>(dimension.size), &defined.id));
        int variable = 0;
        image_.check(
            nc_def_var(id_, name.c_str(), dimension.labels.empty() ? NC_INT64 : NC_STRING, 1, &defined.id, &variable));
        if (dimension.labels.empty()) {
            std::vector<long long> places(dimension.numbers.begin(), dimension.numbers.end());
            for (Index i = std::ssize(places); i < dimension.size; ++i)
                places.push_back(i);
            image_.check(nc_put_var_longlong(id_, variable, places.data()));
        } else {
            std::vector<const char*> labels;
            for (const auto& label : dimension.labels)
                labels.push_back(label.c_str());
            image_.check(nc_put_var_string(id_, variable, labels.data()));
        }
        dimensions_.emplace(dimension.name, std::move(defined));
    }

    void write(const LabelledArray& array) {
        PEARLITE_EXPECTS(static_cast<Index>(array.values.size()) == array.size());
        std::vector<int> ids;
        for (const auto& dimension : array.dimensions)
            ids.push_back(dimensions_.at(dimension.name).id);
        int variable = 0;
        image_.check(nc_def_var(id_, free_name(array.name).c_str(), array.is_whole ? NC_INT64 : NC_DOUBLE,
                                static_cast<int>(ids.size()), ids.data(), &variable));
        if (!array.description.empty())
            put_attribute(image_, id_, variable, "long_name", array.description);
        image_.check(nc_put_var_double(id_, variable, array.values.data())); // which converts to whole numbers
    }

    /// A legal name that is still free in the group.
    std::string free_name(const std::string& wanted) {
        auto name = legal_name(wanted);
        while (!taken_.insert(name).second)
            name += '_';
        return name;
    }

    const Image& image_;
    int id_ = 0;
    std::set<std::string> taken_;
    std::map<std::string, Defined> dimensions_;
};

} // namespace

void write_netcdf(const std::filesystem::path& path, const std::vector<NetcdfGroup>& groups,
                  const std::vector<NetcdfGroup::Attribute>& attributes) {
    Image image(path.filename().string());
    for (const auto& [name, text] : attributes)
        put_attribute(image, image.id(), NC_GLOBAL, name, text);
    for (const auto& group : groups)
        GroupWriter(image, group);
    write_durably(path, image.close().span());
}

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
    const auto try_to_read = [](const ReadRequest& request) -> std::vector<Matrix> {
        read_here(request.file, request.name);
        return {};
    };
    read_in_child_process(try_to_read, {path, name});
    return read_here(path, name);
}

} // namespace pearlite::io
