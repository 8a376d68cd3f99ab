#include "master/clients/task_dialer.h"

#include <utility>

namespace muster::master {
namespace {

/// The longest that a page waits for a task between two attempts.
constexpr Duration kWait = std::chrono::seconds(5);

}  // namespace

void TaskDialer::connect(Send send) {
  send_ = std::move(send);
  if (!send_) {
    for (const auto& [id, bytes] : std::exchange(streams_, {})) {
      bytes->break_off("the master has ended");
    }
  }
}

void TaskDialer::take(wire::StreamFrame frame) {
  if (const auto found = streams_.find(frame.id); found != streams_.end()) {
    const auto bytes = found->second;
    bytes->take(std::move(frame.kind));
  }
}

rt::Async<Result<std::unique_ptr<net::Stream>>> TaskDialer::dial(net::HostPort server) {
  if (!send_) {
    co_return cluster_error("no master is in charge", Errc::Unavailable);
  }
  const uint64_t id = ++last_id_;
  auto bytes =
      std::make_shared<control::RelayedBytes>(loop_, [this, id](wire::StreamFrame::Kind kind) {
        if (send_) {
          send_({id, std::move(kind)});
        }
      });
  streams_.emplace(id, bytes);
  auto stream = std::make_unique<control::RelayedStream>(bytes, net::to_string(server),
                                                         [this, id] { streams_.erase(id); });
  send_({id, wire::StreamOpen{.attempt = {},
                              .wait = kWait,
                              .request = wire::TcpRequest{server.port, std::move(server.host)}}});
  const Status opened = co_await stream->opened();
  if (!opened.has_value()) {
    co_return opened.error();
  }
  co_return std::unique_ptr<net::Stream>(std::move(stream));
}

}  // namespace muster::master
