#pragma once

#include "hadoop/hdfs/name_node.h"
#include "rt/wait.h"

#include <algorithm>
#include <utility>

/// The templates behind every call; for the name_node*.cc files only.
namespace muster::hadoop::hdfs {

/// The pause between two tries of a call that waits for a NameNode in safe mode.
inline constexpr Duration kSafeModePauseMax = std::chrono::seconds(3);

template <class Reply, class Request>
rt::Async<std::expected<Reply, rpc::Failure>> NameNode::call(rpc::Method method, Request request) {
  const HostTime give_up = loop_->now() + options_.safe_mode_wait;
  Duration pause = std::chrono::milliseconds(250);
  while (true) {
    Reply reply;
    rpc::Outcome outcome = co_await proxy_->call(method, request, reply);
    if (outcome.has_value()) {
      tell_wait("");
      co_return reply;
    }
    const rpc::Failure& failure = outcome.error();
    const bool again = failure.is("SafeModeException") || failure.is("RetriableException");
    if (!again || loop_->now() + pause >= give_up) {
      tell_wait("");
      co_return std::unexpected(std::move(outcome).error());
    }
    tell_wait("the NameNode is in safe mode");
    co_await rt::pause_for(*loop_, pause);
    pause = std::min(pause * 2, kSafeModePauseMax);
  }
}

template <class Reply, class Request>
rt::Async<Result<Reply>> NameNode::ask(rpc::Method method, Request request, std::string what) {
  auto reply = co_await call<Reply>(method, std::move(request));
  if (!reply.has_value()) {
    co_return explain(reply.error(), what);
  }
  co_return *std::move(reply);
}

}  // namespace muster::hadoop::hdfs
