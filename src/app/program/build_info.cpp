#include "app/program/build_info.hpp"

#include "pearlite/core/error.hpp"
#include "pearlite/random/detail/ars.hpp"
#include "pearlite/random/detail/philox.hpp"
#include "simd/path.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <elf.h>
#include <link.h>

namespace pearlite::app {

namespace {

/// The first 16 digits of the GNU build id in a segment of ELF notes, or nothing.
std::string build_id_among_notes(ElfW(Addr) begin, std::size_t size) {
    // The loader gives addresses as integers. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* bytes = reinterpret_cast<const unsigned char*>(begin);
    const auto aligned = [](std::size_t n) { return (n + 3) / 4 * 4; };
    for (std::size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        ElfW(Nhdr) note;
        std::memcpy(&note, bytes + at, sizeof note);
        const auto* description = bytes + at + sizeof note + aligned(note.n_namesz);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_descsz >= 8) {
            std::string id;
            for (int i = 0; i < 8; ++i)
                id += fmt::format("{:02x}", description[i]);
            return id;
        }
        at += sizeof note + aligned(note.n_namesz) + aligned(note.n_descsz);
    }
    return {};
}

bool holds(const dl_phdr_info& object, std::uintptr_t address) {
    return std::any_of(object.dlpi_phdr, object.dlpi_phdr + object.dlpi_phnum, [&](const auto& header) {
        return header.p_type == PT_LOAD && address - (object.dlpi_addr + header.p_vaddr) < header.p_memsz;
    });
}

/// The linker's build id of the program or library that holds this function. It changes with any change of code or
/// options.
std::string linked_build_id() {
    std::string id;
    dl_iterate_phdr(
        [](dl_phdr_info* object, std::size_t, void* result) {
            if (!holds(*object, reinterpret_cast<std::uintptr_t>(&linked_build_id)))
                return 0;
            for (int i = 0; i < object->dlpi_phnum; ++i)
                if (object->dlpi_phdr[i].p_type == PT_NOTE)
                    if (auto found = build_id_among_notes(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr,
                                                          object->dlpi_phdr[i].p_memsz);
                        !found.empty())
                        *static_cast<std::string*>(result) = found;
            return 1;
        },
        &id);
    return id.empty() ? "unknown" : id;
}

/// The name and the way to resume that a host process has set; empty for the program itself.
struct Host {
    std::string name, way_to_resume;
};
Host& host() {
    static Host host;
    return host;
}

} // namespace

std::string compiler() {
    return fmt::format("g++ {}, -march={}", __VERSION__, PEARLITE_ARCHITECTURE);
}

std::string program_name() {
    return host().name.empty() ? program_invocation_short_name : host().name;
}

std::string resuming(const std::filesystem::path& directory) {
    return host().way_to_resume.empty() ? fmt::format("`{} resume {}`", program_name(), directory.string())
                                        : host().way_to_resume;
}

void speak_as(std::string name, std::string way_to_resume) {
    host() = {std::move(name), std::move(way_to_resume)};
}

std::string build_id() {
    return fmt::format("pearlite {} ({}, build {})", PEARLITE_VERSION, compiler(), linked_build_id());
}

std::string generators() {
    return fmt::format("generators {}, {} ({})", random::Philox::name, random::Ars::name,
                       random::Ars::implementation());
}

std::vector<std::string> library_versions() {
    return {fmt::format("Eigen {}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION),
            PEARLITE_LIBRARY_VERSIONS, generators()};
}

std::string cpu_features() {
    std::string features;
    for (const auto set : simd::instruction_sets)
        if (simd::cpu_has(set))
            features += (features.empty() ? "" : " ") + std::string(simd::name_of(set));
    return features;
}

bool bits_depend_on_cpu() {
    return std::string_view(PEARLITE_ARCHITECTURE) == "native";
}

std::string kernel_path() {
    return std::string(simd::name_of(simd::chosen_path().path));
}

std::string kernel_path_note() {
    return simd::chosen_path().note;
}

void require_cpu() {
    for (const auto set : simd::instruction_sets)
        if (simd::compiled_for(set) && !simd::cpu_has(set))
            throw InputError(fmt::format(
                "this program was built for CPUs with {}, which this one lacks; {}", simd::name_of(set),
                bits_depend_on_cpu() ? "build it here, or without -DPEARLITE_NATIVE=ON" : "it takes an x86-64-v3 CPU"));
}

} // namespace pearlite::app
