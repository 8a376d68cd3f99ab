#include "master/agents/ended_containers.h"

#include "testing/fake_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace muster::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const job::ContainerId kContainer("c1");

job::ContainerEnded end_of(const std::string& container, bool named = false) {
  job::ContainerEnded ended;
  ended.container = job::ContainerId(container);
  if (named) {
    ended.failure = job::Failure{};
  }
  return ended;
}

job::AttemptEnded attempt(uint32_t index) {
  return {.attempt = {{job::RoleIndex{0}, index}, 1}, .exit = {}};
}

class Ended : public ::testing::Test {
 protected:
  /// What was entered: "c1" for a container, the index for an attempt.
  std::vector<std::string> entered;
  testing::FakeLoop loop;
  std::optional<EndedContainers> containers{
      std::in_place, loop, seconds(3), [this](const job::Fact& fact) {
        if (const auto* ended = std::get_if<job::ContainerEnded>(&fact)) {
          entered.push_back(ended->container.value);
        } else {
          entered.push_back(std::to_string(std::get<job::AttemptEnded>(fact).attempt.task.index));
        }
      }};
};

TEST_F(Ended, EntersTheEndOfWhatHasNoConnectionAtOnce) {
  containers->ended(end_of("c1"), false);
  EXPECT_THAT(entered, ElementsAre("c1"));
}

TEST_F(Ended, WaitsUntilTheConnectionIsRead) {
  containers->ended(end_of("c1"), true);
  EXPECT_THAT(entered, IsEmpty());
  containers->drained(job::ContainerId("c2"));
  EXPECT_THAT(entered, IsEmpty());
  containers->drained(kContainer);
  EXPECT_THAT(entered, ElementsAre("c1"));
  loop.advance(seconds(10));
  EXPECT_THAT(entered, ElementsAre("c1")) << "once";
}

TEST_F(Ended, WaitsForAConnectionOnlySoLong) {
  containers->ended(end_of("c1"), true);
  containers->ended(end_of("c1"), true);
  loop.advance(milliseconds(249));
  EXPECT_THAT(entered, IsEmpty());
  loop.advance(milliseconds(2));
  EXPECT_THAT(entered, ElementsAre("c1"));
}

TEST_F(Ended, EntersTheAttemptsBeforeTheContainerThatTheyEndedWith) {
  containers->ended_with(kContainer, attempt(0));
  containers->ended_with(kContainer, attempt(1));
  EXPECT_TRUE(containers->waits_for(kContainer));
  EXPECT_FALSE(containers->waits_for(job::ContainerId("c2")));
  containers->ended(end_of("c1"), false);
  EXPECT_THAT(entered, ElementsAre("0", "1", "c1"));
  EXPECT_FALSE(containers->waits_for(kContainer));
  loop.advance(seconds(10));
  EXPECT_EQ(entered.size(), 3U);
}

TEST_F(Ended, LetsANamedEndOfTheContainerTakeItsAttemptsAlong) {
  containers->ended_with(kContainer, attempt(0));
  containers->ended(end_of("c1", true), false);
  EXPECT_THAT(entered, ElementsAre("c1"));
  loop.advance(seconds(10));
  EXPECT_THAT(entered, ElementsAre("c1"));
}

TEST_F(Ended, EntersTheAttemptsWhenTheClusterSaysNothing) {
  containers->ended_with(kContainer, attempt(0));
  loop.advance(milliseconds(2999));
  EXPECT_THAT(entered, IsEmpty());
  loop.advance(milliseconds(2));
  EXPECT_THAT(entered, ElementsAre("0"));
}

TEST_F(Ended, ForgetsAllWhenItGoes) {
  containers->ended_with(kContainer, attempt(0));
  containers->ended(end_of("c2"), true);
  containers.reset();
  loop.advance(seconds(10));
  EXPECT_THAT(entered, IsEmpty());
}

}  // namespace
}  // namespace muster::master
