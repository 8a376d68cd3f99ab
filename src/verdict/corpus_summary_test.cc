#include "base/text.h"
#include "job/machine.h"
#include "verdict/classifier.h"
#include "verdict/corpus_test.h"
#include "verdict/signal_name.h"
#include "verdict/summary.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

/// Goal: whatever a program of the corpus fails with, the end of a job of three names the right
/// task, how it ended and its last words within 20 lines, although its peers end before the cause
/// is known.
namespace muster::verdict {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

constexpr uint32_t kTasks = 3;
constexpr uint32_t kCulprit = 1;

/// A gang of three tasks that are not tried again.
class Gang {
 public:
  Gang() : machine_(plan()) {
    tell(job::JobStarted{});
    for (uint32_t i = 0; i < kTasks; ++i) {
      tell(job::ContainerGranted{job::RequestId(i + 1), container(i), job::HostName("h1")});
      tell(job::AgentJoined{container(i), "127.0.0.1:9"});
    }
    for (uint32_t i = 0; i < kTasks; ++i) {
      tell(job::AttemptJoined{attempt(i), {"127.0.0.1", static_cast<uint16_t>(5000 + i), {}}});
    }
    for (uint32_t i = 0; i < kTasks; ++i) {
      tell(job::AttemptStarted{attempt(i), 100});
    }
  }

  void end(uint32_t index, job::Exit exit) {
    tell(job::AttemptEnded{attempt(index), std::move(exit)});
  }

  /// Runs the job to its end; returns what `muster run` would print.
  std::string summary(size_t columns) {
    for (uint32_t i = 0; i < kTasks; ++i) {
      tell(job::ContainerEnded{.container = container(i),
                               .kind = job::ContainerEndKind::Released,
                               .exit_code = {},
                               .diagnostics = {}});
    }
    EXPECT_EQ(machine_.state().phase, job::JobPhase::Ended);
    return render_summary(machine_.plan(), *machine_.state().outcome,
                          {.log_path = "/jobs/gang-1/logs/worker-1.1.stderr", .columns = columns});
  }
  [[nodiscard]] const job::State& state() const { return machine_.state(); }

 private:
  static job::Plan plan() {
    job::Plan plan;
    plan.job = job::JobId("gang-1");
    plan.roles.push_back({.name = "worker",
                          .tasks = kTasks,
                          .tasks_min = kTasks,
                          .membership = spec::Membership::Static});
    plan.roles[0].restart = {
        .process = 0, .container = 0, .host = 0, .job = 0, .infrastructure = 0};
    return plan;
  }
  static job::ContainerId container(uint32_t index) {
    return job::ContainerId("c" + std::to_string(index));
  }
  static job::AttemptId attempt(uint32_t index) { return {{job::RoleIndex(0), index}, 1}; }
  void tell(const job::Fact& fact) { (void)machine_.apply(now_ += milliseconds(1), fact); }

  job::Machine machine_;
  Time now_{};
};

job::Exit judged(const Sample& sample) {
  auto classifier = Classifier::make({});
  job::Exit exit = sample.exit;
  exit.failure = classifier->classify({.exit = sample.exit, .stderr_tail = sample.output});
  return exit;
}

job::Exit victim() {
  job::Exit exit;
  exit.exit_code = 1;
  exit.failure = failure_of("peer.lost", "RuntimeError: Connection closed by peer");
  return exit;
}

class CorpusSummary : public ::testing::TestWithParam<Sample> {};

TEST_P(CorpusSummary, NamesTheFirstCauseWithinTwentyLines) {
  const job::Exit exit = judged(GetParam());
  // A task that says that a peer went away is blamed only if it was the first to say so.
  const bool first = exit.failure->kind == job::FailureKind::PeerLoss;
  for (const size_t columns : {size_t{80}, kUnbounded}) {
    Gang gang;
    const std::vector<uint32_t> order =
        first ? std::vector<uint32_t>{kCulprit, 0, 2} : std::vector<uint32_t>{0, 2, kCulprit};
    for (const uint32_t index : order) {
      gang.end(index, index == kCulprit ? exit : victim());
    }
    const std::string text = gang.summary(columns);
    EXPECT_LE(std::ranges::count(text, '\n'), static_cast<ptrdiff_t>(kSummaryLinesMax)) << text;
    EXPECT_THAT(text, HasSubstr("first cause worker:1, attempt 1 on h1\n"));
    EXPECT_THAT(text, HasSubstr(exit.signal ? "signal " + signal_name(*exit.signal)
                                            : fmt::format("exit code {}", *exit.exit_code)));
    EXPECT_THAT(text, HasSubstr("\n  class       " + GetParam().label));
    EXPECT_THAT(text, HasSubstr("victims     2 other tasks ended because of it\n"));
    EXPECT_THAT(text, HasSubstr("log         /jobs/gang-1/logs/worker-1.1.stderr\n"));
    const std::string_view words = split(exit.failure->evidence, '\n')[0];
    EXPECT_THAT(text, HasSubstr(columns == kUnbounded ? words : words.substr(0, 50)));
  }
}

INSTANTIATE_TEST_SUITE_P(Files, CorpusSummary, ::testing::ValuesIn(read_corpus()),
                         [](const auto& about) {
                           std::string name = about.param.name;
                           std::ranges::replace_if(
                               name, [](char c) { return !isalnum(static_cast<unsigned char>(c)); },
                               '_');
                           return name;
                         });

}  // namespace
}  // namespace muster::verdict
