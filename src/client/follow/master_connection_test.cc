#include "client/follow/master_connection.h"

#include "client/follow/played_master_test.h"
#include "testing/fake_loop.h"
#include "testing/memory_transport.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class MasterConnectionTest : public ::testing::Test {
 protected:
  MasterConnectionTest() {
    secret_.fill(7);
    connection_.emplace(MasterConnection::Deps{.loop = loop_,
                                               .transport = transport_,
                                               .locate = [this]() -> Result<std::string> {
                                                 ++looked_;
                                                 return address_ ? Result<std::string>(*address_)
                                                                 : cluster_error("nobody",
                                                                                 Errc::NotFound);
                                               }},
                        MasterConnection::Options{
                            .job_id = "digits-1", .secret = secret_, .patience = seconds(30)});
  }

  void start() {
    connection_->start(
        {.opened = [this] { ++opened_; },
         .frame = [this](std::string_view frame) { frames_.emplace_back(frame); },
         .silent =
             [this](const std::string& reason, Duration silent) {
               last_reason_ = reason;
               last_silent_ = silent;
               return goes_on_;
             },
         .given_up = [this](const std::string& error) { errors_.push_back(error); }});
  }
  /// Starts with a master that answers.
  void start_connected(PlayedMaster& master) {
    address_ = master.address();
    start();
    ASSERT_TRUE(loop_.run_until([this] { return opened_ == 1; }, seconds(1)));
  }

  testing::FakeLoop loop_;
  testing::MemoryNetwork network_{loop_};
  testing::MemoryTransport transport_{network_, "client"};
  control::Secret secret_{};
  std::optional<std::string> address_;
  int looked_ = 0;
  int opened_ = 0;
  bool goes_on_ = true;
  std::vector<std::string> frames_;
  std::string last_reason_;
  Duration last_silent_{};
  std::vector<std::string> errors_;
  std::optional<MasterConnection> connection_;  ///< Last: it uses all of the above.
};

TEST_F(MasterConnectionTest, CarriesFramesBothWays) {
  PlayedMaster master(network_, "m1", secret_);
  connection_->send(wire::ClientFrame{wire::StatusAsked{}});  // To nobody: nothing happens.
  start_connected(master);
  connection_->send(wire::ClientFrame{wire::StatusAsked{}});
  master.send("a frame");
  loop_.advance(milliseconds(1));
  EXPECT_EQ(master.got(),
            (std::vector<std::string>{wire::encode(wire::ClientFrame{wire::StatusAsked{}})}));
  EXPECT_EQ(frames_, (std::vector<std::string>{"a frame"}));
  EXPECT_TRUE(errors_.empty());
}

TEST_F(MasterConnectionTest, GoesToTheMasterThatTakesOver) {
  PlayedMaster first(network_, "m1", secret_);
  start_connected(first);
  PlayedMaster second(network_, "m2", secret_);
  address_ = second.address();
  network_.cut("m1");
  ASSERT_TRUE(loop_.run_until([this] { return opened_ == 2; }, seconds(5)));
  second.send("from the second");
  loop_.advance(milliseconds(1));
  EXPECT_EQ(frames_, (std::vector<std::string>{"from the second"}));
  EXPECT_EQ(first.connections(), 1);
  // It was told at once that the connection broke.
  EXPECT_EQ(last_silent_, Duration::zero());
}

TEST_F(MasterConnectionTest, TellsSinceWhenNobodyAnswersAndGivesUpOnce) {
  start();
  loop_.advance(seconds(10));
  EXPECT_EQ(last_reason_, "nobody");
  EXPECT_GT(last_silent_, seconds(9));
  EXPECT_LE(last_silent_, seconds(10));
  // No storm of looks, but never a long time without one.
  EXPECT_GE(looked_, 20);
  EXPECT_LE(looked_, 40);
  EXPECT_TRUE(errors_.empty());
  loop_.advance(seconds(60));
  EXPECT_EQ(errors_,
            (std::vector<std::string>{"no master of digits-1 answered for 30.0 s: nobody"}));
  const int looked = looked_;
  loop_.advance(seconds(60));
  EXPECT_EQ(looked_, looked);
}

TEST_F(MasterConnectionTest, CountsItsPatienceFromTheLastConnection) {
  start();
  loop_.advance(seconds(25));
  auto master = std::make_unique<PlayedMaster>(network_, "m1", secret_);
  address_ = master->address();
  ASSERT_TRUE(loop_.run_until([this] { return opened_ == 1; }, seconds(1)));
  loop_.advance(seconds(100));
  address_.reset();
  network_.cut("m1");
  loop_.advance(seconds(25));
  EXPECT_TRUE(errors_.empty());
  loop_.advance(seconds(10));
  EXPECT_EQ(errors_.size(), 1U);
}

TEST_F(MasterConnectionTest, StopsLookingWhenItIsToldTo) {
  goes_on_ = false;
  start();
  loop_.advance(seconds(100));
  EXPECT_EQ(looked_, 1);
  EXPECT_TRUE(errors_.empty());
}

TEST_F(MasterConnectionTest, GivesUpWhereItsKeyIsRefusedAgainAndAgain) {
  control::Secret other{};
  other.fill(9);
  PlayedMaster master(network_, "m1", other);
  address_ = master.address();
  start();
  loop_.advance(seconds(5));
  ASSERT_EQ(errors_.size(), 1U);
  EXPECT_TRUE(errors_[0].starts_with("the master of digits-1 rejected this key: ")) << errors_[0];
  EXPECT_EQ(looked_, 3);
}

TEST_F(MasterConnectionTest, PassesSomebodyElseOnADeadMastersPort) {
  control::Secret other{};
  other.fill(9);
  PlayedMaster somebody(network_, "somebody", other);
  PlayedMaster master(network_, "m1", secret_);
  address_ = somebody.address();
  start();
  ASSERT_TRUE(loop_.run_until([this] { return looked_ == 2; }, seconds(5)));
  address_ = master.address();
  ASSERT_TRUE(loop_.run_until([this] { return opened_ == 1; }, seconds(5)));
  EXPECT_TRUE(errors_.empty());
}

}  // namespace
}  // namespace muster::client
