#include "campaign/fuzz/tally.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pearlite::fuzz {

void Tally::add(Outcome outcome, const std::string& what) {
    if (outcome == Outcome::failed)
        message[what.copy(message.data(), message.size() - 1)] = '\0';
    (outcome == Outcome::accepted ? accepted : outcome == Outcome::refused ? refused : failed) += 1;
}

Tally& shared_tally(const std::filesystem::path& file, bool again) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | (again ? 0 : O_TRUNC), 0644);
    void* memory = MAP_FAILED;
    if (descriptor >= 0 && ::ftruncate(descriptor, sizeof(Tally)) == 0)
        memory = ::mmap(nullptr, sizeof(Tally), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (memory == MAP_FAILED)
        throw FileError(file.string() + ": cannot be shared");
    return *static_cast<Tally*>(memory);
}

} // namespace pearlite::fuzz
