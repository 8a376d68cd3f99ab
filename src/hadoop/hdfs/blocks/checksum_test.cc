#include "hadoop/hdfs/blocks/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::hadoop::hdfs {
namespace {

std::string some_bytes(size_t count) {
  std::string bytes(count, '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

TEST(Checksum, KnowsThePublishedValue) { EXPECT_EQ(crc32("123456789"), 0xCBF43926U); }

TEST(Checksum, SumsEveryChunkAndTheRest) {
  for (const ChecksumType type : {ChecksumType::Crc32, ChecksumType::Crc32c}) {
    for (const size_t length : {0U, 1U, 511U, 512U, 513U, 1536U, 4000U, 64512U}) {
      const std::string bytes = some_bytes(length);
      const Checksum checksum{type, 512};
      std::vector<char> sums(checksum.sums_bytes(length));
      sum_chunks(checksum, bytes, sums);
      const std::string_view view(sums.data(), sums.size());
      EXPECT_EQ(find_damage(checksum, bytes, view), std::nullopt) << length;
    }
  }
}

TEST(Checksum, NamesTheDamagedChunk) {
  std::string bytes = some_bytes(4000);
  const Checksum checksum{ChecksumType::Crc32c, 512};
  std::vector<char> sums(checksum.sums_bytes(bytes.size()));
  sum_chunks(checksum, bytes, sums);
  const std::string_view view(sums.data(), sums.size());
  for (const size_t at : {0U, 600U, 1535U, 1536U, 3999U}) {
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    EXPECT_EQ(find_damage(checksum, bytes, view), at / 512 * 512);
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
  }
}

TEST(Checksum, RefusesWhatNoDataNodeShouldSay) {
  EXPECT_TRUE(make_checksum(2, 512).has_value());
  EXPECT_EQ(make_checksum(7, 512).error().code, Errc::Unsupported);
  EXPECT_EQ(make_checksum(2, 0).error().code, Errc::Corrupt);
  EXPECT_EQ(make_checksum(2, 1U << 30).error().code, Errc::Corrupt);
}

}  // namespace
}  // namespace muster::hadoop::hdfs
