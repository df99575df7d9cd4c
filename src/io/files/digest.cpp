#include "io/files/digest.hpp"

#include "io/files/posix_file.hpp"
#include "parallel/agreement.hpp"

#include <algorithm>
#include <bit>
#include <fcntl.h>
#include <openssl/evp.h>

namespace pearlite::io {

struct Sha256::Implementation {
    struct Free {
        void operator()(EVP_MD_CTX* freed) const { EVP_MD_CTX_free(freed); }
    };
    std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Sha256::Sha256() : implementation_(std::make_unique<Implementation>()) {
    if (!implementation_->context || EVP_DigestInit_ex(implementation_->context.get(), EVP_sha256(), nullptr) != 1)
        throw Error(ErrorKind::other, "OpenSSL offers no SHA-256");
}

Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
    PEARLITE_EXPECTS(implementation_ != nullptr);
    PEARLITE_ENSURES(EVP_DigestUpdate(implementation_->context.get(), bytes.data(), bytes.size()) == 1);
}

Sha256::Digest Sha256::finish() {
    PEARLITE_EXPECTS(implementation_ != nullptr);
    Digest digest;
    unsigned length = 0;
    const int ended =
        EVP_DigestFinal_ex(implementation_->context.get(), reinterpret_cast<unsigned char*>(digest.data()), &length);
    PEARLITE_ENSURES(ended == 1 && length == digest.size());
    implementation_.reset();
    return digest;
}

std::string Sha256::finish_hex() {
    return hex(finish());
}

std::string hex(const Sha256::Digest& digest) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(2 * digest.size());
    for (const std::byte byte : digest) {
        text += digits[std::to_integer<unsigned>(byte) >> 4];
        text += digits[std::to_integer<unsigned>(byte) & 15U];
    }
    return text;
}

namespace {

constexpr std::size_t hashed_bytes = std::size_t{4} << 20;

void check_runs(const ShardedField& field, Index run) {
    const Index end = field.first_local + field.local;
    PEARLITE_EXPECTS(run >= 1 && field.first_local >= 0 && field.local >= 0 && end <= field.items);
    PEARLITE_EXPECTS(field.local == 0 || (field.first_local % run == 0 && (end % run == 0 || end == field.items)));
}

std::vector<Sha256::Digest> hash_local_runs(const ShardedField& field, Index run) {
    check_runs(field, run);
    const auto items_per_buffer =
        std::max<Index>(1, static_cast<Index>(hashed_bytes / std::max<std::size_t>(1, field.item_bytes)));
    std::vector<std::byte> buffer(static_cast<std::size_t>(std::min({items_per_buffer, run, field.local})) *
                                  field.item_bytes);
    std::vector<Sha256::Digest> digests;
    for (Index first = 0; first < field.local; first += run) {
        Sha256 hash;
        const Index end = std::min(first + run, field.local);
        for (Index item = first; item < end; item += items_per_buffer) {
            const Index count = std::min(items_per_buffer, end - item);
            const auto bytes = std::span(buffer).first(static_cast<std::size_t>(count) * field.item_bytes);
            field.pack(item, count, bytes);
            hash.add(bytes);
        }
        digests.push_back(hash.finish());
    }
    return digests;
}

struct LocalRuns {
    Index first_item;
    Index n_runs;
    int rank;
};

/// Collective. Adds the digests of a rank, n of them, on every rank: a few at a time, for no rank holds them all.
void add_digests(const parallel::Communicator& ranks, std::span<const Sha256::Digest> mine, const LocalRuns& runs,
                 Sha256& hash) {
    constexpr Index at_once = 4096;
    std::vector<Sha256::Digest> some;
    for (Index first = 0; first < runs.n_runs; first += at_once) {
        some.resize(static_cast<std::size_t>(std::min(at_once, runs.n_runs - first)));
        if (ranks.rank() == runs.rank)
            std::ranges::copy(mine.subspan(static_cast<std::size_t>(first), some.size()), some.begin());
        ranks.broadcast(std::span(some), runs.rank);
        hash.add(std::as_bytes(std::span(some)));
    }
}

} // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
    constexpr std::uint64_t piece = std::uint64_t{1} << 20;
    const PosixFile file(path, O_RDONLY);
    std::vector<std::byte> bytes;
    Sha256 hash;
    const auto size = file.size();
    for (std::uint64_t begin = 0; begin < size; begin += piece) {
        bytes.resize(std::min(piece, size - begin));
        file.read(bytes, begin);
        hash.add(bytes);
    }
    return hash.finish_hex();
}

Sha256::Digest digest(const parallel::Communicator& ranks, const ShardedField& field, Index run) {
    static_assert(std::endian::native == std::endian::little, "packed items and the header below are little-endian");
    std::vector<Sha256::Digest> mine;
    parallel::together(ranks, [&] { mine = hash_local_runs(field, run); });
    // Global order is that of the items; nothing says that it is also the order of the ranks.
    auto parts = ranks.all_gather(LocalRuns{field.first_local, static_cast<Index>(mine.size()), ranks.rank()});
    std::erase_if(parts, [](const LocalRuns& part) { return part.n_runs == 0; });
    std::ranges::sort(parts, {}, &LocalRuns::first_item);
    Index n_runs = 0;
    for (const auto& part : parts)
        n_runs += part.n_runs;
    PEARLITE_EXPECTS(n_runs == (field.items + run - 1) / run);
    Sha256 hash;
    const std::array<std::int64_t, 3> shape{field.items, static_cast<std::int64_t>(field.item_bytes), run};
    hash.add(std::as_bytes(std::span(shape)));
    for (const auto& part : parts)
        add_digests(ranks, mine, part, hash);
    return hash.finish();
}

} // namespace pearlite::io
