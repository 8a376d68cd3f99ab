#include "hadoop/rpc/service.h"

#include "base/check.h"
#include "hadoop/rpc/frame.h"
#include "rt/wait.h"

#include <fmt/format.h>
#include <google/protobuf/message_lite.h>

#include <algorithm>
#include <array>
#include <hadoop/rpc.pb.h>
#include <span>
#include <utility>

namespace muster::hadoop::rpc {

using google::protobuf::MessageLite;

/// One call across all of its attempts.
struct Service::Call {
  Method method;
  const MessageLite& request;
  int32_t id = 0;
  int attempts = 0;  ///< Begun so far, not counting the current one: its retry count.
  HostTime deadline{};
};

Service::Service(ClientCore& core, Target target, ConnectionOptions connection, RetryOptions retry)
    : core_(&core),
      target_(std::move(target)),
      connection_(connection),
      retry_(retry),
      connections_(target_.servers.size()) {
  MUSTER_CHECK(!target_.servers.empty(), "a target names a server");
}

// NOLINTNEXTLINE(cppcoreguidelines-avoid-reference-coroutine-parameters): as Proxy::call says.
rt::Async<Outcome> Service::call(Method method, const MessageLite& request, MessageLite& reply,
                                 CallOptions options) {
  rt::Loop& loop = core_->deps.loop;
  const log::Logger log(core_->deps.log);
  Call call{.method = method,
            .request = request,
            .id = core_->next_call(),
            .deadline = options.deadline.value_or(loop.now() + retry_.total_max)};
  const size_t servers = target_.servers.size();
  int kerberos_failures = 0;
  bool may_be_done = false;
  while (true) {
    const size_t server = preferred_;
    Outcome outcome = co_await attempt(&call, server, &reply);
    if (outcome.has_value()) {
      co_return outcome;
    }
    Failure failure = std::move(outcome).error();
    may_be_done = failure.may_be_done = failure.may_be_done || may_be_done;
    ++call.attempts;
    NextStep step = next_step(
        failure,
        {.repetition = method.repetition, .servers = servers, .kerberos = target_.kerberos});
    if (failure.is("SaslException") && ++kerberos_failures >= kKerberosAttemptsMax) {
      step = NextStep::GiveUp;
    }
    if (step == NextStep::GiveUp || options.fail_fast) {
      co_return failure;
    }
    if (step == NextStep::OtherServer) {
      leave_server(server);
    }
    const HostTime again =
        loop.now() + retry_pause(retry_, call.attempts - 1, servers, step, random_byte());
    if (call.attempts >= retry_.attempts_max || again >= call.deadline) {
      co_return given_up(std::move(failure), call);
    }
    log.info("hadoop.rpc.retry", {{"method", method.name},
                                  {"attempt", call.attempts},
                                  {"next", net::to_string(target_.servers[preferred_].address)},
                                  {"pause_ms", (again - loop.now()).count() / 1000},
                                  {"why", failure.error.message}});
    co_await rt::pause_until(loop, again);
  }
}

rt::Async<Outcome> Service::attempt(const Call* call, size_t server, MessageLite* reply) {
  rt::Loop& loop = core_->deps.loop;
  Outgoing out = outgoing(*call);
  if (out.frame.size() > connection_.request_bytes_max) {
    co_return user_error(
        fmt::format("the request {} has {} bytes; at most {} are allowed (ipc.maximum.data.length)",
                    call->method.name, out.frame.size(), connection_.request_bytes_max));
  }
  const std::shared_ptr<Connection> connection = connection_to(server);
  const HostTime begun = loop.now();
  HostTime until = call->deadline;
  if (connection_.call_timeout > Duration::zero()) {
    until = std::min(until, begun + connection_.call_timeout);
  }
  bool sent = false;
  auto answer = co_await rt::with_deadline(
      loop, until,
      fmt::format("{}, {}, to answer {}", target_.what, connection->name(), call->method.name),
      connection->exchange(std::move(out), &sent));
  if (!answer.has_value()) {
    Failure failure = std::move(answer).error();
    if (failure.exception_class.empty() && failure.error.code == Errc::DeadlineExceeded) {
      failure.may_be_done = sent;
      connection->give_up_if_silent(begun);
    }
    co_return failure;
  }
  FrameCursor cursor(*answer);
  Status taken = cursor.take(*reply, call->method.name);
  if (taken.has_value()) {
    taken = cursor.expect_end(call->method.name);
  }
  if (!taken.has_value()) {
    Failure failure(std::move(taken).error().within(
        fmt::format("the response of {}, {}", target_.what, connection->name())));
    failure.may_be_done = true;
    connection->close(failure);
    co_return failure;
  }
  co_return Outcome();
}

std::shared_ptr<Connection> Service::connection_to(size_t server) {
  std::shared_ptr<Connection>& slot = connections_[server];
  if (slot == nullptr || !slot->usable()) {
    slot = Connection::open({.loop = core_->deps.loop,
                             .random = core_->deps.random,
                             .dialer = core_->deps.dialer,
                             .kerberos = core_->deps.kerberos,
                             .target = target_,
                             .server = target_.servers[server],
                             .options = connection_,
                             .client_id = core_->id});
  }
  return slot;
}

Outgoing Service::outgoing(const Call& call) const {
  ::hadoop::common::RpcRequestHeaderProto header;
  header.set_rpckind(::hadoop::common::RPC_PROTOCOL_BUFFER);
  header.set_rpcop(::hadoop::common::RpcRequestHeaderProto::RPC_FINAL_PACKET);
  header.set_callid(call.id);
  header.set_clientid(core_->id);
  header.set_retrycount(call.attempts);
  if (!core_->options.caller_context.empty()) {
    header.mutable_callercontext()->set_context(core_->options.caller_context);
  }
  ::hadoop::common::RequestHeaderProto request;
  request.set_methodname(std::string(call.method.name));
  request.set_declaringclassprotocolname(target_.protocol.name);
  request.set_clientprotocolversion(target_.protocol.version);
  return {.id = call.id,
          .frame = frame_of({&header, &request, &call.request}),
          .method = std::string(call.method.name)};
}

void Service::leave_server(size_t server) {
  if (preferred_ == server) {  // Else another call has moved on already.
    preferred_ = (server + 1) % target_.servers.size();
  }
}

uint8_t Service::random_byte() {
  uint8_t byte = 0;
  core_->deps.random.fill(std::span(&byte, 1));
  return byte;
}

Failure Service::given_up(Failure last, const Call& call) const {
  if (call.attempts > 1) {
    last.error.message += fmt::format("; given up after {} attempts", call.attempts);
  }
  return last;
}

}  // namespace muster::hadoop::rpc
