#include "io/files/sparse_file.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace pearlite::io {

void SparseFile::write(std::uint64_t offset, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const std::size_t within = offset % page_bytes;
        const std::size_t n = std::min(bytes.size(), page_bytes - within);
        Page& page = pages_.try_emplace(offset / page_bytes, Page{}).first->second;
        std::memcpy(page.data() + within, bytes.data(), n);
        bytes = bytes.subspan(n);
        offset += n;
    }
}

void SparseFile::write_if_possible(std::uint64_t offset, std::span<const std::byte> bytes) noexcept {
    try {
        write(offset, bytes);
    } catch (const std::bad_alloc&) {
        lacks_pages_ = true;
    }
}

void SparseFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
        const std::size_t within = offset % page_bytes;
        const std::size_t n = std::min(bytes.size(), page_bytes - within);
        const auto page = pages_.find(offset / page_bytes);
        if (page == pages_.end())
            std::memset(bytes.data(), 0, n);
        else
            std::memcpy(bytes.data(), page->second.data() + within, n);
        bytes = bytes.subspan(n);
        offset += n;
    }
}

namespace {

// HDF5's virtual file driver: a C structure whose first member is HDF5's own, and functions that may not throw.
struct Driver {
    H5FD_t base;
    SparseFile* file;
    haddr_t end_of_allocation;
    haddr_t end_of_file;
};

constexpr haddr_t largest_address = (haddr_t{1} << 62) - 1;

Driver& driver_of(H5FD_t* file) {
    return *reinterpret_cast<Driver*>(file);
}
const Driver& driver_of(const H5FD_t* file) {
    return *reinterpret_cast<const Driver*>(file);
}

H5FD_t* open_driver(const char*, unsigned, hid_t access, haddr_t) {
    const auto* const prepared = static_cast<std::unique_ptr<Driver>* const*>(H5Pget_driver_info(access));
    return prepared && **prepared ? &(*prepared)->release()->base : nullptr;
}

herr_t close_driver(H5FD_t* file) {
    Driver& driver = driver_of(file);
    driver.file->resize(driver.end_of_allocation);
    delete &driver;
    return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
    *flags = 0;
    return 0;
}

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t) {
    return driver_of(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t address) {
    driver_of(file).end_of_allocation = address;
    return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
    return driver_of(file).end_of_file;
}

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
    driver_of(file).file->read(address, {static_cast<std::byte*>(buffer), size});
    return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
    Driver& driver = driver_of(file);
    driver.file->write_if_possible(address, {static_cast<const std::byte*>(buffer), size});
    driver.end_of_file = std::max<haddr_t>(driver.end_of_file, address + size);
    return 0;
}

herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    driver_of(file).end_of_file = driver_of(file).end_of_allocation;
    return 0;
}

H5FD_class_t driver_class() {
    H5FD_class_t driver{};
    driver.name = "pearlite_sparse";
    driver.maxaddr = largest_address;
    driver.fc_degree = H5F_CLOSE_STRONG;
    driver.fapl_size = sizeof(void*); // of the pointer to what holds the driver
    driver.open = open_driver;
    driver.close = close_driver;
    driver.query = query;
    driver.get_eoa = end_of_allocation;
    driver.set_eoa = set_end_of_allocation;
    driver.get_eof = end_of_file;
    driver.read = read_bytes;
    driver.write = write_bytes;
    driver.truncate = truncate;
    return driver;
}

} // namespace

Hdf5Handle create_in_memory(SparseFile& file, hid_t creation, hid_t access) {
    const H5FD_class_t description = driver_class();
    // The open file keeps its own reference to the driver, so this one may end here.
    const Hdf5Handle driver(H5FDregister(&description), H5FDunregister, "cannot register the in-memory HDF5 driver");
    auto prepared = std::make_unique<Driver>();
    prepared->file = &file;
    auto* const holder = &prepared; // emptied when HDF5 opens the file, which then deletes the driver
    hdf5_check(H5Pset_driver(access, driver.get(), &holder), "cannot set the in-memory HDF5 driver");
    return {H5Fcreate("in memory", H5F_ACC_TRUNC, creation, access), H5Fclose, "cannot lay out an HDF5 file"};
}

} // namespace pearlite::io
