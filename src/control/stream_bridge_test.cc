// The end of a stream that is a connection: bytes, credit, half-closes, and which fault breaks
// what.
#include "control/stream_bridge.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace muster::control {
namespace {

/// Goal: the bridge keeps its contract; the test is both the program at the other end of the
/// connection and the other end of the stream.
struct Bridge : ::testing::Test {
  Bridge() {
    auto [near, far] = ::muster::testing::memory_streams(loop, "bridge", "program");
    program = std::move(far);
    connection = std::move(near);
  }
  ~Bridge() override {
    scope.cancel();
    bridge.reset();
  }

  void begin(std::string preface = {}, wire::StreamWindows windows = {}) {
    bridge.emplace(loop, std::move(connection),
                   StreamBridge::Handlers{
                       .send = [this](wire::StreamFrame::Kind kind) { said.push_back(kind); },
                       .ended =
                           [this] {
                             ++ends;
                             bridge.reset();
                           }},
                   windows, std::move(preface));
    scope.spawn(listen());
    loop.run_ready();
  }
  rt::Async<> listen() {
    std::string buffer(1U << 20, ' ');
    while (true) {
      const auto size =
          co_await program->read_some({reinterpret_cast<uint8_t*>(buffer.data()), buffer.size()});
      if (!size.has_value() || *size == 0) {
        program_saw_end = true;
        co_return;
      }
      program_got += buffer.substr(0, *size);
    }
  }
  static rt::Async<> write(net::Stream* stream, std::string bytes) {
    const std::span sent(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    (void)co_await stream->write(sent);
  }
  void program_says(std::string bytes) {
    scope.spawn(write(program.get(), std::move(bytes)));
    loop.run_ready();
  }
  void hear(wire::StreamFrame::Kind kind) {
    ASSERT_TRUE(bridge.has_value());
    EXPECT_TRUE(bridge->take(kind).has_value());
    loop.run_ready();
  }
  template <class Kind>
  [[nodiscard]] std::vector<Kind> all() const {
    std::vector<Kind> found;
    for (const auto& kind : said) {
      if (const auto* one = std::get_if<Kind>(&kind)) {
        found.push_back(*one);
      }
    }
    return found;
  }
  [[nodiscard]] std::string data() const {
    std::string text;
    for (const auto& piece : all<wire::StreamData>()) {
      text += piece.bytes;
    }
    return text;
  }

  ::muster::testing::FakeLoop loop;
  std::unique_ptr<net::Stream> connection;
  std::unique_ptr<net::Stream> program;
  std::string program_got;
  bool program_saw_end = false;
  std::vector<wire::StreamFrame::Kind> said;
  int ends = 0;
  std::optional<StreamBridge> bridge;
  rt::Scope scope{loop};
};

TEST_F(Bridge, PassesBytesBothWaysUntilEachWayHasEnded) {
  begin("preface ");
  hear(wire::StreamData{"in"});
  hear(wire::StreamClosed{});
  EXPECT_EQ(program_got, "preface in");
  EXPECT_TRUE(program_saw_end);
  program_says("out");
  EXPECT_EQ(data(), "out");
  EXPECT_EQ(ends, 0);
  program->close_write();
  loop.run_ready();
  EXPECT_EQ(all<wire::StreamClosed>().size(), 1U);
  EXPECT_EQ(ends, 1);
}

TEST_F(Bridge, SendsNoMoreThanItsCredit) {
  begin();
  program_says(std::string(2 * wire::kStreamWindow, 'x'));
  const size_t first = data().size();
  EXPECT_LE(first, wire::kStreamWindow);
  EXPECT_GT(first, wire::kStreamWindow * 3 / 4) << "the other end owes credit before it is stuck";
  hear(wire::StreamCredit{first});
  EXPECT_LE(data().size(), wire::kStreamWindow + first);
  EXPECT_GT(data().size(), wire::kStreamWindow * 3 / 4 + first);
  while (data().size() < 2 * wire::kStreamWindow) {
    hear(wire::StreamCredit{wire::kStreamWindow / 4});
  }
}

TEST_F(Bridge, DoesNotSpendTheLastOfItsCreditOnCrumbs) {
  begin();
  program_says(std::string(2 * wire::kStreamWindow, 'x'));
  for (int quarter = 0; quarter < 4; ++quarter) {
    hear(wire::StreamCredit{wire::kStreamWindow / 4});
  }
  for (const wire::StreamData& piece : all<wire::StreamData>()) {
    EXPECT_GE(piece.bytes.size(), 8U << 10);
    EXPECT_LE(piece.bytes.size(), wire::kStreamDataMax);
  }
}

TEST_F(Bridge, SendsAsMuchAsAWideWindowTakes) {
  begin("", {.here = wire::kStreamWindow, .there = wire::kStreamWindowMax});
  program_says(std::string(2 * wire::kStreamWindowMax, 'x'));
  EXPECT_GT(data().size(), wire::kStreamWindowMax * 3 / 4);
  EXPECT_LE(data().size(), wire::kStreamWindowMax);
}

TEST_F(Bridge, SaysAtOnceWhatComesInSmallPieces) {
  begin();
  for (const std::string word : {"one", "two", "three"}) {
    program_says(word);
    EXPECT_TRUE(data().ends_with(word));
  }
}

TEST_F(Bridge, GivesCreditForWhatTheProgramHasTaken) {
  begin("preface");
  for (size_t sent = 0; sent < wire::kStreamWindow; sent += wire::kStreamDataMax) {
    hear(wire::StreamData{std::string(wire::kStreamDataMax, 'x')});
  }
  uint64_t given = 0;
  for (const auto& credit : all<wire::StreamCredit>()) {
    given += credit.bytes;
  }
  EXPECT_EQ(given, wire::kStreamWindow);
}

TEST_F(Bridge, RefusesMoreThanItGaveCreditFor) {
  begin();
  EXPECT_TRUE(bridge->take(wire::StreamClosed{}).has_value());
  EXPECT_FALSE(bridge->take(wire::StreamData{"late"}).has_value());
  EXPECT_FALSE(bridge->take(wire::StreamOpened{}).has_value());
}

TEST_F(Bridge, WritesWhatCameWholeBeforeAReset) {
  begin();
  EXPECT_TRUE(bridge->take(wire::StreamData{"all of it"}).has_value());
  EXPECT_TRUE(bridge->take(wire::StreamClosed{}).has_value());
  bridge->reset();
  loop.run_ready();
  EXPECT_EQ(program_got, "all of it");
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(all<wire::StreamReset>().empty());
}

TEST_F(Bridge, EndsAtOnceWithAResetBeforeTheClose) {
  begin();
  hear(wire::StreamData{"half of"});
  bridge->reset();
  loop.run_ready();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(program_saw_end);
}

TEST_F(Bridge, SaysThatAProgramTakesNoMore) {
  begin();
  scope.cancel();
  program.reset();
  loop.run_ready();
  EXPECT_EQ(all<wire::StreamClosed>().size(), 1U);
  hear(wire::StreamData{"for nobody"});
  ASSERT_EQ(all<wire::StreamReset>().size(), 1U);
  EXPECT_EQ(all<wire::StreamReset>()[0].fault, wire::StreamFault::Cancelled);
  EXPECT_EQ(ends, 1);
}

}  // namespace
}  // namespace muster::control
