#include "eventlog/reader.h"

#include "testing/fake_loop.h"
#include "testing/memory_segment_store.h"

#include <gtest/gtest.h>

namespace muster::eventlog {
namespace {

/// Writes a segment of `epoch` to the disk, with the records first..last, told apart by who asked
/// to stop.
void write(testing::MemoryDisk& disk, uint32_t epoch, uint64_t first, uint64_t last) {
  Header header;
  header.epoch = job::Epoch(epoch);
  header.job_id = "j";
  std::string& bytes = disk.segments[job::Epoch(epoch)];
  bytes = encode_header(header);
  for (uint64_t index = first; index <= last; ++index) {
    bytes += encode_record({index, {}, {}, job::StopAsked{std::to_string(epoch)}});
  }
}

std::string epochs_of(const Log& log) {
  std::string text;
  for (const Record& record : log.records) {
    text += std::get<job::StopAsked>(record.fact).by;
  }
  return text;
}

struct Reading : ::testing::Test {
  testing::FakeLoop loop;
  testing::MemoryDisk disk;
  testing::MemorySegmentStore store{loop, disk};
};

TEST_F(Reading, CutsAnOlderSegmentWhereTheNextBegins) {
  write(disk, 1, 0, 4);
  write(disk, 2, 3, 5);
  const Result<Log> log = read_log(store);
  ASSERT_TRUE(log.has_value()) << log.error().message;
  EXPECT_EQ(epochs_of(*log), "111222");
  EXPECT_EQ(log->header.epoch, job::Epoch(2));
  EXPECT_TRUE(log->damages.empty());
}

TEST_F(Reading, GoesOnAfterATornTail) {
  write(disk, 1, 0, 2);
  disk.segments[job::Epoch(1)].pop_back();
  write(disk, 2, 2, 2);
  const Result<Log> log = read_log(store);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(epochs_of(*log), "112");
  ASSERT_EQ(log->damages.size(), 1U);
  EXPECT_TRUE(log->damages[0].starts_with("000001.log: record cut off at byte "));
}

TEST_F(Reading, PassesOverASegmentWithoutAHeader) {
  write(disk, 1, 0, 1);
  disk.segments[job::Epoch(2)] = "MUST";
  const Result<Log> log = read_log(store);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(epochs_of(*log), "11");
  EXPECT_EQ(log->damages.size(), 1U);
}

TEST_F(Reading, TakesAnEmptySegmentForOneThatWasMadeThisMoment) {
  disk.segments[job::Epoch(1)] = "";
  EXPECT_EQ(read_log(store).error().code, Errc::NotFound);
  write(disk, 1, 0, 1);
  disk.segments[job::Epoch(2)] = "";
  const Result<Log> log = read_log(store);
  ASSERT_TRUE(log.has_value());
  EXPECT_EQ(epochs_of(*log), "11");
  EXPECT_TRUE(log->damages.empty());
}

TEST_F(Reading, NamesTheFileWhenNothingIsLeft) {
  EXPECT_EQ(read_log(store).error().code, Errc::NotFound);
  disk.segments[job::Epoch(1)] = "garbage";
  const Result<Log> log = read_log(store);
  EXPECT_EQ(log.error().code, Errc::Corrupt);
  EXPECT_EQ(log.error().message, "000001.log: not an event log, or its first bytes are missing");
}

TEST_F(Reading, RefusesAGapBetweenSegments) {
  write(disk, 1, 0, 1);
  write(disk, 2, 5, 6);
  EXPECT_EQ(read_log(store).error().message, "000002.log: records 2 to 4 are missing before it");
}

TEST(SegmentName, IsStrict) {
  EXPECT_EQ(segment_name(job::Epoch(3)), "000003.log");
  EXPECT_EQ(parse_segment_name("000003.log"), job::Epoch(3));
  EXPECT_EQ(parse_segment_name("1234567.log"), job::Epoch(1234567));
  for (const char* name : {"3.log", "000003.log~", "000000.log", "-00003.log", ".log", "x"}) {
    EXPECT_FALSE(parse_segment_name(name).has_value()) << name;
  }
}

}  // namespace
}  // namespace muster::eventlog
