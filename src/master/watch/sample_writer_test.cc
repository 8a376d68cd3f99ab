#include "master/watch/sample_writer.h"

#include "testing/fake_loop.h"
#include "testing/recording_sink.h"
#include "testing/run_async.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace muster::master {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Files in memory, which can be made to fail or to hang.
class ScriptedStore final : public cluster::SampleStore {
 public:
  explicit ScriptedStore(rt::Loop& loop) : loop_(loop) {}

  rt::Async<Result<std::vector<File>>> list() override { co_return std::vector<File>(); }
  rt::Async<Result<std::string>> read(std::string name) override { co_return files.at(name); }
  rt::Async<Status> append(std::string name, std::string bytes) override {
    ++appends;
    if (hangs) {
      co_await rt::pause_for(loop_, std::chrono::hours(1));
    }
    if (broken) {
      co_return cluster_error("the disk is away");
    }
    files[name] += bytes;
    co_return Status();
  }
  rt::Async<Status> remove(std::string name) override {
    removed.push_back(std::move(name));
    co_return Status();
  }
  rt::Async<Status> close() override {
    closed = true;
    co_return Status();
  }

  std::map<std::string, std::string> files;
  std::vector<std::string> removed;
  int appends = 0;
  bool broken = false;
  bool hangs = false;
  bool closed = false;

 private:
  rt::Loop& loop_;
};

class Writer : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& [name, content] : store.files) {
      found.push_back(name);
    }
    return found;
  }

  testing::FakeLoop loop;
  testing::RecordingSink sink;
  ScriptedStore store{loop};
  SampleWriter writer{{loop, log::Logger(sink), store}, 2};
};

TEST_F(Writer, AppendsSecondsAndMinutesInOrderAndNothingElse) {
  writer.write(1, "a");
  writer.write(60, "m");
  writer.write(10, "never");
  writer.write(1, "b");
  loop.run_ready();
  EXPECT_EQ(store.files.at("seconds-000002-000001.samples"), "ab");
  EXPECT_EQ(store.files.at("minutes-000002-000001.samples"), "m");
  EXPECT_EQ(store.appends, 3);
  writer.write(1, "c");
  loop.run_ready();
  EXPECT_EQ(store.files.at("seconds-000002-000001.samples"), "abc");
}

TEST_F(Writer, BeginsTheNextFileAfterAnErrorAndAWhile) {
  store.broken = true;
  writer.write(1, "a");
  loop.run_ready();
  EXPECT_EQ(store.appends, 1);
  store.broken = false;
  loop.advance(seconds(4));
  EXPECT_EQ(store.appends, 1);
  loop.advance(seconds(2));
  EXPECT_THAT(names(), ElementsAre("seconds-000002-000002.samples"));
  EXPECT_EQ(store.files.begin()->second, "a");
}

TEST_F(Writer, GivesUpAnAppendThatHangs) {
  store.hangs = true;
  writer.write(1, "a");
  loop.advance(seconds(19));
  EXPECT_EQ(store.appends, 1);
  store.hangs = false;
  loop.advance(seconds(7));
  EXPECT_THAT(names(), ElementsAre("seconds-000002-000002.samples"));
}

TEST_F(Writer, KeepsTheNewestWhereTooMuchWaits) {
  store.broken = true;
  const std::string large(1U << 20, 'x');
  for (const char mark : {'a', 'b', 'c', 'd', 'e', 'f'}) {
    writer.write(1, mark + large);
  }
  loop.run_ready();
  store.broken = false;
  loop.advance(seconds(6));
  std::string marks;
  for (const auto& [name, content] : store.files) {
    for (size_t at = 0; at < content.size(); at += large.size() + 1) {
      marks += content[at];
    }
  }
  EXPECT_EQ(marks, "aef") << "the first was under way";
}

TEST_F(Writer, RemovesTheOldestFilesOfEarlierMasters) {
  writer.found({.kind = metrics::SampleFileName::Kind::Seconds, .epoch = 1, .sequence = 1},
               20U << 20);
  writer.found({.kind = metrics::SampleFileName::Kind::Seconds, .epoch = 1, .sequence = 2},
               20U << 20);
  writer.write(60, "m");
  loop.run_ready();
  EXPECT_THAT(store.removed, ElementsAre("seconds-000001-000001.samples"));
}

TEST_F(Writer, WritesWhatWaitsOnceAtTheEndAndCloses) {
  store.broken = true;
  writer.write(1, "a");
  writer.write(1, "b");
  loop.run_ready();
  const auto done = testing::run_async(loop, writer.finish(), seconds(10));
  EXPECT_TRUE(done.has_value() && done->has_value());
  EXPECT_EQ(store.appends, 2) << "the end waits for nobody";
  EXPECT_TRUE(store.closed);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Writer, FinishesWhatIsUnderWay) {
  writer.write(1, "a");
  const auto done = testing::run_async(loop, writer.finish(), seconds(10));
  EXPECT_TRUE(done.has_value() && done->has_value());
  EXPECT_EQ(store.files.at("seconds-000002-000001.samples"), "a");
}

}  // namespace
}  // namespace muster::master
