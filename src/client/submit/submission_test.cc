#include "client/submit/submission.h"

#include "os/file/local_files.h"
#include "rt/fd.h"
#include "testing/fake_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <sys/inotify.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

/// Not random; watches the folder of the only job as soon as there is one.
class WatchingRandom final : public rt::Random {
 public:
  WatchingRandom(std::filesystem::path jobs, int inotify)
      : jobs_(std::move(jobs)), inotify_(inotify) {}
  void fill(std::span<uint8_t> bytes) override {
    std::ranges::fill(bytes, uint8_t{1});
    std::error_code error;
    for (const auto& job : std::filesystem::directory_iterator(jobs_, error)) {
      EXPECT_GE(::inotify_add_watch(inotify_, job.path().c_str(), IN_CREATE | IN_MOVED_TO), 0);
    }
  }

 private:
  std::filesystem::path jobs_;
  int inotify_;
};

Result<job::Plan> plan_of(const spec::Spec&, const std::string& job_id, uint64_t) {
  job::Plan plan;
  plan.job = job::JobId(job_id);
  plan.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1});
  return plan;
}

// Somebody who lists jobs meanwhile reads every plan that exists.
TEST(Submission, APlanIsThereWholeOrNotAtAll) {
  char name[] = "/tmp/submission-XXXXXX";
  const std::filesystem::path root = ::mkdtemp(name);
  const auto files = os::make_local_files(nullptr);
  const cluster::Home home(root);
  testing::FakeCluster cluster(*files,
                               {.home = home,
                                .hosts = root / "hosts",
                                .plan_of = [](const std::string&, const std::string& job_id,
                                              uint64_t seed) { return plan_of({}, job_id, seed); },
                                .now = [] { return WallTime{}; }});
  const rt::Fd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  WatchingRandom random(home.jobs_folder(), inotify.get());
  (void)submit_job({*files, random, cluster, home, plan_of}, {}, {});
  uint32_t seen = 0;
  alignas(inotify_event) char buffer[16 << 10];
  const ssize_t got = ::read(inotify.get(), buffer, sizeof buffer);
  for (ssize_t at = 0; at < got;) {
    const auto* const event = reinterpret_cast<const inotify_event*>(buffer + at);
    seen |= event->len > 0 && std::string_view(event->name) == "plan.json" ? event->mask : 0;
    at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
  }
  EXPECT_EQ(seen, IN_MOVED_TO);
  std::filesystem::remove_all(root);
}

}  // namespace
}  // namespace muster::client
