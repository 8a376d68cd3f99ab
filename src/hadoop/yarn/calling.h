#pragma once

#include "base/result.h"
#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/proxy.h"
#include "hadoop/yarn/explanation.h"
#include "rt/async.h"

#include <expected>
#include <string>
#include <utility>

/// How the three protocols are called.
namespace muster::hadoop::yarn {

/// Returns a call's reply, or its Failure with the exception's class.
template <class Reply>
using Replied = std::expected<Reply, rpc::Failure>;

/// Calls `method` on `proxy`, which must outlive the coroutine.
template <class Reply, class Request>
rt::Async<Replied<Reply>> call(rpc::Proxy* proxy, rpc::Method method, Request request,
                               HostTime deadline) {
  Reply reply;
  const rpc::CallOptions options{.deadline = deadline};
  auto outcome = co_await proxy->call(method, request, reply, options);
  if (!outcome.has_value()) {
    co_return std::unexpected(std::move(outcome).error());
  }
  co_return Replied<Reply>(std::move(reply));
}

/// The same for callers who want a single Error that says `what` was tried.
template <class Reply, class Request>
rt::Async<Result<Reply>> call_explained(rpc::Proxy* proxy, rpc::Method method, Request request,
                                        std::string what, HostTime deadline) {
  auto replied = co_await call<Reply>(proxy, method, std::move(request), deadline);
  if (!replied.has_value()) {
    co_return explain(replied.error(), what);
  }
  co_return Result<Reply>(*std::move(replied));
}

/// For calls with an empty reply.
template <class Reply>
[[nodiscard]] Status status_of(const Result<Reply>& replied) {
  return replied.has_value() ? Status() : Status(replied.error());
}

}  // namespace muster::hadoop::yarn
