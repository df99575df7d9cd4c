// Preloaded into a job, it makes one allocation of one rank fail. Only operator new fails, since MPI does not expect
// malloc to fail.
//   PEARLITE_FAILING_RANK          the rank
//   PEARLITE_FAILING_ALLOCATION    the number of the allocation that fails
//   PEARLITE_FAILING_SITE          or: the first allocation of this call site, by its number in the list of sites
//   PEARLITE_ALLOCATIONS           a file for the number of allocations and, with PEARLITE_CALL_SITES, a line for each
//                                  call site: its number, the number of its first allocation, how many it made
//   PEARLITE_CALL_SITES            how many frames above the allocation make a call site
//   PEARLITE_FAILED                a file for the stack of the allocation when it fails
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <unistd.h>

namespace {

constexpr std::size_t most_modules = 1024, most_sites = 1U << 16, most_frames = 16;

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    return hash ^ (hash >> 29);
}

/// The program and its libraries. Addresses are relative to them, so that they are the same in every run.
struct Modules {
    struct Module {
        std::uintptr_t begin, end;
        std::uint64_t name;
    };
    std::array<Module, most_modules> all{};
    std::size_t n = 0;

    static int add(dl_phdr_info* info, std::size_t, void* self) {
        auto& modules = *static_cast<Modules*>(self);
        const char* const slash = std::strrchr(info->dlpi_name, '/');
        std::uint64_t name = 1;
        for (const char* c = slash != nullptr ? slash : info->dlpi_name; *c != '\0'; ++c)
            name = mix(name, static_cast<unsigned char>(*c));
        std::uintptr_t begin = UINTPTR_MAX, end = 0;
        for (int k = 0; k < info->dlpi_phnum; ++k)
            if (const auto& part = info->dlpi_phdr[k]; part.p_type == PT_LOAD) {
                begin = std::min<std::uintptr_t>(begin, info->dlpi_addr + part.p_vaddr);
                end = std::max<std::uintptr_t>(end, info->dlpi_addr + part.p_vaddr + part.p_memsz);
            }
        if (modules.n < most_modules)
            modules.all[modules.n++] = {begin, end, name};
        return 0;
    }
    const Module* find(std::uintptr_t address) const {
        for (std::size_t k = 0; k < n; ++k)
            if (all[k].begin <= address && address < all[k].end)
                return &all[k];
        return nullptr;
    }
    /// A number of the place in the code; libraries may have been loaded meanwhile.
    std::uint64_t place(std::uintptr_t address) {
        const Module* module = find(address);
        if (module == nullptr) {
            n = 0;
            dl_iterate_phdr(add, this);
            module = find(address);
        }
        return module != nullptr ? mix(module->name, address - module->begin) : 0;
    }
};

struct Site {
    std::uint64_t number;
    long first, made;
};

struct Plan {
    bool is_rank = false;
    long failing = 0;
    std::uint64_t failing_site = 0;
    long made = 0;
    int frames = 0;
    const char *file = nullptr, *failed = nullptr;
    bool is_looking = false; // the look at a stack may allocate itself
    Modules modules;
    std::array<Site, most_sites> sites{}; // a hash table

    Plan() {
        const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
        const char* const wanted = std::getenv("PEARLITE_FAILING_RANK");
        is_rank = rank != nullptr && wanted != nullptr && std::strcmp(rank, wanted) == 0;
        if (const char* const number = std::getenv("PEARLITE_FAILING_ALLOCATION"))
            failing = std::atol(number);
        if (const char* const number = std::getenv("PEARLITE_FAILING_SITE"))
            failing_site = std::strtoull(number, nullptr, 16);
        if (const char* const number = std::getenv("PEARLITE_CALL_SITES"))
            frames = std::atoi(number);
        file = std::getenv("PEARLITE_ALLOCATIONS");
        failed = std::getenv("PEARLITE_FAILED");
    }
    ~Plan() {
        if (!is_rank || file == nullptr)
            return;
        if (std::FILE* const out = std::fopen(file, "w")) {
            std::fprintf(out, "%ld\n", made);
            for (const Site& site : sites)
                if (site.made > 0)
                    std::fprintf(out, "%016lx %ld %ld\n", static_cast<unsigned long>(site.number), site.first,
                                 site.made);
            std::fclose(out);
        }
    }

    /// The call site of an allocation: the frames from `caller` on, without those of this library.
    std::uint64_t site_of(const void* caller) {
        constexpr int most_own_frames = 6;
        std::array<void*, most_own_frames + most_frames> stack{};
        const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
        void* const* const end = stack.data() + depth;
        void* const* const begin = std::find<void* const*>(stack.data(), end, caller);
        std::uint64_t number = 1;
        for (void* const* frame = begin; frame != end && frame != begin + frames; ++frame)
            number = mix(number, modules.place(reinterpret_cast<std::uintptr_t>(*frame)));
        return number;
    }

    /// Counts an allocation of a site; whether it is that site's first.
    bool is_first(std::uint64_t number) {
        for (std::size_t k = number % most_sites, tried = 0; tried < most_sites; k = (k + 1) % most_sites, ++tried) {
            if (sites[k].made == 0)
                sites[k] = {number, made, 0};
            if (sites[k].number == number)
                return ++sites[k].made == 1;
        }
        return false;
    }

    void write_stack() const {
        std::array<void*, 64> stack{};
        const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
        if (const int file_of_stack = open(failed, O_CREAT | O_WRONLY | O_CLOEXEC, 0644); file_of_stack >= 0) {
            backtrace_symbols_fd(stack.data(), depth, file_of_stack);
            close(file_of_stack);
        }
    }

    bool fails(const void* caller) {
        ++made;
        bool fails = made == failing;
        if (frames > 0 && !is_looking) {
            is_looking = true;
            const auto site = site_of(caller);
            fails |= is_first(site) && site == failing_site;
            is_looking = false;
        }
        if (fails && failed != nullptr)
            write_stack();
        return fails;
    }
};

void* allocate(std::size_t size, std::size_t alignment, const void* caller) {
    static Plan plan;
    if (plan.is_rank && plan.fails(caller))
        throw std::bad_alloc();
    const std::size_t room = size == 0 ? 1 : size;
    void* const memory = alignment == 0 ? std::malloc(room)
                                        : std::aligned_alloc(alignment, (room + alignment - 1) / alignment * alignment);
    if (memory == nullptr)
        throw std::bad_alloc();
    return memory;
}

} // namespace

void* operator new(std::size_t size) {
    return allocate(size, 0, __builtin_return_address(0));
}
void* operator new[](std::size_t size) {
    return allocate(size, 0, __builtin_return_address(0));
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete[](void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
    std::free(memory);
}
