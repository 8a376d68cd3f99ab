#pragma once

#include "control/relayed_stream.h"
#include "net/stream.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

namespace muster::master {

/// Connects the master itself, on behalf of the job's page, to programs beside tasks: through their
/// agents, so that they may listen on loopback addresses. "worker-1:8265" is port 8265 on the host
/// of worker:1. Lives on the loop's thread.
class TaskDialer final : public net::Dialer {
 public:
  /// Passes a frame to the relay, as if from a client.
  using Send = std::function<void(wire::StreamFrame frame)>;

  explicit TaskDialer(rt::Loop& loop) : loop_(loop) {}

  /// Before the first call, and after one without a function, no task can be reached.
  void connect(Send send);
  /// Takes a frame from the relay.
  void take(wire::StreamFrame frame);

  [[nodiscard]] rt::Async<Result<std::unique_ptr<net::Stream>>> dial(net::HostPort server) override;

 private:
  rt::Loop& loop_;
  Send send_;
  uint64_t last_id_ = 0;
  std::map<uint64_t, std::shared_ptr<control::RelayedBytes>> streams_;
};

}  // namespace muster::master
