#include "agent/session/terminal_history.h"

#include <gtest/gtest.h>

#include <string>

namespace muster::agent {
namespace {

constexpr char kAltScreen[] = "\x1b[?1049h";

TEST(TerminalHistory, GoesOnWhereAKnownTerminalStopped) {
  TerminalHistory history;
  history.take("one\ntwo\n");
  const TerminalHistory::Resumption resumption = history.resume(4);
  EXPECT_EQ(resumption.position, 4U);
  EXPECT_EQ(resumption.lost, 0U);
  EXPECT_EQ(resumption.modes, "");
  EXPECT_EQ(history.read(resumption.position, 100), "two\n");
}

TEST(TerminalHistory, DoesNotBelieveAPositionThatIsStillToCome) {
  TerminalHistory history;
  history.take("one\n");
  EXPECT_EQ(history.resume(1000).position, 4U);
}

TEST(TerminalHistory, ShowsANewTerminalTheModesAndWhatWasBefore) {
  TerminalHistory history;
  history.take(std::string(kAltScreen) + "one\ntwo\n");
  history.left_at(history.end());
  const TerminalHistory::Resumption resumption = history.resume(std::nullopt);
  EXPECT_EQ(resumption.position, 0U);
  EXPECT_NE(resumption.modes, "");
  EXPECT_TRUE(history.has_screen());
}

TEST(TerminalHistory, BeginsWithALineAndTellsWhatIsLost) {
  TerminalHistory history;
  history.left_at(0);
  for (int i = 0; i < 40000; ++i) {
    history.take("0123456789012345678901234567890123456789012345678\n");
  }
  const TerminalHistory::Resumption resumption = history.resume(100);
  EXPECT_GT(resumption.position, 100U);
  EXPECT_EQ(resumption.position % 50, 0U) << "half a line";
  EXPECT_EQ(resumption.lost, resumption.position - 100);
  EXPECT_LE(history.end() - resumption.position, 2 * Scrollback::kBytesMin + 50);
}

}  // namespace
}  // namespace muster::agent
