#include "os/process/terminal_modes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace muster::os {
namespace {

TerminalModes after(std::string_view bytes) {
  TerminalModes modes;
  modes.take(bytes);
  return modes;
}

TEST(TerminalModes, AreThoseOfANormalTerminalAtFirst) {
  EXPECT_EQ(TerminalModes().sequences(), "");
  EXPECT_EQ(after("plain \x1b[31mred\x1b[0m \x1b[2J\x1b[1;1H\x1b[?25h\x1b[?7h").sequences(), "");
  EXPECT_FALSE(after("plain").has_screen());
}

TEST(TerminalModes, AreWhatProgramsSwitched) {
  // What vim sends first.
  const TerminalModes modes =
      after("\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?25l");
  EXPECT_EQ(modes.sequences(), "\x1b[?1049h\x1b[?1h\x1b[?25l\x1b[?1004h\x1b[?2004h\x1b=\x1b[>4;2m");
  EXPECT_TRUE(modes.has_screen());
  EXPECT_TRUE(modes.on_other_screen());
  // What top sends first.
  EXPECT_TRUE(after("\x1b[?1h").has_screen());
  EXPECT_FALSE(after("\x1b[?1h").on_other_screen());
}

TEST(TerminalModes, EndWithTheirProgram) {
  EXPECT_EQ(after("\x1b[?1049h\x1b[>4;2m\x1b[?1h\x1b=\x1b[?25l"
                  "\x1b[?25h\x1b[?1l\x1b>\x1b[>4;m\x1b[>4m\x1b[?1049l")
                .sequences(),
            "");
  EXPECT_EQ(after("\x1b[?1049;1000;1006h\x1b"
                  "c")
                .sequences(),
            "");
  EXPECT_EQ(after("\x1b[?1000h\x1b[!p").sequences(), "");
}

TEST(TerminalModes, AreReadInWhateverPiecesTheyCome) {
  constexpr std::string_view kAll = "x\x1b[?1000;1006h\x1b]0;title\ay\x1b(B\x1b=";
  for (size_t cut = 0; cut <= kAll.size(); ++cut) {
    TerminalModes modes;
    modes.take(kAll.substr(0, cut));
    modes.take(kAll.substr(cut));
    EXPECT_EQ(modes.sequences(), "\x1b[?1000h\x1b[?1006h\x1b=") << cut;
  }
}

TEST(TerminalModes, TakeTheOlderNumbersOfTheOtherScreen) {
  EXPECT_EQ(after("\x1b[?47h").sequences(), "\x1b[?1049h");
  EXPECT_EQ(after("\x1b[?1047h\x1b[?1049l").sequences(), "");
}

TEST(TerminalModes, KeepNothingOfWhatIsNone) {
  EXPECT_EQ(after("\x1b[?99999999h\x1b[?h\x1b[?;h\x1b[?1000").sequences(), "");
  // A title may contain what looks like a mode.
  EXPECT_EQ(after("\x1b]0;[?1000h\a").sequences(), "");
  // Binary output neither takes up memory nor hides what follows.
  EXPECT_EQ(after("\x1b[?" + std::string(100'000, '1') + "h\x1b[?1000h").sequences(),
            "\x1b[?1000h");
  EXPECT_EQ(after("\x1b[?10\x18\x1b[?1000h").sequences(), "\x1b[?1000h");
}

}  // namespace
}  // namespace muster::os
