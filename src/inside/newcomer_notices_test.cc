#include "inside/newcomer_notices.h"

#include "inside/loop_fixture_test.h"
#include "net/socket.h"
#include "net/stream.h"
#include "rt/run_to_end.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace muster::inside {
namespace {

/// The desk of rank 0 is played by the test, on one loop with the notices.
class Notices : public LoopFixture {
 protected:
  void send() {
    notices_.send({.host = "127.0.0.1", .port = desk_.port}, "key", newcomers_);
    EXPECT_FALSE(notices_.wants(newcomers_)) << "one at a time";
  }
  /// Waits for the next notice and reads as much of it as a rank at least needs.
  [[nodiscard]] std::unique_ptr<net::Stream> take() {
    std::unique_ptr<net::Stream> notice;
    until([&] {
      rt::Fd socket(::accept4(desk_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      notice = socket.valid() ? net::tcp_stream(loop_, std::move(socket)) : nullptr;
      return notice != nullptr;
    });
    std::array<uint8_t, 36> head{};
    EXPECT_TRUE(rt::run_to_end(loop_, notice->read_exactly(head)).has_value());
    return notice;
  }
  void acknowledge(net::Stream& notice) {
    const std::array<uint8_t, 4> taken{};
    EXPECT_TRUE(rt::run_to_end(loop_, notice.write(taken)).has_value());
  }

  net::Listening desk_ = net::listen_on({.host = "127.0.0.1"}).value();
  const std::vector<NewcomerNotices::Index> newcomers_{1, 2};
  int looks_ = 0;
  NewcomerNotices notices_{loop_, [this] { ++looks_; }};
};

TEST_F(Notices, OneThatWasNotTakenIsWantedAgain) {
  EXPECT_FALSE(notices_.wants({})) << "of nobody";
  EXPECT_TRUE(notices_.wants(newcomers_));
  send();
  take().reset();  // Like a rank that does not like the message.
  until([&] { return looks_ == 1; });
  EXPECT_TRUE(notices_.wants(newcomers_));
}

TEST_F(Notices, OneThatWasTakenCountsUntilTheNextRound) {
  send();
  acknowledge(*take());
  until([&] { return looks_ == 1; });
  EXPECT_FALSE(notices_.wants(newcomers_));
  EXPECT_TRUE(notices_.wants({1, 2, 3})) << "another has come";
  notices_.begin_round();
  EXPECT_TRUE(notices_.wants(newcomers_));
}

TEST_F(Notices, OneOfTheLastRoundDoesNotCountInThis) {
  send();
  const std::unique_ptr<net::Stream> notice = take();
  notices_.begin_round();
  acknowledge(*notice);
  until([&] { return looks_ == 1; });
  EXPECT_TRUE(notices_.wants(newcomers_));
}

}  // namespace
}  // namespace muster::inside
