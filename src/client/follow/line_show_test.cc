#include "client/follow/line_show.h"

#include "client/follow/console_files_test.h"
#include "testing/fake_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class LineShowTest : public ::testing::Test {
 protected:
  LineShowTest() { plan_.roles.push_back({.name = "worker", .tasks = 1, .tasks_min = 1}); }

  /// Returns what was drawn on the terminal after this text.
  std::string drawn_after(std::string_view bytes) {
    const size_t before = screen_.err().size();
    show_.feed({job::RoleIndex{0}, 0}, false, bytes);
    loop_.advance(milliseconds(500));
    return screen_.err().substr(before);
  }

  testing::FakeLoop loop_;
  ConsoleFiles screen_{{.out_is_terminal = true, .err_is_terminal = true}};
  job::Plan plan_;
  LineShow show_{loop_, screen_.console(), plan_};
};

TEST_F(LineShowTest, DrawsALineThatMovesUntilItEnds) {
  EXPECT_THAT(drawn_after("progress 1"), EndsWith("worker:0 | progress 1"));
  EXPECT_THAT(drawn_after("\rprogress 2"), EndsWith("worker:0 | progress 2"));
  EXPECT_THAT(drawn_after("\rprogress 3\n"), Not(HasSubstr("progress")));
  EXPECT_EQ(screen_.out(), "worker:0 | progress 3\n");
}

TEST_F(LineShowTest, WaitsForTheRestOfACharacter) {
  EXPECT_THAT(drawn_after("h\xc3"), EndsWith("worker:0 | h"));
  EXPECT_THAT(drawn_after("\xa4 \xf0\x9f\x98"), EndsWith("worker:0 | h\xc3\xa4 "));
  EXPECT_THAT(drawn_after("\x80"), EndsWith("worker:0 | h\xc3\xa4 \xf0\x9f\x98\x80"));
}

}  // namespace
}  // namespace muster::client
