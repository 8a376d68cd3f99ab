#include "testing/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace muster::testing {
namespace {

std::filesystem::path folder() {
  return std::filesystem::path(MUSTER_SOURCE_DIR) / "test/scenario";
}

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    if (entry.path().extension() == ".txt") {
      names.push_back(entry.path().stem());
    }
  }
  std::ranges::sort(names);
  return names;
}

class ScenarioFile : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioFile, PlaysAsWritten) {
  const std::string file = "test/scenario/" + GetParam() + ".txt";
  std::ifstream in(folder() / (GetParam() + ".txt"));
  std::stringstream text;
  text << in.rdbuf();
  const Result<Scenario> scenario = parse_scenario(file, text.str());
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (const std::string& difference : play(*scenario)) {
    ADD_FAILURE() << difference;
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, ScenarioFile, ::testing::ValuesIn(scenario_names()),
                         [](const auto& info) { return info.param; });

std::string error_of(std::string_view text) {
  const Result<Scenario> scenario = parse_scenario("x.txt", text);
  return scenario ? "" : scenario.error().message;
}

std::string difference_of(std::string_view text) {
  const Result<Scenario> scenario = parse_scenario("x.txt", text);
  EXPECT_TRUE(scenario) << scenario.error().message;
  const std::vector<std::string> differences = play(*scenario);
  return differences.empty() ? "" : differences.front();
}

TEST(Scenario, WantsADescription) {
  EXPECT_EQ(error_of("given worker=1\nwhen started expect nothing\n"),
            "x.txt:1: the first line must be '# what this scenario shows'");
}

TEST(Scenario, NamesTheLineOfAnUnknownSetting) {
  EXPECT_EQ(error_of("# x\ngiven worker=1\ngiven wroker.failure=ignored\n"),
            "x.txt:3: there is no setting 'wroker.failure'");
}

TEST(Scenario, NamesTheLineOfAnUnknownWord) {
  EXPECT_EQ(error_of("# x\ngiven worker=1\nthen all is well\n"),
            "x.txt:3: 'then' starts no line; given, when and expect do");
}

TEST(Scenario, FailsOnAnActionTooMany) {
  EXPECT_EQ(difference_of("# x\ngiven worker=1\nwhen started expect nothing\n").substr(0, 42),
            "x.txt:3: unexpected 'request r1 worker avo");
}

TEST(Scenario, FailsOnAMissingAction) {
  const std::string text =
      "# x\ngiven worker=1\nwhen started expect request r1 worker; launch c1\n";
  EXPECT_EQ(difference_of(text).substr(0, 58),
            "x.txt:3: expected 'launch c1', but there was 'nothing more");
}

TEST(Scenario, FailsOnAWrongDetail) {
  const std::string text = "# x\ngiven worker=1\nwhen started expect request r1 worker gpus=1\n";
  EXPECT_NE(difference_of(text), "");
}

TEST(Scenario, ExpandsRanges) {
  EXPECT_EQ(difference_of("# x\ngiven worker=3\nwhen started expect request r1-3 worker\n"), "");
}

TEST(Scenario, ChecksTheState) {
  EXPECT_EQ(difference_of("# x\ngiven worker=1\nexpect state worker:0 active\n"),
            "x.txt:3: worker:0 is 'waiting', not 'active'");
}

TEST(Scenario, WantsAnExpectation) {
  EXPECT_EQ(difference_of("# x\ngiven worker=1\nwhen started\n"),
            "x.txt:3: 'when' without 'expect'");
}

}  // namespace
}  // namespace muster::testing
