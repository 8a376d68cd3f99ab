#include "client/line_folder.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace {

using std::chrono::milliseconds;

job::Plan plan_of(uint32_t workers) {
  job::Plan plan;
  job::RolePlan ps;
  ps.name = "ps";
  job::RolePlan worker;
  worker.name = "worker";
  worker.tasks = workers;
  plan.roles = {ps, worker};
  return plan;
}

job::TaskId worker(uint32_t index) { return {job::RoleIndex{1}, index}; }

HostTime at(int ms) { return HostTime{milliseconds(ms)}; }

std::vector<std::string> texts(const std::vector<ShownLine>& lines) {
  std::vector<std::string> out;
  for (const ShownLine& line : lines) {
    out.push_back(line.prefix + "|" + line.text);
  }
  return out;
}

class LineFolderTest : public testing::Test {
 protected:
  job::Plan plan_ = plan_of(32);
  LineFolder folder_{plan_, milliseconds(200)};
};

TEST_F(LineFolderTest, JoinsPiecesOfALine) {
  EXPECT_TRUE(folder_.feed(worker(0), false, "hel", at(0)).empty());
  EXPECT_EQ(texts(folder_.feed(worker(0), false, "lo\nwor", at(1))),
            std::vector<std::string>{"worker:0|hello"});
}

TEST_F(LineFolderTest, ShowsAnUnfinishedLineWhenItsWindowCloses) {
  EXPECT_TRUE(folder_.feed(worker(0), false, "password? ", at(0)).empty());
  EXPECT_EQ(folder_.due(), at(200));
  EXPECT_EQ(texts(folder_.flush(at(200))), std::vector<std::string>{"worker:0|password? "});
}

TEST_F(LineFolderTest, FoldsTheSameLineOfManyTasks) {
  EXPECT_EQ(folder_.feed(worker(0), false, "loaded\n", at(0)).size(), 1U);
  for (uint32_t i = 1; i < 32; ++i) {
    EXPECT_TRUE(folder_.feed(worker(i), false, "loaded\n", at(10)).empty());
  }
  EXPECT_EQ(texts(folder_.flush(at(200))),
            std::vector<std::string>{"worker:1-31|(the same, 31 more: loaded)"});
  EXPECT_EQ(folder_.due(), HostTime::max());
}

TEST_F(LineFolderTest, ShowsASingleTwinInFull) {
  EXPECT_EQ(folder_.feed(worker(0), false, "x\n", at(0)).size(), 1U);
  EXPECT_TRUE(folder_.feed(worker(1), false, "x\n", at(1)).empty());
  EXPECT_EQ(texts(folder_.flush(at(201))), std::vector<std::string>{"worker:1|x"});
}

TEST_F(LineFolderTest, KeepsOnlyTheLastStateOfAProgressBar) {
  EXPECT_EQ(texts(folder_.feed(worker(0), true, "10%\r20%\r100%\n", at(0))),
            std::vector<std::string>{"worker:0|100%"});
}

TEST_F(LineFolderTest, CutsAnEndlessLineAndSaysHowMuchIsMissing) {
  const std::string endless(1 << 20, 'x');
  EXPECT_TRUE(folder_.feed(worker(0), false, endless, at(0)).empty());
  const auto lines = folder_.feed(worker(0), false, "\n", at(1));
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_LT(lines[0].text.size(), LineFolder::kLineMax + 100);
  EXPECT_NE(lines[0].text.find("1020 KiB more in this line"), std::string::npos);
}

TEST_F(LineFolderTest, TellsWhatWasDroppedOnceASecond) {
  EXPECT_TRUE(folder_.dropped(worker(0), false, 1024, at(0)).empty());
  EXPECT_TRUE(folder_.dropped(worker(0), false, 1024, at(500)).empty());
  EXPECT_EQ(folder_.due(), at(1000));
  EXPECT_EQ(
      texts(folder_.flush(at(1000))),
      std::vector<std::string>{"worker:0|(2 KiB of output not shown here; the log has it all)"});
  EXPECT_EQ(folder_.due(), HostTime::max());
}

TEST_F(LineFolderTest, FinishLosesNothing) {
  (void)folder_.feed(worker(0), false, "a\n", at(0));
  (void)folder_.feed(worker(1), false, "a\nlast", at(0));
  EXPECT_EQ(texts(folder_.finish()), (std::vector<std::string>{"worker:1|last", "worker:1|a"}));
}

TEST(NameTasks, MakesRangesAndGroupsByRole) {
  const job::Plan plan = plan_of(32);
  EXPECT_EQ(
      name_tasks(plan,
                 {worker(3), worker(1), worker(2), {job::RoleIndex{0}, 0}, worker(7), worker(1)}),
      "ps:0 worker:1-3,7");
}

}  // namespace
}  // namespace muster::client
