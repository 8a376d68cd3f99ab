#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace muster {
namespace {

// The vectors of RFC 3720, B.4.
TEST(Crc32c, HasThePublishedValues) {
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62A8AB43U);
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) {
    rising += byte;
  }
  EXPECT_EQ(crc32c(rising), 0x46DD794EU);
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsTheSameByTables) {
  std::string bytes;
  for (size_t size = 0; size < 100; ++size) {
    EXPECT_EQ(crc32c(bytes), crc32c_portable(bytes)) << size;
    bytes += static_cast<char>(size * 37);
  }
}

// The length field of a record of 24 bytes, as TensorFlow writes it.
TEST(Crc32c, IsMaskedAsInRecordFiles) {
  EXPECT_EQ(masked_crc32c(std::string_view("\x18\0\0\0\0\0\0\0", 8)), 0x224B7FA3U);
}

}  // namespace
}  // namespace muster
