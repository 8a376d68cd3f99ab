#include "client/show/terminal_text.h"

#include <gtest/gtest.h>

namespace muster::client {
namespace {

TEST(TerminalText, LetsColoursPassAndResetsThem) {
  EXPECT_EQ(terminal_text("\x1b[1;31merror\x1b[m: no", true), "\x1b[1;31merror\x1b[m: no\x1b[0m");
  EXPECT_EQ(terminal_text("\x1b[38:5:9mred", true), "\x1b[38:5:9mred\x1b[0m");
}

TEST(TerminalText, CutsColoursWhereThereIsNoTerminal) {
  EXPECT_EQ(terminal_text("\x1b[1;31merror\x1b[m: no", false), "error: no");
}

TEST(TerminalText, NeverLetsAProgramMoveTheCursorOrClearTheScreen) {
  for (const bool colours : {false, true}) {
    EXPECT_EQ(terminal_text("a\x1b[2J\x1b[H\x1b[3Ab\x1b[?25lc\x1b(Bd\x1b"
                            "7e",
                            colours),
              "abcde");
    EXPECT_EQ(terminal_text("\x1b]0;title\ax\x1b]8;;http://h\x1b\\link\x1b]8;;\x1b\\", colours),
              "xlink");
    EXPECT_EQ(terminal_text("x\x1b]52;c;never ended", colours), "x");
    EXPECT_EQ(terminal_text("\x1b[>4;1mx", colours), "x");
  }
}

TEST(TerminalText, ShowsOtherControlBytes) {
  EXPECT_EQ(terminal_text(std::string_view("a\0b\x07", 4), true), "a^@b^G");
  EXPECT_EQ(terminal_text("end\x1b", true), "end^[");
  EXPECT_EQ(terminal_text("end\x1b[31", true), "end^[[31");
}

TEST(ConsoleText, KeepsLinesAndStylesOnly) {
  EXPECT_EQ(console_text("\x1b[32mran\x1b[0m\t1\nnext\n"), "\x1b[32mran\x1b[0m\t1\nnext\n");
  EXPECT_EQ(console_text("a\x1b[2Jb\x1b]0;t\ac\rd\n"), "a^[[2Jb^[]0;t^Gc^Md\n");
  EXPECT_EQ(console_text("a\u202Eb\xC2\x9B"
                         "2J\n"),
            "a\uFFFDb\uFFFD2J\n");
  EXPECT_EQ(console_text("\x1b"), "^[");
}

TEST(CutToColumns, CountsCharactersNotBytes) {
  EXPECT_EQ(cut_to_columns("45%|██▌  |", 6), "45%|██");
  EXPECT_EQ(cut_to_columns("ab", 6), "ab");
  EXPECT_EQ(cut_to_columns("ab", 0), "");
}

}  // namespace
}  // namespace muster::client
