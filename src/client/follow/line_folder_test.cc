#include "client/follow/line_folder.h"

#include "base/text.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

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

class LineFolderTest : public ::testing::Test {
 protected:
  job::Plan plan_ = plan_of(32);
  LineFolder folder_{plan_, {.window = milliseconds(200)}};
};

TEST_F(LineFolderTest, JoinsPiecesOfALine) {
  EXPECT_TRUE(folder_.feed(worker(0), false, "hel", at(0)).empty());
  EXPECT_EQ(texts(folder_.feed(worker(0), false, "lo\nwor", at(1))),
            std::vector<std::string>{"worker:0|hello"});
}

TEST_F(LineFolderTest, KeepsAnUnfinishedLineWholeUntilItsNewline) {
  EXPECT_TRUE(folder_.feed(worker(0), false, "password? ", at(0)).empty());
  EXPECT_TRUE(folder_.flush(at(5000)).empty());
  EXPECT_EQ(texts(folder_.unfinished(4)), std::vector<std::string>{"worker:0|password? "});
  EXPECT_EQ(texts(folder_.feed(worker(0), false, "ok\n", at(6000))),
            std::vector<std::string>{"worker:0|password? ok"});
  EXPECT_TRUE(folder_.unfinished(4).empty());
}

TEST_F(LineFolderTest, FoldsTheSameLineOfManyTasks) {
  EXPECT_EQ(folder_.feed(worker(0), false, "loaded\n", at(0)).size(), 1U);
  for (uint32_t i = 1; i < 32; ++i) {
    EXPECT_TRUE(folder_.feed(worker(i), false, "loaded\n", at(10)).empty());
  }
  EXPECT_EQ(texts(folder_.flush(at(200))), std::vector<std::string>{"worker:1-31|loaded"});
  EXPECT_EQ(folder_.due(), HostTime::max());
}

// Each line was once looked for among all those with the same text: tens of billions of steps here,
// more than this test program has time for.
TEST_F(LineFolderTest, FoldsWhatTwoRepeatForAsLongAsTheyLike) {
  constexpr size_t kLines = 300'000;
  std::string said;
  for (size_t i = 0; i < kLines; ++i) {
    said += "y\n";
  }
  EXPECT_EQ(folder_.feed(worker(0), false, said, at(0)).size(), kLines);
  EXPECT_TRUE(folder_.feed(worker(1), false, said, at(0)).empty());
  const std::vector<ShownLine> folded = folder_.flush(at(200));
  EXPECT_EQ(folded.size(), kLines);
  EXPECT_EQ(folded.back().prefix, "worker:1");
}

// All lines have the same time, so the order of arrival is all there is.
TEST_F(LineFolderTest, KeepsTheOrderOfATracebackThatAllTasksPrint) {
  const std::vector<std::string> said = {"Traceback (most recent call last):", "  File \"b.py\"",
                                         "  File \"a.py\"", "    raise E()", "E"};
  std::string text;
  std::vector<std::string> first;
  std::vector<std::string> others;
  for (const std::string& line : said) {
    text += line + "\n";
    first.push_back("worker:0|" + line);
    others.push_back("worker:1-3|" + line);
  }
  EXPECT_EQ(texts(folder_.feed(worker(0), true, text, at(0))), first);
  for (uint32_t i = 1; i < 4; ++i) {
    EXPECT_TRUE(folder_.feed(worker(i), true, text, at(0)).empty());
  }
  EXPECT_EQ(texts(folder_.flush(at(200))), others);
}

TEST_F(LineFolderTest, NeverFoldsOrMovesWhatOneTaskRepeats) {
  EXPECT_EQ(texts(folder_.feed(worker(0), false, "x\ny\nx\nx\n\nx\n", at(0))),
            (std::vector<std::string>{"worker:0|x", "worker:0|y", "worker:0|x", "worker:0|x",
                                      "worker:0|", "worker:0|x"}));
  EXPECT_TRUE(folder_.flush(at(200)).empty());
}

TEST_F(LineFolderTest, ShowsWhatATaskHeldBackBeforeItsNextLine) {
  (void)folder_.feed(worker(0), false, "loaded\n", at(0));
  (void)folder_.feed(worker(1), false, "loaded\n", at(1));
  (void)folder_.feed(worker(2), false, "loaded\n", at(1));
  EXPECT_EQ(texts(folder_.feed(worker(2), false, "loss 2\n", at(2))),
            (std::vector<std::string>{"worker:1-2|loaded", "worker:2|loss 2"}));
}

TEST_F(LineFolderTest, FoldsOnlyWhatIsSaidInTheSameOrder) {
  (void)folder_.feed(worker(0), false, "x\ny\n", at(0));
  EXPECT_TRUE(folder_.feed(worker(1), false, "y\n", at(0)).empty());
  EXPECT_EQ(texts(folder_.feed(worker(1), false, "x\n", at(0))),
            (std::vector<std::string>{"worker:1|y", "worker:1|x"}));
}

TEST_F(LineFolderTest, FoldsEachRepetitionWithItsOwnTwin) {
  (void)folder_.feed(worker(0), false, "x\nx\n", at(0));
  EXPECT_TRUE(folder_.feed(worker(1), false, "x\nx\n", at(0)).empty());
  EXPECT_EQ(texts(folder_.feed(worker(1), false, "x\n", at(0))),
            (std::vector<std::string>{"worker:1|x", "worker:1|x", "worker:1|x"}));
}

TEST_F(LineFolderTest, KeepsStreamsApart) {
  (void)folder_.feed(worker(0), false, "x\n", at(0));
  EXPECT_EQ(texts(folder_.feed(worker(1), true, "x\n", at(0))),
            std::vector<std::string>{"worker:1|x"});
}

/// Parses "worker:0,2-3" into 0, 2 and 3.
std::vector<int> indices_of(const std::string& prefix) {
  std::vector<int> indices;
  for (const std::string_view part : split(std::string_view(prefix).substr(7), ',')) {
    for (char index = part.front(); index <= part.back(); ++index) {
      indices.push_back(index - '0');
    }
  }
  return indices;
}

// Four tasks print three different lines in any order, many at the same time.
TEST_F(LineFolderTest, LosesNothingAndKeepsEachTasksOrderWhateverComes) {
  std::map<int, std::string> said;
  std::map<int, std::string> shown;
  const auto see = [&](const std::vector<ShownLine>& lines) {
    for (const ShownLine& line : lines) {
      for (const int index : indices_of(line.prefix)) {
        shown[index] += line.text;
      }
    }
  };
  uint64_t random = 7;
  for (int step = 0; step < 5000; ++step) {
    random = random * 6364136223846793005ULL + 1442695040888963407ULL;
    const auto who = static_cast<uint32_t>(random >> 33) % 4;
    const std::string text(1, static_cast<char>('a' + (random >> 40) % 3));
    said[static_cast<int>(who)] += text;
    see(folder_.feed(worker(who), false, text + "\n", at(step / 4)));
  }
  see(folder_.finish());
  EXPECT_EQ(shown, said);
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
  EXPECT_LT(lines[0].text.size(), 4096U + 100);
  EXPECT_NE(lines[0].text.find("1020 KiB more in this line"), std::string::npos);
}

TEST_F(LineFolderTest, WholeLinesComeInPieces) {
  LineFolder whole(plan_, {.window = milliseconds(200), .line_max = 4, .whole = true});
  EXPECT_EQ(texts(whole.feed(worker(0), false, "abcdefghij\n", at(0))),
            (std::vector<std::string>{"worker:0|abcd", "worker:0|efgh", "worker:0|ij"}));
}

TEST_F(LineFolderTest, TellsWhatWasDroppedOnceASecond) {
  folder_.dropped(worker(0), false, 1024, at(0));
  EXPECT_TRUE(folder_.feed(worker(0), false, "half a li", at(400)).empty());
  folder_.dropped(worker(0), false, 1024 - 9, at(500));
  EXPECT_EQ(folder_.due(), at(1000));
  EXPECT_EQ(
      texts(folder_.flush(at(1000))),
      std::vector<std::string>{"worker:0|(2 KiB of output not shown here; the log has it all)"});
  EXPECT_EQ(folder_.due(), HostTime::max());
}

TEST_F(LineFolderTest, FinishLosesNothing) {
  (void)folder_.feed(worker(0), false, "a\n", at(0));
  (void)folder_.feed(worker(1), false, "a\nlast", at(0));
  EXPECT_EQ(texts(folder_.finish()), (std::vector<std::string>{"worker:1|a", "worker:1|last"}));
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
