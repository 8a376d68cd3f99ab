#include "hadoop/rpc/service.h"

#include "hadoop/rpc/service_test.h"

#include <gtest/gtest.h>

namespace muster::hadoop::rpc {
namespace {

using namespace std::chrono_literals;

TEST_F(ServiceTest, CallsAsTheEffectiveUser) {
  server_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy({.what = "NameNode",
                                    .servers = {{.address = first_}},
                                    .protocol = {.name = "a.b.ClientProtocol"},
                                    .identity = {.user = "alice", .real_user = "oozie"}});
  const Outcome outcome = call(*proxy, idempotent("renew"));
  ASSERT_TRUE(outcome.has_value()) << outcome.error().error.message;
  EXPECT_EQ(reply_.newexpirytime(), 7U);
  ASSERT_EQ(server_.calls().size(), 1U);
  const testing::RpcCall& seen = server_.calls()[0];
  EXPECT_EQ(seen.user, "alice");
  EXPECT_EQ(seen.real_user, "oozie");
  EXPECT_EQ(seen.protocol, "a.b.ClientProtocol");
  EXPECT_EQ(seen.caller_context, "muster_job-1");
  EXPECT_EQ(seen.client_id.size(), 16U);
  EXPECT_EQ(seen.retry, 0);
}

TEST_F(ServiceTest, KeepsOneConnectionForManyCallsAndReadsByteByByte) {
  net_.set_options({.read_max = 1});
  server_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(target());
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  }
  EXPECT_EQ(server_.connections(), 1);
  EXPECT_NE(server_.calls()[0].id, server_.calls()[1].id);
}

TEST_F(ServiceTest, LetsCallsOvertakeEachOther) {
  server_.on("slow", [this](testing::RpcCall) { return late_answer(5s); });
  server_.on_call("fast", &ServiceTest::answer);
  const auto proxy = client_.proxy(target());
  std::string order;
  common::RenewDelegationTokenResponseProto slow_reply;
  const auto slow = rt::start(loop_, proxy->call(idempotent("slow"), request_, slow_reply),
                              [&](const Outcome&) { order += "slow"; });
  loop_.run_ready();
  EXPECT_TRUE(call(*proxy, idempotent("fast")).has_value());
  order += "fast ";
  loop_.advance(10s);
  EXPECT_EQ(order, "fast slow");
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(ServiceTest, TellsTheServersException) {
  server_.on_call("renew", [](const testing::RpcCall&) {
    return testing::rpc_throw("java.io.FileNotFoundException",
                              "File does not exist: /x\n\tat org.apache...");
  });
  const auto proxy = client_.proxy(target());
  const Failure failure = call(*proxy, idempotent("renew")).error();
  EXPECT_TRUE(failure.is("FileNotFoundException"));
  EXPECT_EQ(failure.error, user_error("NameNode, nn1:8020 refuses renew: File does not exist: /x "
                                      "(FileNotFoundException)",
                                      Errc::NotFound));
  EXPECT_TRUE(call(*proxy, idempotent("other")).error().is("RpcNoSuchMethodException"));
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(ServiceTest, FailsAllCallsOfAFatalAnswer) {
  server_.on("slow", [this](testing::RpcCall) { return late_answer(1h); });
  server_.on_call("die", [](const testing::RpcCall&) {
    auto thrown = testing::rpc_throw("org.apache.hadoop.ipc.RpcServerException", "broken");
    thrown.fatal = true;
    return thrown;
  });
  const auto proxy = client_.proxy(target());
  std::optional<Failure> slow_failure;
  common::RenewDelegationTokenResponseProto slow_reply;
  const auto slow = rt::start(loop_, proxy->call({.name = "slow"}, request_, slow_reply),
                              [&](const Outcome& outcome) { slow_failure = outcome.error(); });
  loop_.run_ready();
  EXPECT_TRUE(call(*proxy, {.name = "die"}).error().is("RpcServerException"));
  loop_.run_ready();
  ASSERT_TRUE(slow_failure.has_value());
  EXPECT_TRUE(slow_failure->may_be_done);
}

TEST_F(ServiceTest, TakesBackACallThatIsCancelled) {
  server_.on("slow", [this](testing::RpcCall) { return late_answer(5s); });
  server_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(target());
  {
    common::RenewDelegationTokenResponseProto dropped;
    const auto slow = rt::start(loop_, proxy->call(idempotent("slow"), request_, dropped),
                                [](const Outcome&) { FAIL(); });
    loop_.run_ready();
  }
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  loop_.advance(6s);  // The late answer is dropped, but the connection stays open.
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(ServiceTest, GivesUpAtTheDeadlineAndSaysThatItMayBeDone) {
  server_.on("slow", [this](testing::RpcCall) { return late_answer(1h); });
  const auto proxy = client_.proxy(target());
  const HostTime begun = loop_.now();
  const Failure failure = call(*proxy, {.name = "slow"}, {.deadline = loop_.now() + 30s}).error();
  EXPECT_EQ(failure.error.code, Errc::DeadlineExceeded);
  EXPECT_EQ(failure.error.message,
            "gave up waiting for NameNode, nn1:8020, to answer slow after 30.0 s");
  EXPECT_TRUE(failure.may_be_done);
  EXPECT_EQ(loop_.now() - begun, 30s);
}

TEST_F(ServiceTest, PingsASilentServerAndClosesAnIdleConnection) {
  server_.on("slow", [this](testing::RpcCall) { return late_answer(100s); });
  const auto proxy = client_.proxy(target());
  EXPECT_TRUE(call(*proxy, idempotent("slow")).has_value());
  EXPECT_EQ(server_.pings(), 1);
  loop_.advance(30s);
  EXPECT_TRUE(call(*proxy, idempotent("slow")).has_value());
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(ServiceTest, RefusesARequestThatIsTooLarge) {
  const auto proxy = client_.proxy(target(), {.request_bytes_max = 10}, {});
  EXPECT_EQ(call(*proxy, idempotent("renew")).error().error.code, Errc::InvalidArgument);
}

TEST_F(ServiceTest, FailsOverFromStandby) {
  other_.on_call("renew", &ServiceTest::answer);
  server_.options().standby = true;
  const auto proxy = client_.proxy(pair());
  const HostTime begun = loop_.now();
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(loop_.now(), begun);  // The other one is asked without a pause.
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(server_.calls().size(), 1U);
  EXPECT_EQ(other_.calls().size(), 2U);
  EXPECT_EQ(other_.calls()[0].id, server_.calls()[0].id);
  EXPECT_EQ(other_.calls()[0].retry, 1);
}

TEST_F(ServiceTest, FailsOverFromStandbyDuringSasl) {
  for (testing::RpcServer* server : {&server_, &other_}) {
    server->options() = {.simple = false, .tokens = {{"me", "secret"}}};
  }
  server_.options().standby = true;
  other_.on_call("renew", &ServiceTest::answer);
  Target both = pair();
  both.find_token = [](const TokenQuery&) { return TokenSecret{"me", "secret"}; };
  const auto proxy = client_.proxy(std::move(both));
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
}

TEST_F(ServiceTest, FailsOverFromARefusedConnection) {
  net_.stop(first_);
  other_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(pair());
  EXPECT_TRUE(call(*proxy, {.name = "renew"}).has_value());  // Nothing was sent, so it is safe.
}

TEST_F(ServiceTest, WaitsWhileBothAreDown) {
  net_.stop(first_);
  net_.stop(second_);
  server_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(pair());
  loop_.call_after(8s, [&] { listen(first_, server_); });
  EXPECT_TRUE(call(*proxy, {.name = "renew"}).has_value());
  EXPECT_GE(net_.dials(second_), 2);
}

TEST_F(ServiceTest, SaysHowOftenItTried) {
  net_.stop(first_);
  const auto proxy = client_.proxy(target(), {}, {.attempts_max = 3});
  const Failure failure = call(*proxy, idempotent("renew")).error();
  EXPECT_EQ(failure.error.message,
            "cannot reach nn1:8020: no connection: Connection refused; given up after 3 attempts");
  EXPECT_FALSE(failure.may_be_done);
  EXPECT_EQ(net_.dials(first_), 3);
}

TEST_F(ServiceTest, RepeatsWhatMayBeRepeated) {
  server_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(target());
  server_.faults().lost_replies = 1;
  EXPECT_TRUE(call(*proxy, {.name = "renew", .repetition = Repetition::AtMostOnce}).has_value());
  ASSERT_EQ(server_.calls().size(), 2U);
  EXPECT_EQ(server_.calls()[0].id, server_.calls()[1].id);
  EXPECT_EQ(server_.calls()[0].client_id, server_.calls()[1].client_id);
  EXPECT_EQ(server_.calls()[1].retry, 1);
  server_.faults().lost_replies = 1;
  const Failure failure = call(*proxy, {.name = "renew"}).error();
  EXPECT_TRUE(failure.may_be_done);
  EXPECT_EQ(failure.error.message, "NameNode, nn1:8020 closed the connection");
  EXPECT_EQ(server_.calls().size(), 3U);
}

TEST_F(ServiceTest, WaitsForARetriableServer) {
  int refusals = 3;
  server_.on_call("renew", [&](const testing::RpcCall& asked) {
    return refusals-- > 0 ? testing::rpc_throw("org.apache.hadoop.ipc.RetriableException",
                                               "NameNode still not started")
                          : answer(asked);
  });
  const auto proxy = client_.proxy(target());
  EXPECT_TRUE(call(*proxy, {.name = "renew"}).has_value());
  EXPECT_EQ(server_.calls().size(), 4U);
}

TEST_F(ServiceTest, FailsFastIfAsked) {
  server_.options().standby = true;
  const auto proxy = client_.proxy(pair());
  EXPECT_TRUE(
      call(*proxy, idempotent("renew"), {.fail_fast = true}).error().is("StandbyException"));
}

TEST_F(ServiceTest, LeavesASilentServer) {
  server_.faults().silent = true;
  other_.on_call("renew", &ServiceTest::answer);
  const auto proxy = client_.proxy(pair(), {.call_timeout = 20s}, {});
  EXPECT_TRUE(call(*proxy, idempotent("renew")).has_value());
  EXPECT_EQ(other_.calls().size(), 1U);
}

}  // namespace
}  // namespace muster::hadoop::rpc
