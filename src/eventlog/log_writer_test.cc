#include "eventlog/log_writer.h"

#include "eventlog/reader.h"
#include "testing/fake_loop.h"
#include "testing/memory_segment_store.h"
#include "testing/recording_sink.h"

#include <gtest/gtest.h>

#include <vector>

namespace muster::eventlog {
namespace {

struct Writing : ::testing::Test {
  Writing() {
    EXPECT_TRUE(store.create(job::Epoch(1)).has_value());
    writer.begin(Header{.job_id = "j", .epoch = job::Epoch(1)});
    loop.run_ready();
    commits.clear();
  }
  void append(uint64_t index) { writer.append({index, {}, {}, job::JobStarted{}}); }

  testing::FakeLoop loop;
  testing::MemoryDisk disk;
  testing::MemorySegmentStore store{loop, disk};
  testing::RecordingSink sink;
  std::vector<uint64_t> commits;
  std::vector<std::string> troubles;
  LogWriter writer{loop, store, log::Logger(sink),
                   [this](uint64_t next) { commits.push_back(next); },
                   [this] { troubles.push_back(writer.trouble()); }};
};

TEST_F(Writing, WritesAllOfATurnAtOnce) {
  append(0);
  append(1);
  append(2);
  EXPECT_TRUE(commits.empty());
  loop.run_ready();
  EXPECT_EQ(commits, std::vector<uint64_t>{3});
  EXPECT_EQ(read_log(store)->records.size(), 3U);
  EXPECT_TRUE(writer.idle());
}

TEST_F(Writing, GathersWhatComesDuringAWrite) {
  store.hold(true);
  append(0);
  loop.run_ready();
  append(1);
  append(2);
  loop.run_ready();
  EXPECT_EQ(store.held(), 1U);
  store.hold(false);
  loop.run_ready();
  EXPECT_EQ(commits, (std::vector<uint64_t>{1, 3}));
}

TEST_F(Writing, KeepsAFailedBatchAndTriesAgain) {
  store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left"});
  append(0);
  loop.advance(std::chrono::minutes(1));
  EXPECT_TRUE(commits.empty());
  EXPECT_EQ(writer.trouble(), "no space left");
  EXPECT_GT(writer.pending_bytes(), 0U);
  append(1);
  store.fail_appends(std::nullopt);
  loop.advance(std::chrono::seconds(6));
  EXPECT_EQ(commits, (std::vector<uint64_t>{1, 2}));
  EXPECT_EQ(writer.trouble(), "");
  EXPECT_EQ(read_log(store)->records.size(), 2U);
  // Reported once when it began and once when it was over, not at each attempt.
  EXPECT_EQ(sink.count("log.unavailable"), 1U);
  EXPECT_EQ(sink.count("log.available"), 1U);
  EXPECT_EQ(troubles, (std::vector<std::string>{"no space left", ""}));
}

TEST_F(Writing, TriesAgainAtOnceWhenToldTo) {
  store.fail_appends(Error{Errc::OutOfSpace, Blame::Cluster, "no space left"});
  append(0);
  loop.advance(std::chrono::minutes(1));
  store.fail_appends(std::nullopt);
  writer.retry_now();
  loop.run_ready();
  EXPECT_EQ(commits, std::vector<uint64_t>{1});
  writer.retry_now();
  loop.run_ready();
  EXPECT_EQ(read_log(store)->records.size(), 1U);
}

}  // namespace
}  // namespace muster::eventlog
