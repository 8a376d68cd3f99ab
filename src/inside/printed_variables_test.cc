#include "inside/printed_variables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace muster::inside {
namespace {

using ::testing::HasSubstr;

std::string error_of(const Result<Variables>& result) {
  return result.has_value() ? "" : result.error().message;
}

TEST(PrintedVariables, AreLinesOfNameAndValue) {
  const auto parsed = parse_variables("A=1\n\n# for people\nB_2=x = y\nC=\n");
  ASSERT_TRUE(parsed.has_value()) << error_of(parsed);
  EXPECT_EQ(*parsed, (Variables{{"A", "1"}, {"B_2", "x = y"}, {"C", ""}}));
}

TEST(PrintedVariables, NameTheLineThatIsWrong) {
  EXPECT_EQ(error_of(parse_variables("A=1\nhello\n")),
            "line 2 of its output is not NAME=VALUE: `hello`; what is for people belongs on "
            "standard error");
  EXPECT_THAT(error_of(parse_variables("a b=1\n")), HasSubstr("line 1"));
  EXPECT_EQ(error_of(parse_variables("MUSTER_ROLE=ps\n")),
            "line 1 of its output sets MUSTER_ROLE, a name of Muster's own");
  EXPECT_THAT(error_of(parse_variables(std::string("A=\0\n", 4))), HasSubstr("NUL byte"));
}

class Program : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(view_) << R"({"worker":["10.0.0.7:4000"]})"; }
  void TearDown() override { std::filesystem::remove(view_); }
  Result<Variables> run(const std::string& program) {
    return printed_variables(program, view_, {{"PATH", "/usr/bin:/bin"}, {"ROLE", "worker"}});
  }

  std::filesystem::path view_ =
      std::filesystem::path(::testing::TempDir()) / ("program-view-" + std::to_string(::getpid()));
};

TEST_F(Program, GetsTheViewAndTheEnvironment) {
  const auto made = run("echo \"VIEW=$(cat)\"; echo ROLE_WAS=$ROLE");
  ASSERT_TRUE(made.has_value()) << error_of(made);
  EXPECT_EQ(made->at("VIEW"), R"({"worker":["10.0.0.7:4000"]})");
  EXPECT_EQ(made->at("ROLE_WAS"), "worker");
}

TEST_F(Program, IsNamedWhereItFails) {
  EXPECT_EQ(error_of(run("exit 3")), "the framework's program `exit 3` ended with status 3");
  EXPECT_EQ(error_of(run("kill -9 $$")),
            "the framework's program `kill -9 $$` was ended by signal 9");
  EXPECT_THAT(error_of(run("echo hello")),
              HasSubstr("the framework's program `echo hello`: line 1 of its output"));
}

}  // namespace
}  // namespace muster::inside
