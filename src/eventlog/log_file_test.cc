#include "eventlog/log_file.h"

#include "base/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::eventlog {
namespace {

Header header() {
  return {1, 1, "0.1.0", "digits-1", job::Epoch(1), 7, WallTime(Duration(5)), "{}"};
}

Record record(uint64_t index) {
  return {index, Time(Duration(10)), WallTime(Duration(20)),
          job::StopAsked{"somebody " + std::to_string(index)}};
}

std::string segment_of(uint64_t records) {
  std::string bytes = encode_header(header());
  for (uint64_t i = 0; i < records; ++i) {
    bytes += encode_record(record(i));
  }
  return bytes;
}

TEST(Crc32c, GivesTheCheckValueOfTheStandard) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c_portable("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(""), 0U);
}

TEST(Crc32c, IsTheSameByInstructionAndByTable) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(crc32c(bytes), crc32c_portable(bytes)) << i;
    bytes += static_cast<char>(i * 37);
  }
}

TEST(LogFile, ReadsBackWhatWasWritten) {
  const std::string bytes = segment_of(3);
  const Result<Segment> segment = read_segment(bytes);
  ASSERT_TRUE(segment.has_value()) << segment.error().message;
  EXPECT_EQ(segment->header, header());
  ASSERT_EQ(segment->records.size(), 3U);
  EXPECT_EQ(segment->records[2], record(2));
  EXPECT_FALSE(segment->torn);
  EXPECT_EQ(segment->good_bytes, bytes.size());
}

/// However long somebody's log is, a portal has memory for only so much of it.
TEST(LogFile, TakesNoMoreMemoryThanItsRecordsNeed) {
  const Result<Segment> segment = read_segment(segment_of(1000));
  ASSERT_TRUE(segment.has_value());
  EXPECT_EQ(segment->records.size(), 1000U);
  EXPECT_EQ(segment->records.capacity(), 1000U);
  const std::string bytes = segment_of(0) + std::string(160'000, '\0');
  const Result<Segment> hostile = read_segment(bytes);
  ASSERT_TRUE(hostile.has_value());
  EXPECT_LE(hostile->records.capacity(), bytes.size() / 16);
}

/// Cut at every byte: complete records before the cut are there, nothing else, and it never
/// crashes.
TEST(LogFile, EndsAtATornTail) {
  const std::string bytes = segment_of(2);
  const size_t header_end = encode_header(header()).size();
  const size_t first_end = header_end + encode_record(record(0)).size();
  for (size_t length = header_end; length < bytes.size(); ++length) {
    const Result<Segment> segment = read_segment(bytes.substr(0, length));
    ASSERT_TRUE(segment.has_value()) << length;
    EXPECT_EQ(segment->records.size(), length < first_end ? 0U : 1U);
    const bool whole = length == header_end || length == first_end;
    EXPECT_EQ(segment->torn, !whole);
    EXPECT_EQ(segment->good_bytes, length < first_end ? header_end : first_end);
  }
}

TEST(LogFile, NamesTheByteOfDamage) {
  std::string bytes = segment_of(2);
  const size_t second = bytes.size() - encode_record(record(1)).size();
  bytes[second + 12] ^= 1;
  const Result<Segment> segment = read_segment(bytes);
  ASSERT_TRUE(segment.has_value());
  EXPECT_EQ(segment->records.size(), 1U);
  EXPECT_EQ(segment->damage, "damaged record at byte " + std::to_string(second));
}

TEST(LogFile, TakesAHoleOfZerosForDamage) {
  const Result<Segment> segment = read_segment(segment_of(1) + std::string(64, '\0'));
  ASSERT_TRUE(segment.has_value());
  EXPECT_EQ(segment->records.size(), 1U);
  EXPECT_TRUE(segment->torn);
}

TEST(LogFile, RefusesWhatIsNoLog) {
  EXPECT_EQ(read_segment("").error().code, Errc::Corrupt);
  EXPECT_EQ(read_segment("#!/bin/sh").error().code, Errc::Corrupt);
  EXPECT_EQ(read_segment(encode_header(header()).substr(0, 20)).error().message,
            "its header is incomplete");
  Header newer = header();
  newer.format = 2;
  EXPECT_EQ(read_segment(encode_header(newer)).error().code, Errc::Unsupported);
}

}  // namespace
}  // namespace muster::eventlog
