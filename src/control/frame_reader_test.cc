#include "control/frame_reader.h"

#include "control/transport.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace muster::control {
namespace {

std::string on_wire(const std::vector<std::string>& frames) {
  std::string bytes;
  for (const std::string& frame : frames) {
    bytes += frame_header(frame.size()) + frame;
  }
  return bytes;
}

struct Collected {
  FrameReader reader;
  std::vector<std::string> frames;

  Status feed(std::string_view bytes) {
    return reader.feed(bytes, [this](std::string_view frame) {
      frames.emplace_back(frame);
      return true;
    });
  }
};

const std::vector<std::string>& some_frames() {
  static const std::vector<std::string> kFrames{"one", "", "two words", std::string(300, 'x'), ""};
  return kFrames;
}

TEST(FrameReader, CutsAnywhereIntoTwoPiecesAreTheSame) {
  const std::string bytes = on_wire(some_frames());
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    Collected collected;
    ASSERT_TRUE(collected.feed(std::string_view(bytes).substr(0, cut)).has_value());
    ASSERT_TRUE(collected.feed(std::string_view(bytes).substr(cut)).has_value());
    EXPECT_EQ(collected.frames, some_frames()) << cut;
    EXPECT_EQ(collected.reader.pending_bytes(), 0U);
  }
}

TEST(FrameReader, SingleBytesAreTheSame) {
  Collected collected;
  for (const char byte : on_wire(some_frames())) {
    ASSERT_TRUE(collected.feed(std::string_view(&byte, 1)).has_value());
  }
  EXPECT_EQ(collected.frames, some_frames());
}

/// Feeds pieces of `piece` bytes, but fills whatever room there is for a frame in place.
std::vector<std::string> read_in_place(std::string_view bytes, size_t piece) {
  Collected collected;
  const auto on_frame = [&](std::string_view frame) {
    collected.frames.emplace_back(frame);
    return true;
  };
  while (!bytes.empty()) {
    const std::span<char> room = collected.reader.room();
    const size_t size = std::min({piece, bytes.size(), room.empty() ? piece : room.size()});
    if (room.empty()) {
      EXPECT_TRUE(collected.feed(bytes.substr(0, size)).has_value());
    } else {
      std::ranges::copy(bytes.substr(0, size), room.begin());
      collected.reader.filled(size, on_frame);
    }
    bytes.remove_prefix(size);
  }
  EXPECT_EQ(collected.reader.pending_bytes(), 0U);
  return collected.frames;
}

TEST(FrameReader, FramesFilledInPlaceAreTheSame) {
  std::vector<std::string> frames = some_frames();
  std::string large(300'000, '\0');  // More than is reserved at once.
  for (size_t i = 0; i < large.size(); ++i) {
    large[i] = static_cast<char>(i * 31 >> 8);
  }
  frames.push_back(large);
  frames.emplace_back("last");
  for (const size_t piece : {1, 3, 5, 1000, 16'384, 1'000'000}) {
    EXPECT_EQ(read_in_place(on_wire(frames), piece), frames) << piece;
  }
}

TEST(FrameReader, RoomIsOfTheFrameThatIsUnderWay) {
  Collected collected;
  EXPECT_TRUE(collected.reader.room().empty());
  ASSERT_TRUE(collected.feed(frame_header(10).substr(0, 3)).has_value());
  EXPECT_TRUE(collected.reader.room().empty()) << "its size is not known";
  ASSERT_TRUE(collected.feed(frame_header(10).substr(3)).has_value());
  EXPECT_EQ(collected.reader.room().size(), 10U);
  ASSERT_TRUE(collected.feed("abcdefghij").has_value());
  EXPECT_TRUE(collected.reader.room().empty());
}

TEST(FrameReader, KeepsNoMoreOfALargeFrameThanHasComeTwice) {
  Collected collected;
  ASSERT_TRUE(collected.feed(frame_header(kFrameMax) + "x").has_value());
  EXPECT_LE(collected.reader.room().size(), 128U << 10);
}

TEST(FrameReader, TruncatedFrameIsNeverDelivered) {
  const std::string bytes = on_wire({std::string(100, 'x')});
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Collected collected;
    ASSERT_TRUE(collected.feed(std::string_view(bytes).substr(0, cut)).has_value());
    EXPECT_TRUE(collected.frames.empty());
    EXPECT_EQ(collected.reader.pending_bytes(), cut);
  }
}

TEST(FrameReader, RefusesWhatIsTooLarge) {
  Collected largest;
  EXPECT_TRUE(largest.feed(frame_header(kFrameMax)).has_value());
  Collected larger;
  EXPECT_EQ(larger.feed(frame_header(kFrameMax + 1)).error().code, Errc::Corrupt);
  Collected huge;
  EXPECT_EQ(huge.feed("\xff\xff\xff\xff").error().code, Errc::Corrupt);
}

TEST(FrameReader, TakesWhatItsOwnerAllows) {
  FrameReader small(10);
  const auto ignore = [](std::string_view) { return true; };
  EXPECT_TRUE(small.feed(on_wire({std::string(10, 'x')}), ignore).has_value());
  EXPECT_EQ(small.feed(frame_header(11), ignore).error().code, Errc::Corrupt);
}

TEST(FrameReader, StopsWhenAsked) {
  FrameReader reader;
  int frames = 0;
  EXPECT_TRUE(reader.feed(on_wire({"a", "b", "c"}), [&](std::string_view) { return ++frames < 2; })
                  .has_value());
  EXPECT_EQ(frames, 2);
}

}  // namespace
}  // namespace muster::control
