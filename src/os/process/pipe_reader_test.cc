#include "os/process/pipe_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

/// A pipe that holds `text` and whose writer is gone.
rt::Fd pipe_with(const std::string& text) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_GE(::fcntl(ends[1], F_SETPIPE_SZ, 1 << 20), static_cast<int>(text.size()));
  EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  ::close(ends[1]);
  return rt::Fd(ends[0]);
}

/// Returns the pieces in which a reader gets `text`.
std::vector<std::string> pieces_of(const std::string& text, PipeReader::Pace pace) {
  rt::IoLoop loop;
  std::vector<std::string> pieces;
  const PipeReader reader(loop, pipe_with(text),
                          {.bytes = [&](std::string_view bytes) { pieces.emplace_back(bytes); },
                           .ended = [&] { loop.stop(); }},
                          pace);
  loop.run_until(loop.now() + 10s);
  return pieces;
}

std::string text_of(size_t size) {
  std::string text(size, '\0');
  for (size_t at = 0; at < size; ++at) {
    text[at] = static_cast<char>('a' + at % 23);
  }
  return text;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) {
    all += piece;
  }
  return all;
}

TEST(PipeReader, ReadsAFloodInLargePieces) {
  const std::string text = text_of(1'000'000);
  const std::vector<std::string> pieces = pieces_of(text, PipeReader::Pace::Batches);
  EXPECT_EQ(joined(pieces), text);
  EXPECT_LE(pieces.size(), 4U);  // 64 KiB, then up to 512 KiB each.
  EXPECT_EQ(std::ranges::max(pieces, {}, &std::string::size).size(), 512U << 10);
}

TEST(PipeReader, ReadsPromptlyInSmallOnes) {
  const std::string text = text_of(1'000'000);
  const std::vector<std::string> pieces = pieces_of(text, PipeReader::Pace::Prompt);
  EXPECT_EQ(joined(pieces), text);
  EXPECT_LE(std::ranges::max(pieces, {}, &std::string::size).size(), 64U << 10);
}

}  // namespace
}  // namespace muster::os
