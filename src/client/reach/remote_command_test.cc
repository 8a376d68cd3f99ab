#include "client/reach/remote_command.h"

#include "client/show/failure.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace muster::client {
namespace {

using wire::StreamFault;
using wire::StreamFrame;

/// Goal: check the client's end of a stream, with the master played by the test.
struct Remote : ::testing::Test {
  Remote()
      : command({.send = [this](StreamFrame::Kind kind) { sent.push_back(std::move(kind)); },
                 .waits = [this](const std::string& reason) { waits.push_back(reason); },
                 .output = [this](bool is_err,
                                  std::string_view bytes) { (is_err ? err : out) += bytes; },
                 .opened = [this](const wire::StreamOpened& frame) { opened = frame; },
                 .room = [this] { ++rooms; },
                 .ended = [this] { ++ends; }}) {}

  void hear(StreamFrame::Kind kind) { command.take({1, std::move(kind)}); }
  void hear_output(const wire::ExecOutput& output) { hear(wire::StreamData{wire::encode(output)}); }
  template <class Kind>
  [[nodiscard]] std::vector<Kind> got() const {
    std::vector<Kind> found;
    for (const StreamFrame::Kind& kind : sent) {
      if (const auto* one = std::get_if<Kind>(&kind)) {
        found.push_back(*one);
      }
    }
    return found;
  }

  std::vector<StreamFrame::Kind> sent;
  std::vector<std::string> waits;
  std::string out;
  std::string err;
  wire::StreamOpened opened;
  int rooms = 0;
  int ends = 0;
  RemoteCommand command;
};

TEST_F(Remote, ShowsWhatTheCommandWritesAndEndsWithItsStatus) {
  hear(wire::StreamWaits{"worker:0 has not started yet"});
  EXPECT_FALSE(command.running());
  hear(wire::StreamOpened{});
  EXPECT_TRUE(command.running());
  hear_output(wire::ExecOutputBytes{false, "out"});
  hear_output(wire::ExecOutputBytes{true, "err"});
  hear_output(wire::ExecExited{7, ""});
  EXPECT_EQ(waits.size(), 1U);
  EXPECT_EQ(out, "out");
  EXPECT_EQ(err, "err");
  EXPECT_EQ(command.end()->status, 7);
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(got<wire::StreamClosed>().size(), 1U);
  hear(wire::StreamClosed{});
  EXPECT_EQ(ends, 1);
}

TEST_F(Remote, GivesCreditForWhatWasShown) {
  hear(wire::StreamOpened{});
  const std::string piece(32U << 10, 'x');
  for (int i = 0; i < 20; ++i) {
    hear_output(wire::ExecOutputBytes{false, piece});
  }
  EXPECT_EQ(out.size(), 20 * piece.size());
  EXPECT_GE(got<wire::StreamCredit>().size(), 5U);
  EXPECT_TRUE(command.running());
}

TEST_F(Remote, SendsNoInputBeforeItIsOpenAndNoMoreThanItsCredit) {
  command.send_input("early");
  EXPECT_TRUE(sent.empty());
  EXPECT_EQ(command.room(), 0U);
  hear(wire::StreamOpened{});
  size_t bytes = 0;
  while (command.room() > 0) {
    command.send_input(std::string(command.room(), 'x'));
    bytes = 0;
    for (const wire::StreamData& data : got<wire::StreamData>()) {
      bytes += data.bytes.size();
    }
  }
  EXPECT_LT(bytes, wire::kStreamWindow);
  command.signal(2);
  EXPECT_EQ(std::get<wire::ExecSignal>(
                wire::decode_exec_input(got<wire::StreamData>().back().bytes).value())
                .signal,
            2)
      << "there is always room for a signal";
}

TEST_F(Remote, TellsWhetherASizeHasBeenSent) {
  EXPECT_FALSE(command.resize({24, 80})) << "it is not open yet";
  hear(wire::StreamOpened{});
  size_t bytes = 0;
  while (command.resize({24, 80})) {
    bytes += std::get<wire::StreamData>(sent.back()).bytes.size();
    ASSERT_LE(bytes, wire::kStreamWindow);
  }
  hear(wire::StreamCredit{bytes});
  EXPECT_TRUE(command.resize({25, 81}));
}

TEST_F(Remote, EndsWithAReasonWhenItIsReset) {
  const auto status = [](StreamFault fault) {
    RemoteCommand one({.send = [](const StreamFrame::Kind&) {},
                       .waits = [](const std::string&) {},
                       .output = [](bool, std::string_view) {},
                       .room = [] {},
                       .ended = [] {}});
    one.take({1, wire::StreamReset{fault, "why"}});
    EXPECT_EQ(one.end()->reason, "why");
    return one.end()->status;
  };
  EXPECT_EQ(status(StreamFault::NotRunning), kCouldNotStart);
  EXPECT_EQ(status(StreamFault::Refused), kCouldNotStart);
  EXPECT_EQ(status(StreamFault::Deadline), 5);
  EXPECT_EQ(status(StreamFault::Lost), 3);
  EXPECT_EQ(status(StreamFault::Protocol), kBug);
}

TEST_F(Remote, ResetsAStreamThatBreaksTheRules) {
  hear(wire::StreamOpened{});
  hear(wire::StreamCredit{1});
  ASSERT_EQ(got<wire::StreamReset>().size(), 1U);
  EXPECT_EQ(got<wire::StreamReset>()[0].fault, StreamFault::Protocol);
  EXPECT_EQ(command.end()->status, kBug);
}

TEST_F(Remote, TellsWhetherTheCommandMayHaveRunWhenTheConnectionBreaks) {
  command.lose("gone");
  EXPECT_EQ(command.end()->status, kCouldNotStart);
  RemoteCommand other({.send = [](const StreamFrame::Kind&) {},
                       .waits = [](const std::string&) {},
                       .output = [](bool, std::string_view) {},
                       .room = [] {},
                       .ended = [] {}});
  other.take({1, wire::StreamOpened{}});
  other.lose("gone");
  EXPECT_EQ(other.end()->status, 3);
}

}  // namespace
}  // namespace muster::client
