#include "io/container/hdf5_layout.hpp"

#include "io/files/stamp.hpp"

#include "pearlite/core/error.hpp"

namespace pearlite::io {
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
    for (const PlannedField& field : fields)
        file.write(field.entry.offset, field.values);
}

} // namespace pearlite::io
