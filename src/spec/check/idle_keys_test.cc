#include "spec/check/idle_keys.h"

#include "spec/read/layers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace muster::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(Layers layers, std::string text) {
  layers.spec = TextInput{"job.yaml", "command: x\nroles: {ps: {}}\n" + std::move(text)};
  const Result<Loaded> loaded = load(layers);
  EXPECT_TRUE(loaded.has_value()) << (loaded.has_value() ? "" : loaded.error().message);
  return loaded.has_value() ? loaded->warnings : std::vector<std::string>();
}

std::vector<std::string> warnings_of(std::string text) { return warnings_of({}, std::move(text)); }

TEST(IdleKeys, AreTheMirrorsWithoutAMirror) {
  EXPECT_THAT(
      warnings_of("checkpoint: {by: each, keep: 5, resume: always}"),
      ElementsAre(
          "job.yaml:3:18: warning: checkpoint.by has no effect without checkpoint.to, which "
          "mirrors checkpoints",
          "job.yaml:3:30: warning: checkpoint.keep has no effect without checkpoint.to, "
          "which mirrors checkpoints",
          "job.yaml:3:41: warning: checkpoint.resume has no effect without checkpoint.to, "
          "which mirrors checkpoints"));
  EXPECT_THAT(warnings_of("checkpoint: {by: each, keep: 5, resume: always, to: /shared}"),
              IsEmpty());
  EXPECT_THAT(warnings_of("checkpoint: {by: chief, keep: 3, dir: c}"), IsEmpty());
}

TEST(IdleKeys, AreThoseOfWhatIsNotAskedFor) {
  EXPECT_THAT(warnings_of("recording: {max: 1g}"),
              ElementsAre("job.yaml:3:18: warning: recording.max has no effect without "
                          "recording.terminals"));
  EXPECT_THAT(warnings_of("recording: {max: 1g, terminals: true}"), IsEmpty());
  EXPECT_THAT(warnings_of("notify: {on: [start]}"),
              ElementsAre("job.yaml:3:14: warning: notify.on has no effect without notify.command, "
                          "notify.hook or notify.mail"));
  EXPECT_THAT(warnings_of("notify: {on: [start], command: tell}"), IsEmpty());
  EXPECT_THAT(warnings_of("yarn: {attempt_window: 1h}\nmaster: {attempts: 1}"),
              ElementsAre("job.yaml:3:24: warning: yarn.attempt_window has no effect where "
                          "master.attempts is 1"));
  EXPECT_THAT(warnings_of("yarn: {attempt_window: 1h}"), IsEmpty());
}

TEST(IdleKeys, AreThoseOfAChiefWhereThereIsNone) {
  EXPECT_THAT(warnings_of("chief_failure_fails_job: true"),
              ElementsAre("job.yaml:3:26: warning: chief_failure_fails_job has no effect without a "
                          "chief; set `chief: true` in a role"));
  EXPECT_THAT(warnings_of({.sets = {"roles.ps.chief=true"}}, "chief_failure_fails_job: true"),
              IsEmpty());
}

TEST(IdleKeys, AreWhatFollowsAHangThatIsNeverLookedFor) {
  EXPECT_THAT(warnings_of({.sets = {"stall.then=fail"}}, "stall: {after: none}"),
              ElementsAre("--set stall.then=fail: warning: stall.then has no effect where "
                          "stall.after is none"));
  EXPECT_THAT(
      warnings_of({.sets = {"roles.ps.stall.after=none", "roles.ps.stall.then=fail"}}, ""),
      ElementsAre(
          "--set roles.ps.stall.then=fail: warning: roles.ps.stall.then has no effect where "
          "stall.after is none"));
  // Set for all roles, and one of them opts out.
  EXPECT_THAT(warnings_of({.sets = {"roles.ps.stall.after=none"}}, "stall: {then: fail}"),
              IsEmpty());
}

TEST(IdleKeys, AreNoneOfWhatIsSetForAllJobs) {
  const TextInput all{"all.yaml", "defaults: {checkpoint: {keep: 5}, recording: {max: 1g}}"};
  EXPECT_THAT(warnings_of({.site = all}, ""), IsEmpty());
  EXPECT_THAT(warnings_of({.config = all}, ""), IsEmpty());
  EXPECT_THAT(warnings_of({.environment = {{"MUSTER_SET_CHECKPOINT__KEEP", "5"}}}, ""),
              ElementsAre("MUSTER_SET_CHECKPOINT__KEEP: warning: checkpoint.keep has no effect "
                          "without checkpoint.to, which mirrors checkpoints"));
}

}  // namespace
}  // namespace muster::spec
