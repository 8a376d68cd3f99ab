#pragma once

#include "base/log.h"
#include "hadoop/rpc/client.h"
#include "testing/hadoop/rpc_server.h"
#include "testing/memory_stream.h"
#include "testing/run_async.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <hadoop/security.pb.h>
#include <string_view>
#include <utility>

namespace muster::hadoop::rpc {

namespace common = ::hadoop::common;

/// Two servers, nn1:8020 and nn2:8020, on one network in memory, and a client.
class ServiceTest : public ::testing::Test {
 protected:
  class Numbers final : public rt::Random {
   public:
    void fill(std::span<uint8_t> bytes) override {
      std::ranges::generate(bytes, [this] { return ++last_; });
    }

   private:
    uint8_t last_ = 0;
  };

  const net::HostPort first_{.host = "nn1", .port = 8020};
  const net::HostPort second_{.host = "nn2", .port = 8020};

  ServiceTest() {
    listen(first_, server_);
    listen(second_, other_);
    request_.mutable_token()->set_identifier("i");
    request_.mutable_token()->set_password("p");
    request_.mutable_token()->set_kind("k");
    request_.mutable_token()->set_service("s");
  }

  void listen(const net::HostPort& at, testing::RpcServer& server) {
    net_.listen(at, [&server](auto stream) { server.serve(std::move(stream)); });
  }
  static Method idempotent(std::string_view name) {
    return {.name = name, .repetition = Repetition::Idempotent};
  }
  static testing::RpcReply answer(const testing::RpcCall& call) {
    EXPECT_EQ(call.as<common::RenewDelegationTokenRequestProto>().token().kind(), "k");
    common::RenewDelegationTokenResponseProto reply;
    reply.set_newexpirytime(7);
    return testing::rpc_reply(reply);
  }
  rt::Async<testing::RpcReply> late_answer(Duration delay) {
    co_await rt::pause_for(loop_, delay);
    common::RenewDelegationTokenResponseProto reply;
    reply.set_newexpirytime(8);
    co_return testing::rpc_reply(reply);
  }
  [[nodiscard]] Target target() const {
    return {.what = "NameNode",
            .servers = {{.address = first_}},
            .protocol = {.name = "a.b.ClientProtocol"},
            .identity = {.user = "alice"}};
  }
  [[nodiscard]] Target pair() const {
    Target both = target();
    both.servers = {{.address = first_, .label = "one"}, {.address = second_, .label = "two"}};
    return both;
  }
  /// Returns a target with the token that `server_` is set up to require.
  Target with_token(std::vector<Protection> offered, std::vector<Protection> ours = {}) {
    server_.options() = {
        .simple = false, .tokens = {{"ident", "secret"}}, .protections = std::move(offered)};
    Target wanted = target();
    wanted.protections = std::move(ours);
    wanted.find_token = [](const TokenQuery&) { return TokenSecret{"ident", "secret"}; };
    return wanted;
  }
  Outcome call(Proxy& proxy, Method method, CallOptions options = {}) {
    auto outcome = testing::run_async(loop_, proxy.call(method, request_, reply_, options));
    return outcome.value_or(Outcome(bug("the call never ended")));
  }

  testing::FakeLoop loop_;
  testing::MemoryNet net_{loop_};
  log::NullSink log_;
  Numbers random_;
  common::RenewDelegationTokenRequestProto request_;
  common::RenewDelegationTokenResponseProto reply_;
  testing::RpcServer server_{loop_, {}};
  testing::RpcServer other_{loop_, {}};
  Client client_{{.loop = loop_, .random = random_, .dialer = net_, .log = log_},
                 {.caller_context = "muster_job-1"}};
};

}  // namespace muster::hadoop::rpc
