#include "agent/attempt/endpoints.h"

#include "testing/fake_loop.h"
#include "testing/memory_stream.h"
#include "testing/recording_sink.h"
#include "testing/run_async.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace muster::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr job::AttemptId kFirst{{job::RoleIndex{0}, 0}, 1};
constexpr job::AttemptId kSecond{{job::RoleIndex{0}, 0}, 2};

/// Records which pages are published.
class PagesHeard final : public AttemptObserver {
 public:
  void prepared(job::AttemptId /*attempt*/, job::Address /*address*/) override {}
  void prepare_failed(job::AttemptId /*attempt*/, job::Failure /*failure*/) override {}
  void started(job::AttemptId /*attempt*/, int32_t /*pid*/) override {}
  void start_failed(job::AttemptId /*attempt*/, job::Failure /*failure*/) override {}
  void ended(job::AttemptId /*attempt*/, job::Exit /*exit*/) override {}
  void tell(job::Fact fact) override {
    const auto& page = std::get<job::EndpointPublished>(fact);
    pages.push_back(fmt::format("{} {} {}", page.attempt.number, page.name, page.url));
  }
  void told(job::AttemptId /*attempt*/, std::vector<Told> /*values*/) override {}
  [[nodiscard]] bool stopping(job::AttemptId /*attempt*/) const override { return false; }

  std::vector<std::string> pages;
};

/// Listeners to which the test makes the connections.
class HandListeners final : public net::LocalListeners {
 public:
  Result<std::unique_ptr<net::LocalListener>> listen(Accepted accepted) override {
    if (refuses) {
      return cluster_error("no more sockets");
    }
    accepted_ = std::move(accepted);
    return std::make_unique<Open>(*this);
  }
  void connect(std::unique_ptr<net::Stream> stream) { accepted_(std::move(stream)); }

  bool refuses = false;
  int open = 0;

 private:
  class Open final : public net::LocalListener {
   public:
    explicit Open(HandListeners& owner) : owner_(owner) { ++owner_.open; }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() override { --owner_.open; }
    [[nodiscard]] const std::string& address() const override { return address_; }

   private:
    HandListeners& owner_;
    std::string address_ = "@by-hand";
  };

  Accepted accepted_;
};

class EndpointsTest : public ::testing::Test {
 protected:
  using Line = std::unique_ptr<net::Stream>;

  /// Opens a connection as a program does.
  Line connect(::muster::testing::MemoryStreamOptions options = {}) {
    auto [ours, theirs] = ::muster::testing::memory_streams(loop_, "program", "agent", options);
    listeners_.connect(std::move(theirs));
    loop_.run_ready();
    return std::move(ours);
  }

  void write(Line& line, std::string_view text) {
    const std::span bytes(reinterpret_cast<const uint8_t*>(text.data()), text.size());
    EXPECT_TRUE(::muster::testing::run_async(loop_, line->write(bytes))->has_value());
    loop_.run_ready();
  }

  /// Returns what has been answered by now; "" at the end of the connection.
  std::string read(Line& line) {
    std::array<uint8_t, 4096> bytes{};
    const auto count = ::muster::testing::run_async(loop_, line->read_some(bytes));
    return {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count->value_or(0))};
  }

  std::string say(Line& line, const std::string& text) {
    write(line, text + "\n");
    return read(line);
  }

  ::muster::testing::FakeLoop loop_;
  ::muster::testing::RecordingSink sink_;
  HandListeners listeners_;
  PagesHeard heard_;
  Endpoints endpoints_{{loop_, log::Logger(sink_), &listeners_, heard_}};
};

TEST_F(EndpointsTest, PublishesWhatAProgramSays) {
  EXPECT_EQ(endpoints_.open(kFirst), "@by-hand");
  Line line = connect();
  EXPECT_EQ(say(line, "dashboard 8265"), "ok\n");
  EXPECT_EQ(say(line, "ui 1 /a?b=c"), "ok\n");
  EXPECT_EQ(say(line, "last 65535 /"), "ok\n");
  EXPECT_THAT(heard_.pages,
              ElementsAre("1 dashboard http://localhost:8265/", "1 ui http://localhost:1/a?b=c",
                          "1 last http://localhost:65535/"));
}

TEST_F(EndpointsTest, RefusesWhatItDoesNotUnderstand) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  for (const char* said : {"", "dashboard", "dashboard 1 / more"}) {
    EXPECT_EQ(say(line, said), "error: send NAME PORT, or NAME PORT PATH\n") << said;
  }
  EXPECT_THAT(say(line, "Big 80"), HasSubstr("error: `Big` is not a name of an endpoint"));
  EXPECT_THAT(say(line, "tensorboard 80"), HasSubstr("Muster's own"));
  for (const std::string port : {"0", "65536", "80x", "x80", "-1"}) {
    EXPECT_EQ(say(line, "ui " + port), "error: `" + port + "` is not a port\n");
  }
  EXPECT_THAT(say(line, "ui 80 a"), HasSubstr("error: `a` is not a path"));
  EXPECT_THAT(heard_.pages, IsEmpty());
}

TEST_F(EndpointsTest, TellsOnlyWhatIsNew) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  EXPECT_EQ(say(line, "ui 80"), "ok\n");
  EXPECT_EQ(say(line, "ui 80 /"), "ok\n");
  EXPECT_EQ(say(line, "ui 81"), "ok\n");
  EXPECT_THAT(heard_.pages, ElementsAre("1 ui http://localhost:80/", "1 ui http://localhost:81/"));
}

TEST_F(EndpointsTest, TakesSixteenPagesOfAnAttempt) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(say(line, fmt::format("page{} 80", i)), "ok\n");
  }
  EXPECT_EQ(say(line, "one-more 80"), "error: an attempt publishes at most 16 endpoints\n");
  EXPECT_EQ(say(line, "page3 81"), "ok\n");  // A page that is already there may move.
  EXPECT_EQ(heard_.pages.size(), 17U);
}

TEST_F(EndpointsTest, WhatIsDeclaredGivesWayToTheProgram) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  EXPECT_EQ(say(line, "early 80"), "ok\n");
  endpoints_.declare(kFirst, {{"early", {.port = 90}}, {"ui", {.port = 91, .path = "/x"}}});
  EXPECT_EQ(say(line, "ui 92"), "ok\n");
  EXPECT_THAT(heard_.pages, ElementsAre("1 early http://localhost:80/",
                                        "1 ui http://localhost:91/x", "1 ui http://localhost:92/"));
}

TEST_F(EndpointsTest, TellsAnotherMasterOfAllThatLive) {
  (void)endpoints_.open(kFirst);
  endpoints_.declare(kFirst, {{"ui", {.port = 90}}});
  (void)endpoints_.open(kSecond);
  endpoints_.declare(kSecond, {{"ui", {.port = 91}}});
  EXPECT_EQ(listeners_.open, 2);
  endpoints_.close(kFirst);
  EXPECT_EQ(listeners_.open, 1);
  heard_.pages.clear();
  endpoints_.publish_all();
  EXPECT_THAT(heard_.pages, ElementsAre("2 ui http://localhost:91/"));
}

TEST_F(EndpointsTest, AnEndedAttemptPublishesNothing) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  endpoints_.close(kFirst);
  EXPECT_THAT(say(line, "ui 80"), HasSubstr("error: "));
  EXPECT_THAT(heard_.pages, IsEmpty());
}

TEST_F(EndpointsTest, EndsTheConnectionOfAProgramThatSaysNothing) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  write(line, "ui 8");
  loop_.advance(std::chrono::seconds(9));
  EXPECT_EQ(say(line, "0"), "ok\n");
  loop_.advance(std::chrono::seconds(11));
  EXPECT_EQ(read(line), "");
}

TEST_F(EndpointsTest, WaitsForAProgramThatReadsLateButNotForEver) {
  (void)endpoints_.open(kFirst);
  Line line = connect({.buffer_max = 1});
  write(line, "ui 80\n");
  loop_.advance(std::chrono::seconds(9));
  std::string answer;
  while (!answer.ends_with('\n') && answer.size() < 9) {
    answer += read(line);
  }
  EXPECT_EQ(answer, "ok\n");
  write(line, "ui 81\n");
  loop_.advance(std::chrono::seconds(11));
  std::string rest;
  for (std::string more = read(line); !more.empty(); more = read(line)) {
    rest += more;
  }
  EXPECT_NE(rest, "ok\n") << "the connection has ended amid the answer";
}

TEST_F(EndpointsTest, EndsTheConnectionOfAnEndlessLine) {
  (void)endpoints_.open(kFirst);
  Line longest = connect();
  EXPECT_THAT(say(longest, std::string(2047, 'x')), HasSubstr("send NAME PORT"));
  Line line = connect();
  write(line, std::string(2048, 'x'));
  EXPECT_EQ(read(line), "");
}

TEST_F(EndpointsTest, TurnsAwayWhatWouldBeTooManyConnections) {
  (void)endpoints_.open(kFirst);
  std::vector<Line> lines;
  for (int i = 0; i < 64; ++i) {
    lines.push_back(connect());
  }
  Line refused = connect();
  EXPECT_EQ(read(refused), "");
  EXPECT_EQ(say(lines.back(), "ui 80"), "ok\n");
  lines.pop_back();
  loop_.run_ready();
  Line accepted = connect();
  EXPECT_EQ(say(accepted, "ui 80"), "ok\n");
}

TEST_F(EndpointsTest, ConnectionsOfOneAttemptKeepNoOtherOut) {
  (void)endpoints_.open(kFirst);
  std::vector<Line> lines;
  for (int i = 0; i < 64; ++i) {
    lines.push_back(connect());
  }
  (void)endpoints_.open(kSecond);
  Line other = connect();
  EXPECT_EQ(say(other, "ui 80"), "ok\n");
}

TEST_F(EndpointsTest, AProgramThatKeepsChangingItsMindWaits) {
  (void)endpoints_.open(kFirst);
  Line line = connect();
  for (int i = 0; i < 100; ++i) {
    write(line, fmt::format("ui {}\n", 80 + i));  // It does not even wait for the answers.
  }
  const size_t at_once = heard_.pages.size();
  EXPECT_LE(at_once, 40U);
  loop_.advance(std::chrono::seconds(10));
  EXPECT_EQ(heard_.pages.size(), at_once + 10);
  Line other = connect();
  EXPECT_EQ(say(other, "ui x"), "error: `x` is not a port\n");
  loop_.advance(std::chrono::seconds(100));
  EXPECT_EQ(heard_.pages.back(), "1 ui http://localhost:179/");
}

TEST_F(EndpointsTest, WithoutASocketNothingListens) {
  listeners_.refuses = true;
  EXPECT_EQ(endpoints_.open(kFirst), "");
  EXPECT_EQ(sink_.count("no more sockets"), 1U);
  Endpoints none{{loop_, log::Logger(sink_), nullptr, heard_}};
  EXPECT_EQ(none.open(kFirst), "");
}

}  // namespace
}  // namespace muster::agent
