#include "hadoop/rpc/md5.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace muster::hadoop::rpc {
namespace {

/// floor(2^32 * abs(sin(i + 1))), as RFC 1321 defines them.
constexpr std::array<uint32_t, 64> kSines = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391};

/// How far each round rotates, four steps at a time.
constexpr std::array<std::array<int, 4>, 4> kTurns = {
    {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}};

uint32_t little_endian(const uint8_t* bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  return std::endian::native == std::endian::little ? value : __builtin_bswap32(value);
}

}  // namespace

Md5::Md5() : state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476} {}

void Md5::transform(const uint8_t* block) {
  std::array<uint32_t, 16> words;
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = little_endian(block + (i * 4));
  }
  auto [a, b, c, d] = state_;
  for (uint32_t i = 0; i < 64; ++i) {
    const uint32_t round = i / 16;
    uint32_t mixed = 0;
    uint32_t word = i;
    if (round == 0) {
      mixed = (b & c) | (~b & d);
    } else if (round == 1) {
      mixed = (d & b) | (~d & c);
      word = (5 * i) + 1;
    } else if (round == 2) {
      mixed = b ^ c ^ d;
      word = (3 * i) + 5;
    } else {
      mixed = c ^ (b | ~d);
      word = 7 * i;
    }
    mixed += a + kSines[i] + words[word % 16];
    a = d;
    d = c;
    c = b;
    b += std::rotl(mixed, kTurns[round][i % 4]);
  }
  state_[0] += a;
  state_[1] += b;
  state_[2] += c;
  state_[3] += d;
}

void Md5::update(std::string_view bytes) {
  if (bytes.empty()) {
    return;
  }
  const auto* next = reinterpret_cast<const uint8_t*>(bytes.data());
  size_t left = bytes.size();
  const size_t held = size_ % block_.size();
  size_ += left;
  if (held != 0) {
    const size_t taken = std::min(left, block_.size() - held);
    std::memcpy(block_.data() + held, next, taken);
    next += taken;
    left -= taken;
    if (held + taken < block_.size()) {
      return;
    }
    transform(block_.data());
  }
  for (; left >= block_.size(); left -= block_.size(), next += block_.size()) {
    transform(next);
  }
  if (left != 0) {
    std::memcpy(block_.data(), next, left);
  }
}

std::string Md5::finish() {
  const uint64_t bits = size_ * 8;
  std::string tail(1, '\x80');
  tail.append((119 - (size_ % 64)) % 64, '\0');
  for (int i = 0; i < 8; ++i) {
    tail.push_back(static_cast<char>(bits >> (8 * i)));
  }
  update(tail);
  std::string digest;
  for (const uint32_t word : state_) {
    for (int i = 0; i < 4; ++i) {
      digest.push_back(static_cast<char>(word >> (8 * i)));
    }
  }
  return digest;
}

std::string md5(std::string_view bytes) {
  Md5 hash;
  hash.update(bytes);
  return hash.finish();
}

std::string hmac_md5(std::string_view key, std::string_view first, std::string_view second) {
  std::string inner_pad = key.size() > 64 ? md5(key) : std::string(key);
  inner_pad.resize(64);
  std::string outer_pad = inner_pad;
  std::ranges::for_each(inner_pad, [](char& byte) { byte = static_cast<char>(byte ^ 0x36); });
  std::ranges::for_each(outer_pad, [](char& byte) { byte = static_cast<char>(byte ^ 0x5c); });
  Md5 inner;
  inner.update(inner_pad);
  inner.update(first);
  inner.update(second);
  Md5 outer;
  outer.update(outer_pad);
  outer.update(inner.finish());
  return outer.finish();
}

}  // namespace muster::hadoop::rpc
