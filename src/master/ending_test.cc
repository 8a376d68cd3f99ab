// What a master does between its job's end and its own: everything at once, each within its bound.
#include "cluster/host_memory.h"
#include "master/master_world_test.h"
#include "master/watch/notice_sender.h"
#include "master/watch/tracker.h"
#include "rt/wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::master {
namespace {

/// Takes as long as a test says to report or keep something at the end.
class Slow {
 public:
  explicit Slow(rt::Loop& loop) : loop_(loop) {}
  Duration takes{};
  std::optional<HostTime> begun;

 protected:
  rt::Async<> pass() {
    begun = loop_.now();
    co_await rt::pause_for(loop_, takes);
  }

 private:
  rt::Loop& loop_;
};

class SlowSamples final : public cluster::SampleStore, public Slow {
 public:
  using Slow::Slow;
  rt::Async<Result<std::vector<File>>> list() override { co_return std::vector<File>(); }
  rt::Async<Result<std::string>> read(std::string) override { co_return std::string(); }
  rt::Async<Status> append(std::string, std::string) override { co_return Status(); }
  rt::Async<Status> remove(std::string) override { co_return Status(); }
  rt::Async<Status> close() override {
    co_await pass();
    co_return Status();
  }
};

class SlowHosts final : public cluster::HostMemory, public Slow {
 public:
  using Slow::Slow;
  rt::Async<Status> add(std::string line) override {
    co_await pass();
    kept = std::move(line);
    co_return Status();
  }
  std::string kept;
};

class SlowSender final : public NoticeSender, public Slow {
 public:
  using Slow::Slow;
  rt::Async<Status> send(job::NoticeWay, Letter) override {
    co_await pass();
    co_return Status();
  }
};

class SlowTracker final : public Tracker, public Slow {
 public:
  SlowTracker(rt::Loop& loop, const SlowSamples& samples) : Slow(loop), samples_(samples) {}
  rt::Async<> finish() override {
    co_await pass();
    began_after_samples = samples_.begun && *begun >= *samples_.begun + samples_.takes;
    told = true;
  }
  bool began_after_samples = false;
  bool told = false;

 private:
  const SlowSamples& samples_;
};

Result<job::Plan> told_at_the_end(const std::string& plan_json, const std::string& job,
                                  uint64_t seed) {
  MUSTER_TRY(job::Plan plan, two_workers(plan_json, job, seed));
  plan.spec.notify.command = "tell";
  plan.spec.notify.on = {spec::Occasion::End};
  return plan;
}

struct Endings : MasterWorld {
  Endings() {
    first = make("m1", false, nullptr, told_at_the_end,
                 {.notices = &sender, .samples = &samples, .hosts = &hosts, .tracker = &tracker});
  }
  /// Lets the job succeed; returns how long after that the master left its cluster.
  Duration leave() {
    run();
    succeed(first->master, 0);
    succeed(first->master, 1);
    EXPECT_TRUE(loop.run_until([this] { return !place.summary.empty(); }, seconds(5)));
    const HostTime ended = loop.now();
    EXPECT_TRUE(loop.run_until([this] { return first->link.finished.has_value(); }, seconds(30)));
    return loop.now() - ended;
  }

  SlowSamples samples{loop};
  SlowHosts hosts{loop};
  SlowSender sender{loop};
  SlowTracker tracker{loop, samples};
};

TEST_F(Endings, DoAllAtOnce) {
  samples.takes = milliseconds(400);
  hosts.takes = milliseconds(500);
  sender.takes = milliseconds(600);
  tracker.takes = milliseconds(300);
  EXPECT_EQ(leave(), Duration(milliseconds(700))) << "the samples, and the tracker after them";
  EXPECT_EQ(hosts.begun, samples.begun);
  EXPECT_EQ(sender.begun, samples.begun);
  EXPECT_TRUE(tracker.began_after_samples) << "it tells what they hold";
  EXPECT_TRUE(tracker.told);
  EXPECT_THAT(hosts.kept, ::testing::HasSubstr(R"("host":"h1")"));
}

TEST_F(Endings, AreNotHeldUpByOneThatHangs) {
  samples.takes = std::chrono::hours(1);
  hosts.takes = std::chrono::hours(1);
  tracker.takes = milliseconds(100);
  EXPECT_EQ(leave(), Duration(milliseconds(1100))) << "the bound of one, not of each";
  EXPECT_EQ(sender.begun, samples.begun);
  EXPECT_TRUE(tracker.told);
  EXPECT_EQ(hosts.kept, "");
}

}  // namespace
}  // namespace muster::master
