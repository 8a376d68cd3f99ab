#include "verdict/summary.h"

#include "base/text.h"
#include "verdict/classifier.h"
#include "verdict/failure_class.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace muster::verdict {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

job::Plan plan_of_workers() {
  job::Plan plan;
  plan.job = job::JobId("digits-7f3k2q");
  plan.roles.push_back({.name = "worker", .tasks = 4});
  return plan;
}

job::Outcome failed(job::FirstCause cause) {
  return {.result = job::JobResult::Failed,
          .reason = job::OutcomeReason::ProgramFailed,
          .class_name = cause.failure.class_name,
          .message = "worker:1 ended with exit code 1 (user.import); trying again cannot help",
          .first_cause = std::move(cause)};
}

job::FirstCause import_failure() {
  job::FirstCause cause;
  cause.attempt = {{job::RoleIndex(0), 1}, 1};
  cause.host = job::HostName("h1");
  cause.exit_code = 1;
  cause.failure = failure_of("user.import");
  cause.failure.evidence =
      "ModuleNotFoundError: No module named 'numpyy'\n  File \"train.py\", line 1, in <module>\n"
      "    import numpyy as np";
  cause.failure.hint = "install numpyy";
  cause.victims = 3;
  return cause;
}

TEST(Summary, TellsFirstCauseLastWordsAndWhatToDo) {
  EXPECT_EQ(render_summary(plan_of_workers(), failed(import_failure()),
                           {.log_path = "/var/jobs/digits-7f3k2q/logs/worker-1.1.stderr"}),
            "digits-7f3k2q failed: worker:1 ended with exit code 1 (user.import); trying\n"
            "again cannot help\n"
            "  first cause worker:1, attempt 1 on h1\n"
            "  ended by    exit code 1\n"
            "  class       user.import: a Python import failed\n"
            "  last words  ModuleNotFoundError: No module named 'numpyy'\n"
            "                File \"train.py\", line 1, in <module>\n"
            "                  import numpyy as np\n"
            "  victims     3 other tasks ended because of it\n"
            "  what to do  install numpyy\n"
            "  log         /var/jobs/digits-7f3k2q/logs/worker-1.1.stderr\n");
}

TEST(Summary, NamesNoAttemptOfATaskThatGotNoContainer) {
  job::FirstCause cause;
  cause.attempt = {{job::RoleIndex(0), 1}, 0};
  cause.failure = failure_of("deadline.gather");
  EXPECT_THAT(render_summary(plan_of_workers(), failed(cause), {}),
              HasSubstr("first cause worker:1\n"));
}

TEST(Summary, NamesSignals) {
  job::FirstCause cause = import_failure();
  cause.exit_code = std::nullopt;
  cause.signal = 11;
  EXPECT_THAT(render_summary(plan_of_workers(), failed(cause), {}),
              HasSubstr("signal SIGSEGV (11)"));
  cause.signal = std::nullopt;
  cause.exit_code = 137;
  EXPECT_THAT(render_summary(plan_of_workers(), failed(cause), {}),
              HasSubstr("exit code 137, as a shell reports SIGKILL (9)"));
  cause.exit_code = std::nullopt;
  EXPECT_THAT(render_summary(plan_of_workers(), failed(cause), {}),
              HasSubstr("lost with its container"));
}

TEST(Summary, HasTheHintOfItsClassWhereNoOutputGaveOne) {
  job::FirstCause cause = import_failure();
  cause.exit_code = std::nullopt;
  cause.failure = {
      .class_name = "deadline.join", .kind = {}, .remedy = {}, .evidence = {}, .hint = {}};
  const std::string text = render_summary(plan_of_workers(), failed(cause), {});
  EXPECT_THAT(text, HasSubstr("  ended by    nothing: it had not started\n"));
  EXPECT_THAT(text, HasSubstr("  what to do  preparing files takes the longest: "));
}

TEST(Summary, IsOneLineWithoutACause) {
  EXPECT_EQ(render_summary(plan_of_workers(), {}, {}), "digits-7f3k2q succeeded\n");
  const job::Outcome stopped{.result = job::JobResult::Stopped,
                             .reason = job::OutcomeReason::StoppedByUser,
                             .class_name = "stop.user",
                             .message = "stopped by ada",
                             .first_cause = {}};
  EXPECT_EQ(render_summary(plan_of_workers(), stopped, {}),
            "digits-7f3k2q stopped: stopped by ada\n");
}

TEST(Summary, UsesColourOnlyWhenAsked) {
  const job::Outcome outcome = failed(import_failure());
  EXPECT_THAT(render_summary(plan_of_workers(), outcome, {}), Not(HasSubstr("\x1b")));
  const std::string colourful =
      render_summary(plan_of_workers(), outcome, {.log_path = "", .columns = 80, .colour = true});
  EXPECT_THAT(colourful, HasSubstr("\x1b[1;31mdigits-7f3k2q failed"));
}

// For each class, with the longest evidence, on narrow and wide terminals: at most 20 lines, none
// too wide.
TEST(Summary, KeepsToTwentyLinesAndTheTerminalsWidth) {
  for (const FailureClass& row : failure_classes()) {
    for (const size_t columns : {60U, 80U, 200U}) {
      job::FirstCause cause = import_failure();
      cause.failure = failure_of(row.name);
      for (int line = 0; line < 60; ++line) {
        cause.failure.evidence += "\nsome words that the program said before it went away for good";
      }
      const std::string text = render_summary(plan_of_workers(), failed(cause),
                                              {.log_path = "/a/log", .columns = columns});
      EXPECT_LE(std::ranges::count(text, '\n'), 20) << text;
      for (const std::string_view line : split(text, '\n')) {
        EXPECT_LE(line.size(), columns) << line;
      }
      EXPECT_THAT(text, HasSubstr("\n  log         /a/log\n"));
    }
  }
}

TEST(Summary, LetsNoEscapeSequencePass) {
  job::FirstCause cause = import_failure();
  cause.failure.evidence = "\x1b[2Jgone";
  cause.failure.hint = "\x1b]0;title\x07";
  EXPECT_THAT(render_summary(plan_of_workers(), failed(cause), {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace muster::verdict
