// Preloaded into a job: the n-th allocation of one rank fails, once. Of C++ alone, for MPI does not expect it in C.
//   PEARLITE_FAILING_RANK, PEARLITE_FAILING_ALLOCATION   which rank, which allocation (0: none)
//   PEARLITE_ALLOCATIONS                                 a file for the number of allocations at that rank's end
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

struct Plan {
    bool is_rank = false;
    long failing = 0;
    long made = 0;
    const char* file = nullptr;

    Plan() {
        const char* const rank = std::getenv("OMPI_COMM_WORLD_RANK");
        const char* const wanted = std::getenv("PEARLITE_FAILING_RANK");
        is_rank = rank != nullptr && wanted != nullptr && std::strcmp(rank, wanted) == 0;
        if (const char* const number = std::getenv("PEARLITE_FAILING_ALLOCATION"))
            failing = std::atol(number);
        file = std::getenv("PEARLITE_ALLOCATIONS");
    }
    ~Plan() {
        if (!is_rank || file == nullptr)
            return;
        if (std::FILE* const out = std::fopen(file, "w")) {
            std::fprintf(out, "%ld\n", made);
            std::fclose(out);
        }
    }
};

void* allocate(std::size_t size, std::size_t alignment) {
    static Plan plan;
    if (plan.is_rank && ++plan.made == plan.failing)
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
    return allocate(size, 0);
}
void* operator new[](std::size_t size) {
    return allocate(size, 0);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
    return allocate(size, static_cast<std::size_t>(alignment));
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
