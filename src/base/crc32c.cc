#include "base/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace muster {
namespace {

/// The reflected form of the Castagnoli polynomial.
constexpr uint32_t kPolynomial = 0x82F63B78;

/// Table k gives the effect of a byte followed by k more.
using Tables = std::array<std::array<uint32_t, 256>, 8>;

constexpr Tables make_tables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value & 1) != 0 ? (value >> 1) ^ kPolynomial : value >> 1;
    }
    tables[0][byte] = value;
  }
  for (size_t later = 1; later < tables.size(); ++later) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t before = tables[later - 1][byte];
      tables[later][byte] = tables[0][before & 0xFF] ^ (before >> 8);
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc32c_by_instruction(std::string_view bytes) {
  uint64_t crc = 0xFFFFFFFF;
  size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    crc = __builtin_ia32_crc32di(crc, word);
  }
  auto low = static_cast<uint32_t>(crc);
  for (; at < bytes.size(); ++at) {
    low = __builtin_ia32_crc32qi(low, static_cast<unsigned char>(bytes[at]));
  }
  return ~low;
}
#endif

}  // namespace

uint32_t crc32c_portable(std::string_view bytes) {
  uint32_t crc = 0xFFFFFFFF;
  const auto* next = reinterpret_cast<const unsigned char*>(bytes.data());
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8) {
    crc ^= next[0] | (next[1] << 8) | (next[2] << 16) | (static_cast<uint32_t>(next[3]) << 24);
    crc = kTables[7][crc & 0xFF] ^ kTables[6][(crc >> 8) & 0xFF] ^ kTables[5][(crc >> 16) & 0xFF] ^
          kTables[4][crc >> 24] ^ kTables[3][next[4]] ^ kTables[2][next[5]] ^ kTables[1][next[6]] ^
          kTables[0][next[7]];
  }
  for (; left > 0; --left, ++next) {
    crc = kTables[0][(crc ^ *next) & 0xFF] ^ (crc >> 8);
  }
  return ~crc;
}

uint32_t crc32c(std::string_view bytes) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2") != 0) {
    return crc32c_by_instruction(bytes);
  }
#endif
  return crc32c_portable(bytes);
}

uint32_t masked_crc32c(std::string_view bytes) {
  constexpr uint32_t kOffset = 0xa282ead8;
  return std::rotr(crc32c(bytes), 15) + kOffset;
}

}  // namespace muster
