/// ARS in plain C++: the table of a byte holds its column after SubBytes and MixColumns (Daemen & Rijmen 2002, "The
/// design of Rijndael", section 4.2).

#include "random/ars/kernels.hpp"

namespace pearlite::random::ars_kernels {

namespace {

/// x times the polynomial `x` in the field of 256 elements.
constexpr std::uint32_t doubled(std::uint32_t x) {
    return (x << 1 ^ ((x & 0x80u) != 0 ? 0x11bu : 0u)) & 0xffu;
}

struct Tables {
    std::uint32_t box[256], column[256];
};

constexpr std::uint32_t rotated(std::uint32_t byte, int by) {
    return (byte << by | byte >> (8 - by)) & 0xffu;
}

constexpr Tables make_tables() {
    // Powers of the generator 3, and its inverse powers: the product of the two is 1.
    std::uint32_t power[255]{};
    std::uint32_t p = 1;
    for (auto& entry : power) {
        entry = p;
        p ^= doubled(p);
    }
    Tables tables{};
    for (std::uint32_t i = 0; i <= 255; ++i) {
        const std::uint32_t byte = i < 255 ? power[i] : 0, inverse = i < 255 ? power[(255 - i) % 255] : 0;
        const std::uint32_t s =
            inverse ^ rotated(inverse, 1) ^ rotated(inverse, 2) ^ rotated(inverse, 3) ^ rotated(inverse, 4) ^ 0x63u;
        tables.box[byte] = s;
        tables.column[byte] = doubled(s) | s << 8 | s << 16 | (doubled(s) ^ s) << 24;
    }
    return tables;
}

constexpr Tables tables = make_tables();

constexpr std::uint32_t left(std::uint32_t x, int by) {
    return by == 0 ? x : x << by | x >> (32 - by);
}

struct RoundKeys {
    std::uint32_t words[rounds + 1][4];

    explicit RoundKeys(const std::uint32_t* key) {
        std::uint64_t low = key[0] | std::uint64_t{key[1]} << 32, high = key[2] | std::uint64_t{key[3]} << 32;
        for (auto& round : words) {
            round[0] = static_cast<std::uint32_t>(low);
            round[1] = static_cast<std::uint32_t>(low >> 32);
            round[2] = static_cast<std::uint32_t>(high);
            round[3] = static_cast<std::uint32_t>(high >> 32);
            low += weyl_low;
            high += weyl_high;
        }
    }
};

/// Words are columns of the state. ShiftRows takes byte r of a column from the column r further on.
void encrypt_one(const RoundKeys& keys, const std::uint32_t* counter, std::uint32_t* out) {
    std::uint32_t x[4];
    for (int c = 0; c < 4; ++c)
        x[c] = counter[c] ^ keys.words[0][c];
    for (int round = 1; round < rounds; ++round) {
        std::uint32_t y[4];
        for (int c = 0; c < 4; ++c) {
            y[c] = keys.words[round][c];
            for (int r = 0; r < 4; ++r)
                y[c] ^= left(tables.column[x[(c + r) % 4] >> 8 * r & 0xffu], 8 * r);
        }
        for (int c = 0; c < 4; ++c)
            x[c] = y[c];
    }
    for (int c = 0; c < 4; ++c) {
        std::uint32_t y = 0;
        for (int r = 0; r < 4; ++r)
            y |= tables.box[x[(c + r) % 4] >> 8 * r & 0xffu] << 8 * r;
        out[c] = y ^ keys.words[rounds][c];
    }
}

void generate(const std::uint32_t* counter, const std::uint32_t* key, std::uint32_t* out) {
    encrypt_one(RoundKeys(key), counter, out);
}

void fill(const std::uint32_t* first, const std::uint32_t* key, Counting counting, std::uint32_t* out,
          std::size_t n_words) {
    const RoundKeys keys(key);
    std::uint32_t counter[4] = {first[0], first[1], first[2], first[3]};
    std::uint32_t& counts = counter[counting == Counting::draws ? 0 : 2];
    for (; n_words >= 4; n_words -= 4, out += 4) {
        encrypt_one(keys, counter, out);
        ++counts;
    }
    if (n_words > 0) {
        std::uint32_t last[4];
        encrypt_one(keys, counter, last);
        for (std::size_t i = 0; i < n_words; ++i)
            out[i] = last[i];
    }
}

void encrypt(const std::uint32_t* key, std::uint32_t* counters, std::size_t n) {
    const RoundKeys keys(key);
    for (std::size_t i = 0; i < n; ++i) {
        std::uint32_t words[4];
        encrypt_one(keys, counters + 4 * i, words);
        for (int c = 0; c < 4; ++c)
            counters[4 * i + static_cast<std::size_t>(c)] = words[c];
    }
}

} // namespace

const Kernels software_kernels = {"software", generate, fill, encrypt};

} // namespace pearlite::random::ars_kernels
