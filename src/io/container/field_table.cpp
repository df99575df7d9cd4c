#include "io/container/field_table.hpp"

#include "io/files/stamp.hpp"
#include "pearlite/core/error.hpp"

#include <algorithm>
#include <new>
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

namespace {

struct PropertyLists {
    Hdf5Handle file_creation;
    Hdf5Handle file_access;
    Hdf5Handle dataset_creation;
};

PropertyLists make_property_lists(const std::string& what) {
    const auto create = [&](hid_t list_class) { return Hdf5Handle(H5Pcreate(list_class), H5Pclose, what); };
    PropertyLists lists{create(H5P_FILE_CREATE), create(H5P_FILE_ACCESS), create(H5P_DATASET_CREATE)};
    const hid_t file = lists.file_creation.get();
    const hid_t dataset = lists.dataset_creation.get();
    hdf5_check(H5Pset_userblock(file, stamp_bytes), what);
    // Fields are listed as they were written; times would make equal runs differ.
    hdf5_check(H5Pset_link_creation_order(file, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), what);
    hdf5_check(H5Pset_obj_track_times(file, false), what);
    hdf5_check(H5Pset_obj_track_times(dataset, false), what);
    hdf5_check(H5Pset_layout(dataset, H5D_CONTIGUOUS), what);
    hdf5_check(H5Pset_alloc_time(dataset, H5D_ALLOC_TIME_EARLY), what);
    hdf5_check(H5Pset_fill_time(dataset, H5D_FILL_TIME_NEVER), what);
    // Format 1.8: checksummed metadata, and readable by every HDF5 in use.
    hdf5_check(H5Pset_libver_bounds(lists.file_access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18), what);
    return lists;
}

// Groups are made by hand and not by H5Pset_create_intermediate_group, which would not let them keep their fields'
// order.
void make_groups(hid_t file, const std::string& name, const std::string& what) {
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
        const std::string group = name.substr(0, slash);
        if (hdf5_check(H5Lexists(file, group.c_str(), H5P_DEFAULT), what) > 0)
            continue;
        const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, what);
        hdf5_check(H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED), what);
        hdf5_check(H5Pset_obj_track_times(creation.get(), false), what);
        const Hdf5Handle made(H5Gcreate2(file, group.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Gclose,
                              what);
    }
}

Hdf5Handle make_space(const FieldEntry& entry, const std::string& what) {
    if (entry.shape.empty())
        return {H5Screate(H5S_SCALAR), H5Sclose, what};
    const std::vector<hsize_t> extents(entry.shape.begin(), entry.shape.end());
    return {H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), H5Sclose, what};
}

void add(hid_t file, const PropertyLists& lists, FieldEntry& entry) {
    const std::string what = "cannot lay out field '" + entry.name + "'";
    make_groups(file, entry.name, what);
    const Hdf5Handle type = stored_type(entry.type, entry.element_bytes);
    const Hdf5Handle space = make_space(entry, what);
    const Hdf5Handle dataset(H5Dcreate2(file, entry.name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                        lists.dataset_creation.get(), H5P_DEFAULT),
                             H5Dclose, what);
    if (entry.bytes() == 0)
        return;
    const haddr_t offset = H5Dget_offset(dataset.get());
    if (offset == HADDR_UNDEF)
        throw FileError(what + ": HDF5 gave it no place in the file");
    entry.offset = offset;
}

} // namespace

void lay_out(std::vector<PlannedField>& fields, SparseFile& file) {
    const QuietHdf5 quiet;
    const PropertyLists lists = make_property_lists("cannot prepare an HDF5 file");
    Hdf5Handle handle = create_in_memory(file, lists.file_creation.get(), lists.file_access.get());
    for (PlannedField& field : fields)
        add(handle.get(), lists, field.entry);
    handle.close("cannot finish the layout of an HDF5 file");
    if (file.lacks_pages())
        throw std::bad_alloc();
    for (const PlannedField& field : fields)
        file.write(field.entry.offset, field.values);
}

namespace {

// Small enough to stay in a core's cache between packing and writing.
constexpr std::size_t restored_bytes = std::size_t{1} << 20;

// Calls transfer(first, count, buffer, file offset) for one buffer after another of this rank's items.
template <class Transfer>
void for_each_buffer(const ShardedField& field, std::uint64_t dataset_offset, Transfer&& transfer) {
    if (field.local == 0 || field.item_bytes == 0)
        return;
    const auto items_per_buffer = std::max<Index>(1, static_cast<Index>(restored_bytes / field.item_bytes));
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(items_per_buffer, field.local)) * field.item_bytes);
    for (Index first = 0; first < field.local; first += items_per_buffer) {
        const Index count = std::min(items_per_buffer, field.local - first);
        const auto item = static_cast<std::uint64_t>(field.first_local + first);
        transfer(first, count, std::span(buffer).first(static_cast<std::size_t>(count) * field.item_bytes),
                 dataset_offset + item * field.item_bytes);
    }
}

} // namespace

FieldType stored_field_type(ItemType type) {
    switch (type) {
    case ItemType::float64:
        return FieldType::float64;
    case ItemType::int64:
        return FieldType::int64;
    case ItemType::bytes:
        break;
    }
    return FieldType::bytes;
}

std::vector<std::uint64_t> stored_shape(const ShardedField& field) {
    const auto items = static_cast<std::uint64_t>(field.items);
    if (field.type == ItemType::bytes)
        return {items, field.item_bytes};
    if (field.item_bytes == sizeof(double))
        return {items};
    return {items, field.item_bytes / sizeof(double)};
}

void check_local_part(const ShardedField& field) {
    PEARLITE_EXPECTS(field.items >= 0 && field.local >= 0 && field.first_local >= 0);
    PEARLITE_EXPECTS(field.first_local <= field.items && field.local <= field.items - field.first_local);
    PEARLITE_EXPECTS(field.type == ItemType::bytes || field.item_bytes % sizeof(double) == 0);
}

void write_local_items(const ShardedField& field, PosixFile& file, std::uint64_t offset) {
    for_each_buffer(field, offset, [&](Index first, Index count, std::span<std::byte> buffer, std::uint64_t position) {
        field.pack(first, count, buffer);
        file.write(buffer, position);
        file.start_writing_back(position, buffer.size());
    });
}

void read_local_items(const ShardedField& field, const PosixFile& file, std::uint64_t offset) {
    for_each_buffer(field, offset, [&](Index first, Index count, std::span<std::byte> buffer, std::uint64_t position) {
        file.read(buffer, position);
        field.unpack(first, count, buffer);
    });
}

} // namespace pearlite::io
