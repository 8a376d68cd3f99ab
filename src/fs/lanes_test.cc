#include "fs/lanes.h"

#include "rt/wait.h"
#include "testing/fake_loop.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

namespace muster::fs {
namespace {

struct Item {
  std::string path;
  uint64_t size_bytes = 0;

  [[nodiscard]] std::string name() const { return path; }
};

/// Copies that take a second each, and what was under way at the same time.
struct Copies {
  testing::FakeLoop loop;
  std::vector<std::string> begun;
  std::vector<std::string> shown;
  size_t running = 0;
  size_t running_max = 0;
  std::string failing;

  rt::Async<Status> copy(Item item) {
    begun.push_back(item.path);
    running_max = std::max(running_max, ++running);
    co_await rt::pause_for(loop, std::chrono::seconds(1));
    --running;
    if (item.path == failing) {
      co_return user_error("no space");
    }
    co_return Status();
  }

  Status run(std::vector<Item> items) {
    Lanes<Item> lanes(
        loop, [this](std::string name, uint64_t) { shown.push_back(std::move(name)); },
        [this](Item item) { return copy(std::move(item)); });
    return testing::run_async(loop, lanes.run(std::move(items))).value();
  }
};

TEST(Lanes, CopyLargeFilesOneByOneAfterTheSmall) {
  Copies copies;
  ASSERT_TRUE(copies.run({{"large", 1U << 30}, {"a", 1}, {"huge", 1U << 31}, {"b", 2}}));
  EXPECT_EQ(copies.begun, (std::vector<std::string>{"a", "b", "large", "huge"}));
  EXPECT_EQ(copies.shown, (std::vector<std::string>{"2 files", "large", "huge"}));
  EXPECT_EQ(copies.running_max, 2U);
}

TEST(Lanes, BoundHowManySmallFilesAreCopiedAtOnce) {
  Copies copies;
  ASSERT_TRUE(copies.run(std::vector<Item>(30, {"small", 10})));
  EXPECT_EQ(copies.begun.size(), 30U);
  EXPECT_EQ(copies.running_max, kLanes);
}

TEST(Lanes, EndWhatIsUnderWayAfterAnErrorAndBeginNothingMore) {
  Copies copies;
  copies.failing = "bad";
  std::vector<Item> items(30, {"good", 10});
  items[3].path = "bad";
  const Status ended = copies.run(std::move(items));
  ASSERT_FALSE(ended.has_value());
  EXPECT_EQ(ended.error().message, "no space");
  EXPECT_LT(copies.begun.size(), 2 * kLanes);
  EXPECT_EQ(copies.running, 0U);
}

}  // namespace
}  // namespace muster::fs
