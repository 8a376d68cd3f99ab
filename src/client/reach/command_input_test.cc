#include "client/reach/command_input.h"

#include "rt/fd.h"
#include "rt/io_loop.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace muster::client {
namespace {

/// A pipe that holds something for a command.
struct Piped {
  explicit Piped(std::string_view content, CommandInput::Options options = {}) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    reader = rt::Fd(ends[0]);
    writer = rt::Fd(ends[1]);
    EXPECT_EQ(::write(writer.get(), content.data(), content.size()),
              static_cast<ssize_t>(content.size()));
    options.fd = reader.get();
    input.emplace(loop, std::move(options),
                  CommandInput::Handlers{.typed =
                                             [this](const DetachWatch::Typed& typed, size_t bytes) {
                                               text += typed.bytes;
                                               detached = detached || typed.detached;
                                               bytes_read += bytes;
                                               loop.stop();
                                             },
                                         .ended =
                                             [this] {
                                               ended = true;
                                               loop.stop();
                                             }});
  }
  /// Returns all that the command has received once something more has happened.
  std::string next() {
    loop.run_until(loop.now() + std::chrono::seconds(30));
    return text;
  }
  /// Returns how much nobody has read yet.
  int left() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(reader.get(), FIONREAD, &bytes), 0);
    return bytes;
  }

  rt::IoLoop loop;
  rt::Fd reader;
  rt::Fd writer;
  std::string text;
  size_t bytes_read = 0;
  bool detached = false;
  bool ended = false;
  std::optional<CommandInput> input;
};

TEST(CommandInput, ReadsAsFarAsThereIsRoom) {
  Piped piped("hello world");
  piped.input->allow(5);
  EXPECT_EQ(piped.next(), "hello");
  EXPECT_EQ(piped.left(), 6) << "others may have it";
  piped.input->allow(100);
  EXPECT_EQ(piped.next(), "hello world");
  EXPECT_FALSE(piped.input->exhausted());
  piped.writer.reset();
  (void)piped.next();
  EXPECT_TRUE(piped.ended);
}

TEST(CommandInput, ReadsNoMoreThanItsLimit) {
  Piped piped("hello world", {.bytes_max = 8});
  piped.input->allow(5);
  (void)piped.next();
  EXPECT_FALSE(piped.input->exhausted());
  piped.input->allow(5);
  EXPECT_EQ(piped.next(), "hello wo");
  EXPECT_TRUE(piped.input->exhausted());
  EXPECT_EQ(piped.left(), 3);
}

TEST(CommandInput, KeepsRoomForKeysThatItHoldsBack) {
  Piped piped(
      "\x10"
      "abcdef",
      {.detach_keys = "\x10\x11"});
  piped.input->allow(5);
  // Ctrl-P alone does not detach, so it belongs to the command after all.
  EXPECT_EQ(piped.next(),
            "\x10"
            "ab");
  EXPECT_EQ(piped.left(), 4);
}

TEST(CommandInput, TellsOfTheKeysThatLeaveTheCommand) {
  Piped piped("ls\x10\x11lost", {.detach_keys = "\x10\x11"});
  piped.input->allow(100);
  EXPECT_EQ(piped.next(), "ls");
  EXPECT_TRUE(piped.detached);
  EXPECT_EQ(piped.bytes_read, 8U);
}

TEST(CommandInput, ReadsNothingAfterItsEnd) {
  Piped piped("hello");
  piped.input->allow(2);
  (void)piped.next();
  piped.input->allow(3);
  piped.input->end();
  EXPECT_TRUE(piped.input->ended());
  piped.loop.post([&] { piped.loop.stop(); });
  EXPECT_EQ(piped.next(), "he");
  EXPECT_EQ(piped.left(), 3);
}

}  // namespace
}  // namespace muster::client
