#include "control/frame_queue.h"

#include "control/frame_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::control {
namespace {

std::shared_ptr<const std::string> frame_of(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

TEST(FrameQueue, GivesItsFramesPieceByPieceAsTheyAreSent) {
  FrameQueue queue;
  const std::vector<std::string> frames = {"one", "", std::string(1000, 'x'), "four"};
  for (const std::string& frame : frames) {
    queue.push(frame_of(frame));
  }
  EXPECT_EQ(queue.bytes(), frames.size() * kFrameHeader + 1007);
  std::vector<std::string> read;
  FrameReader reader(kFrameMax);
  std::array<char, 7> staging{};
  for (size_t sent = 1; !queue.empty(); sent = sent % staging.size() + 1) {
    const std::string_view next = queue.gather(staging);
    const std::string part(next.substr(0, sent));  // The stream may take less than it is offered.
    ASSERT_TRUE(reader.feed(part, [&](std::string_view frame) {
      read.emplace_back(frame);
      return true;
    }));
    queue.consume(part.size());
  }
  EXPECT_EQ(read, frames);
  EXPECT_EQ(queue.bytes(), 0U);
}

TEST(FrameQueue, AFrameInTwoPiecesIsOne) {
  FrameQueue whole;
  whole.push(frame_of("head" + std::string(50, 'x')));
  FrameQueue pieces;
  pieces.push("head", std::string(50, 'x'));
  EXPECT_EQ(pieces.bytes(), whole.bytes());
  for (std::array<char, 9> here{}, there{}; !whole.empty();) {
    const std::string next(whole.gather(here));
    EXPECT_EQ(pieces.gather(there), next);
    whole.consume(next.size());
    pieces.consume(next.size());
  }
  EXPECT_TRUE(pieces.empty());
}

TEST(FrameQueue, MostOfAPieceOfOneFrameIsNotCopied) {
  FrameQueue queue;
  queue.push("head", std::string(100, 'x'));
  queue.push("head", "next");
  std::array<char, 40> staging{};
  const auto is_copied = [&](std::string_view piece) { return piece.data() == staging.data(); };
  std::string_view next = queue.gather(staging);
  EXPECT_TRUE(is_copied(next)) << "the head and what follows it share a piece";
  queue.consume(next.size());
  for (const size_t size : {40U, 28U}) {
    next = queue.gather(staging);
    EXPECT_EQ(next.size(), size);
    EXPECT_FALSE(is_copied(next)) << size;
    queue.consume(next.size());
  }
  EXPECT_TRUE(is_copied(queue.gather(staging)));
}

TEST(FrameQueue, SeveralFramesShareOnePiece) {
  FrameQueue queue;
  queue.push(frame_of("ab"));
  queue.push(frame_of("cd"));
  std::array<char, 100> staging{};
  EXPECT_EQ(queue.gather(staging).size(), queue.bytes());
  queue.clear();
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.bytes(), 0U);
}

}  // namespace
}  // namespace muster::control
