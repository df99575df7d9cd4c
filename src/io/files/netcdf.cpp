#include "io/files/netcdf.hpp"

#include "io/files/temporary_file.hpp"
#include "pearlite/core/detail/contract.hpp"
#include "pearlite/core/error.hpp"

#include <netcdf.h>
#include <netcdf_mem.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

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
            PEARLITE_EXPECTS(other.size == dimension.size && other.labels == dimension.labels);
            return;
        }
        PEARLITE_EXPECTS(dimension.labels.empty() || static_cast<Index>(dimension.labels.size()) == dimension.size);
        Defined defined{0, dimension};
        const auto name = free_name(dimension.name);
        image_.check(nc_def_dim(id_, name.c_str(), static_cast<std::size_t>(dimension.size), &defined.id));
        int variable = 0;
        image_.check(
            nc_def_var(id_, name.c_str(), dimension.labels.empty() ? NC_INT64 : NC_STRING, 1, &defined.id, &variable));
        if (dimension.labels.empty()) {
            std::vector<long long> places(static_cast<std::size_t>(dimension.size));
            for (std::size_t i = 0; i < places.size(); ++i)
                places[i] = static_cast<long long>(i);
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

} // namespace pearlite::io
