#include "io/container/field_table.hpp"

#include "pearlite/core/error.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace pearlite::io {
namespace {

// The enumeration by which h5py and others know a truth value.
Hdf5Handle boolean_type() {
    const std::string what = "cannot make HDF5's boolean type";
    Hdf5Handle type(H5Tenum_create(H5T_STD_I8LE), H5Tclose, what);
    for (const std::int8_t value : {std::int8_t{0}, std::int8_t{1}})
        hdf5_check(H5Tenum_insert(type.get(), value ? "TRUE" : "FALSE", &value), what);
    return type;
}

Hdf5Handle text_type(std::uint64_t element_bytes) {
    const std::string what = "cannot make HDF5's text type";
    Hdf5Handle type(H5Tcopy(H5T_C_S1), H5Tclose, what);
    hdf5_check(H5Tset_size(type.get(), element_bytes), what);
    hdf5_check(H5Tset_cset(type.get(), H5T_CSET_UTF8), what);
    return type;
}

FieldType classify(hid_t type, std::uint64_t element_bytes) {
    for (const FieldType candidate :
         {FieldType::boolean, FieldType::float64, FieldType::int64, FieldType::uint64, FieldType::bytes})
        if (H5Tequal(type, stored_type(candidate, element_bytes).get()) > 0)
            return candidate;
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 ? FieldType::text : FieldType::other;
}

std::vector<std::uint64_t> shape_of(hid_t dataset, const std::string& what) {
    const Hdf5Handle space(H5Dget_space(dataset), H5Sclose, what);
    const int n_dimensions = hdf5_check(H5Sget_simple_extent_ndims(space.get()), what);
    std::vector<hsize_t> extents(static_cast<std::size_t>(n_dimensions));
    hdf5_check(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), what);
    return {extents.begin(), extents.end()};
}

FieldEntry entry_of(hid_t dataset, const std::string& name, const std::string& what) {
    FieldEntry entry;
    entry.name = name;
    const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, what);
    entry.element_bytes = H5Tget_size(type.get());
    entry.type = classify(type.get(), entry.element_bytes);
    entry.shape = shape_of(dataset, what);
    const haddr_t offset = H5Dget_offset(dataset);
    if (offset != HADDR_UNDEF)
        entry.offset = offset;
    else if (entry.bytes() > 0)
        entry.type = FieldType::other; // not contiguous: none of this program's writing
    return entry;
}

std::string link_name(hid_t group, hsize_t position, const std::string& what) {
    const auto get = [&](char* out, std::size_t size) {
        return hdf5_check(
            H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, position, out, size, H5P_DEFAULT), what);
    };
    std::string name(static_cast<std::size_t>(get(nullptr, 0)), '\0');
    get(name.data(), name.size() + 1);
    return name;
}

void walk(hid_t group, const std::string& prefix, const std::string& what, std::vector<FieldEntry>& entries) {
    H5G_info_t info;
    hdf5_check(H5Gget_info(group, &info), what);
    for (hsize_t position = 0; position < info.nlinks; ++position) {
        const std::string link = link_name(group, position, what);
        const Hdf5Handle object(H5Oopen(group, link.c_str(), H5P_DEFAULT), H5Oclose, what);
        const H5I_type_t kind = H5Iget_type(object.get());
        if (kind == H5I_GROUP)
            walk(object.get(), prefix + link + "/", what, entries);
        else if (kind == H5I_DATASET)
            entries.push_back(entry_of(object.get(), prefix + link, what));
    }
}

template <class Extent>
std::string describe(FieldType type, const std::vector<Extent>& shape) {
    std::string text = name_of(type);
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? " [" : " x ") +
                (static_cast<std::int64_t>(shape[i]) < 0 ? std::string("any") : std::to_string(shape[i]));
    return shape.empty() ? text : text + "]";
}

} // namespace

const char* name_of(FieldType type) {
    switch (type) {
    case FieldType::text:
        return "text";
    case FieldType::boolean:
        return "boolean";
    case FieldType::float64:
        return "float64";
    case FieldType::int64:
        return "int64";
    case FieldType::uint64:
        return "uint64";
    case FieldType::bytes:
        return "bytes";
    case FieldType::other:
        break;
    }
    return "of a foreign type";
}

std::uint64_t FieldEntry::elements() const {
    return std::accumulate(shape.begin(), shape.end(), std::uint64_t{1}, std::multiplies<>());
}

std::string FieldEntry::description() const {
    return describe(type, shape);
}

std::string describe_type(FieldType type, const std::vector<std::int64_t>& shape) {
    return describe(type, shape);
}

Hdf5Handle stored_type(FieldType type, std::uint64_t element_bytes) {
    const auto copy = [](hid_t standard) {
        return Hdf5Handle(H5Tcopy(standard), H5Tclose, "cannot copy an HDF5 type");
    };
    switch (type) {
    case FieldType::text:
        return text_type(element_bytes);
    case FieldType::boolean:
        return boolean_type();
    case FieldType::float64:
        return copy(H5T_IEEE_F64LE);
    case FieldType::int64:
        return copy(H5T_STD_I64LE);
    case FieldType::uint64:
        return copy(H5T_STD_U64LE);
    case FieldType::bytes:
        return copy(H5T_STD_U8LE);
    case FieldType::other:
        break;
    }
    throw FileError("a field of a foreign type cannot be stored");
}

std::vector<FieldEntry> read_field_table(const std::filesystem::path& path) {
    const QuietHdf5 quiet;
    const std::string what = "cannot read the contents of " + path.string();
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, what);
    hdf5_check(H5Pset_fapl_sec2(access.get()), what);
    // A complete container never changes, and file systems without locks must serve too.
    hdf5_check(H5Pset_file_locking(access.get(), false, true), what);
    const Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, what);
    const Hdf5Handle root(H5Gopen2(file.get(), "/", H5P_DEFAULT), H5Gclose, what);
    std::vector<FieldEntry> entries;
    walk(root.get(), "", what, entries);
    return entries;
}

} // namespace pearlite::io
