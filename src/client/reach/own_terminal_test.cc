#include "client/reach/own_terminal.h"

#include "rt/fd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// A terminal with only the test in front of it.
struct Screen {
  Screen() {
    outside = rt::Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
    std::array<char, 64> name{};
    EXPECT_EQ(::unlockpt(outside.get()), 0);
    EXPECT_EQ(::ptsname_r(outside.get(), name.data(), name.size()), 0);
    inside = rt::Fd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    EXPECT_TRUE(inside.valid());
  }
  [[nodiscard]] OwnTerminal::Options options(std::string kind = "xterm") const {
    return {.keys = inside.get(), .screen = inside.get(), .name = std::move(kind)};
  }
  /// Returns what has been shown since the last call.
  [[nodiscard]] std::string shown() const {
    std::array<char, 4096> bytes{};
    const ssize_t got = ::read(outside.get(), bytes.data(), bytes.size());
    return {bytes.data(), got > 0 ? static_cast<size_t>(got) : 0};
  }
  /// Returns whether the terminal buffers typed text by lines, and turns Ctrl-C into a signal.
  [[nodiscard]] bool is(tcflag_t flag) const {
    termios settings{};
    EXPECT_EQ(::tcgetattr(inside.get(), &settings), 0);
    return (settings.c_lflag & flag) != 0;
  }

  rt::Fd outside;
  rt::Fd inside;
};

TEST(OwnTerminal, GivesTheKeysToTheCommandAndBack) {
  const Screen screen;
  OwnTerminal terminal(screen.options());
  EXPECT_FALSE(terminal.taken());
  EXPECT_TRUE(screen.is(ICANON));
  terminal.take();
  EXPECT_TRUE(terminal.taken());
  EXPECT_FALSE(screen.is(ICANON));
  EXPECT_FALSE(screen.is(ISIG));
  terminal.let_keys_wait();
  EXPECT_TRUE(screen.is(ISIG)) << "Ctrl-C leaves what cannot be reached";
  EXPECT_FALSE(screen.is(ICANON));
  terminal.take();
  EXPECT_FALSE(screen.is(ISIG));
  terminal.give_back();
  EXPECT_FALSE(terminal.taken());
  EXPECT_TRUE(screen.is(ICANON));
  EXPECT_TRUE(screen.is(ISIG));
}

TEST(OwnTerminal, ReturnsTheKeysAtItsEnd) {
  const Screen screen;
  {
    OwnTerminal terminal(screen.options());
    terminal.take();
  }
  EXPECT_TRUE(screen.is(ICANON));
}

TEST(OwnTerminal, TakesTheKeysAgainWhereAnotherProgramHadThem) {
  const Screen screen;
  OwnTerminal terminal(screen.options());
  termios before{};
  ASSERT_EQ(::tcgetattr(screen.inside.get(), &before), 0);
  terminal.renew();
  EXPECT_TRUE(screen.is(ICANON)) << "they were not taken";
  terminal.take();
  ASSERT_EQ(::tcsetattr(screen.inside.get(), TCSANOW, &before), 0);
  terminal.renew();
  EXPECT_FALSE(screen.is(ICANON));
}

TEST(OwnTerminal, SwitchesBackWhatProgramsSwitched) {
  const Screen screen;
  OwnTerminal terminal(screen.options());
  terminal.take();
  terminal.shown("\x1b[?1049h");
  EXPECT_EQ(screen.shown(), "") << "that was written by others";
  terminal.give_back();
  EXPECT_THAT(screen.shown(), StartsWith("\x1b[?1049l\x1b[?1047l"));
  terminal.give_back();
  EXPECT_EQ(screen.shown(), "") << "it has been given back";
  terminal.reset();
  EXPECT_THAT(screen.shown(), Not(HasSubstr("\x1b[?1049l"))) << "once only";
}

TEST(OwnTerminal, JoinsTheModesOfAProgram) {
  const Screen screen;
  OwnTerminal terminal(screen.options());
  terminal.join("\x1b[?1049h\x1b[?25l");
  EXPECT_EQ(screen.shown(), "\x1b[?1049h\x1b[?25l");
  terminal.reset();
  EXPECT_THAT(screen.shown(), StartsWith("\x1b[?1049l"));
}

TEST(OwnTerminal, WritesNoSequencesWhereTheyAreNotUnderstood) {
  const Screen screen;
  OwnTerminal dumb(screen.options("dumb"));
  dumb.take();
  dumb.give_back();
  EXPECT_EQ(screen.shown(), "");
  EXPECT_TRUE(screen.is(ICANON));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
  const rt::Fd reader(ends[0]);
  const rt::Fd writer(ends[1]);
  OwnTerminal piped({.keys = screen.inside.get(), .screen = writer.get(), .name = "xterm"});
  piped.reset();
  char byte = 0;
  EXPECT_EQ(::read(reader.get(), &byte, 1), -1) << "standard output is no terminal";
}

TEST(OwnTerminal, HasItsSizeWhereThereIsOne) {
  const Screen screen;
  winsize window{};
  window.ws_row = 50;
  window.ws_col = 132;
  ASSERT_EQ(::ioctl(screen.outside.get(), TIOCSWINSZ, &window), 0);
  EXPECT_EQ(OwnTerminal(screen.options()).size(), (wire::TerminalSize{50, 132}));
  const rt::Fd none(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  OwnTerminal nobody({.keys = none.get(), .screen = none.get(), .name = "xterm"});
  EXPECT_FALSE(nobody.size());
  nobody.take();
  EXPECT_FALSE(nobody.taken());
}

}  // namespace
}  // namespace muster::client
