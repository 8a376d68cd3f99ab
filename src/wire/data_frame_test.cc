#include "wire/data_frame.h"

#include "muster/control/v1/agent.pb.h"
#include "muster/control/v1/stream.pb.h"
#include "wire/frame.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::wire {
namespace {

std::string text_of(size_t size) {
  std::string text(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>(i * 7 + size);
  }
  return text;
}

/// Sizes at which a length needs one more byte, in one of the three places where it appears.
const std::vector<size_t> kSizes = {1,      2,      113,    114,    115,    116,           123,
                                    124,    125,    126,    127,    128,    129,           16'365,
                                    16'370, 16'380, 16'383, 16'384, 16'390, kStreamDataMax};

std::string parsers_bytes(uint64_t id, const std::string& data) {
  control::v1::StreamFrame message;
  message.set_id(id);
  message.mutable_data()->set_data(data);
  return message.SerializeAsString();
}

TEST(DataFrame, HasTheBytesOfTheParser) {
  for (const size_t size : kSizes) {
    for (const uint64_t id : {uint64_t{1}, uint64_t{0x8000'0000'0000'0001}, UINT64_MAX}) {
      const std::string data = text_of(size);
      const auto bytes = encode_data_frame(StreamFrame{id, StreamData{data}}, 0);
      ASSERT_TRUE(bytes.has_value());
      ASSERT_EQ(*bytes, parsers_bytes(id, data)) << size;
      control::v1::AgentFrame around;
      ASSERT_TRUE(around.mutable_stream()->ParseFromString(*bytes));
      EXPECT_EQ(encode(AgentFrame(StreamFrame{id, StreamData{data}})), around.SerializeAsString());
    }
  }
}

/// Checks the pieces of one frame: their bytes are the frame's, and the data was not copied.
template <class Frame>
void expect_parts(Frame frame, const std::string& whole, const char* data) {
  const FrameParts parts = encode_parts(std::move(frame));
  EXPECT_EQ(parts.head + parts.body, whole);
  EXPECT_EQ(parts.body.data(), data);
}

template <class Frame>
void expect_parts_of_data() {
  StreamFrame stream{77, StreamData{text_of(1000)}};
  const char* const data = std::get<StreamData>(stream.kind).bytes.data();
  const std::string whole = encode(Frame(stream));
  expect_parts(Frame(std::move(stream)), whole, data);
}

TEST(DataFrame, InTwoPiecesIsTheSameAndItsDataAreMoved) {
  expect_parts_of_data<AgentFrame>();
  expect_parts_of_data<MasterFrame>();
  expect_parts_of_data<ClientFrame>();
  expect_parts_of_data<ClientEvent>();
  const FrameParts alone = encode_stream_parts({77, StreamData{"some"}});
  EXPECT_EQ(alone.head + alone.body, parsers_bytes(77, "some"));
  EXPECT_EQ(alone.body, "some");
}

TEST(DataFrame, OtherFramesAreInOnePiece) {
  const StreamFrame credit{77, StreamCredit{5}};
  const FrameParts parts = encode_parts(AgentFrame(credit));
  EXPECT_EQ(parts.head, encode(AgentFrame(credit)));
  EXPECT_TRUE(parts.body.empty());
  EXPECT_EQ(encode_stream_parts(credit).head, encode_stream_frame(credit));
}

TEST(DataFrame, ComesBackFromTheParsersBytes) {
  for (const size_t size : kSizes) {
    const StreamFrame frame{77, StreamData{text_of(size)}};
    EXPECT_EQ(decode_data_frame(parsers_bytes(77, text_of(size)), 0), frame);
    const Result<MasterFrame> carried = decode_master_frame(encode(MasterFrame(frame)));
    ASSERT_TRUE(carried.has_value());
    EXPECT_EQ(*carried, MasterFrame(frame));
  }
}

TEST(DataFrame, LeavesEveryOtherFormToTheParser) {
  EXPECT_FALSE(encode_data_frame(StreamFrame{0, StreamData{"x"}}, 0));
  EXPECT_FALSE(encode_data_frame(StreamFrame{1, StreamData{""}}, 0));
  EXPECT_FALSE(encode_data_frame(StreamFrame{1, StreamClosed{}}, 4));
  EXPECT_FALSE(encode_data_frame(ClientFrame(StatusAsked{}), 4));

  const std::string whole = parsers_bytes(1, "abc");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(decode_data_frame(whole.substr(0, size), 0)) << size;
  }
  EXPECT_FALSE(decode_data_frame(whole + whole, 0)) << "the parser takes the last of two";
  EXPECT_FALSE(decode_data_frame(whole, 7)) << "nothing is around it";
  EXPECT_FALSE(decode_data_frame(parsers_bytes(1, std::string(kStreamDataMax + 1, 'x')), 0));
  EXPECT_FALSE(
      decode_data_frame("\x09"
                        "12345678"
                        "\x2a\xff\xff\xff\xff\xff\xff",
                        0));
  EXPECT_EQ(decode_stream_frame(whole + whole)->kind, StreamFrame::Kind(StreamData{"abc"}));
}

TEST(DataFrame, ReadsWhatTheParserReads) {
  // Each byte of the head is changed to each value: what is accepted is what the parser reads.
  const std::string whole = parsers_bytes(1, "abc");
  size_t taken = 0;
  for (size_t at = 0; at < whole.size() - 3; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = whole;
      changed[at] = static_cast<char>(value);
      const auto frame = decode_data_frame(changed, 0);
      control::v1::StreamFrame message;
      if (!frame) {
        continue;
      }
      ++taken;
      ASSERT_TRUE(message.ParseFromString(changed));
      ASSERT_EQ(frame->id, message.id());
      ASSERT_EQ(std::get<StreamData>(frame->kind).bytes, message.data().data());
    }
  }
  EXPECT_EQ(taken, 8 * 256U + 5) << "any id, and the bytes that are as they were";
}

TEST(DataFrame, WritesOneFieldAsTheParserDoes) {
  for (const size_t size : kSizes) {
    control::v1::ExecOutput message;
    message.set_errors(text_of(size));
    EXPECT_EQ(encode(ExecOutput(ExecOutputBytes{true, text_of(size)})),
              message.SerializeAsString());
    EXPECT_EQ(only_field(message.SerializeAsString(), 2), text_of(size));
    EXPECT_FALSE(only_field(message.SerializeAsString(), 1));
  }
}

}  // namespace
}  // namespace muster::wire
