#include "client/reach/tunnels.h"

#include "base/overloaded.h"
#include "net/abort.h"

#include <span>
#include <utility>
#include <variant>

namespace muster::client {
namespace {

constexpr Duration kApologyMax = std::chrono::seconds(5);

}  // namespace

Tunnels::Tunnels(Deps deps, Handlers handlers)
    : deps_(deps), handlers_(std::move(handlers)), scope_(deps.loop) {}

Tunnels::~Tunnels() { scope_.cancel(); }

void Tunnels::add(std::unique_ptr<net::Stream> connection, Target target) {
  tunnels_[++last_number_] = {.target = std::move(target),
                              .stream = 0,
                              .connection = std::move(connection),
                              .bridge = nullptr};
  open_more();
}

/// Opens as many as the master allows one client at a time; the others wait for one of them to end.
void Tunnels::open_more() {
  for (auto& [number, tunnel] : tunnels_) {
    if (!connected_ || asked_ >= wire::kStreamsMax) {
      return;
    }
    if (tunnel.stream == 0) {
      ++asked_;
      tunnel.target.open.window =
          asked_ <= wire::kWideStreamsMax ? wire::kStreamWindowMax : wire::kStreamWindow;
      tunnel.stream = deps_.streams.open(tunnel.target.open);
      by_stream_.emplace(tunnel.stream, number);
    }
  }
}

void Tunnels::connected() {
  connected_ = true;
  open_more();
}

void Tunnels::broken() {
  connected_ = false;
  for (auto& [number, tunnel] : tunnels_) {
    if (tunnel.stream == 0 || deps_.streams.is_direct(tunnel.stream)) {
      continue;
    }
    if (tunnel.bridge != nullptr) {
      by_stream_.erase(tunnel.stream);
      --asked_;
      tunnel.bridge->reset();
    } else {
      ask_again(tunnel);
    }
  }
}

void Tunnels::ask_again(Tunnel& tunnel) {
  by_stream_.erase(tunnel.stream);
  --asked_;
  tunnel.stream = 0;
}

void Tunnels::take(wire::StreamFrame frame) {
  const auto known = by_stream_.find(frame.id);
  if (known == by_stream_.end()) {
    return;  // The frame was under way when the stream ended.
  }
  const auto tunnel = tunnels_.find(known->second);
  control::StreamBridge* const bridge = tunnel->second.bridge.get();
  std::visit(
      Overloaded{
          [&](const wire::StreamWaits& waits) { handlers_.waits(waits.reason); },
          [&](const wire::StreamReset& reset) {
            const bool lost = reset.fault == wire::StreamFault::Lost;
            if (bridge != nullptr) {
              bridge->reset();
            } else if (lost && !std::exchange(tunnel->second.asked_again, true)) {
              ask_again(tunnel->second);  // Its own connection broke when a master died.
              open_more();
            } else {
              fail(tunnel, reset);
            }
          },
          [&](const wire::StreamOpened& opened) {
            if (bridge == nullptr) {
              begin(tunnel, opened);
            }
          },
          [&](const OneOf<wire::StreamOpen, wire::StreamData, wire::StreamCredit,
                          wire::StreamClosed, wire::StreamOffer, wire::StreamDeclined,
                          wire::StreamTaken> auto&) {
            if (bridge != nullptr && !bridge->take(std::move(frame.kind)).has_value()) {
              deps_.streams.send({frame.id, wire::StreamReset{wire::StreamFault::Protocol, ""}});
              bridge->reset();
            }
          },
      },
      frame.kind);
}

void Tunnels::begin(Map::iterator tunnel, const wire::StreamOpened& opened) {
  const uint64_t number = tunnel->first;
  const uint64_t stream = tunnel->second.stream;
  tunnel->second.bridge = std::make_unique<control::StreamBridge>(
      deps_.loop, std::move(tunnel->second.connection),
      control::StreamBridge::Handlers{.send =
                                          [this, stream](wire::StreamFrame::Kind kind) {
                                            deps_.streams.send({stream, std::move(kind)});
                                          },
                                      .ended = [this, number] { forget(number); }},
      wire::StreamWindows{.here = tunnel->second.target.open.window, .there = opened.window},
      std::move(tunnel->second.target.greeting));
}

void Tunnels::fail(Map::iterator tunnel, const wire::StreamReset& why) {
  const std::string name = tunnel->second.target.name;
  if (tunnel->second.target.apology.empty()) {
    net::abort_connection(*tunnel->second.connection);
  } else {
    scope_.spawn(
        apologise(std::move(tunnel->second.connection), std::move(tunnel->second.target.apology)));
  }
  forget(tunnel->first);
  handlers_.refused(name, why);
}

rt::Async<> Tunnels::apologise(std::unique_ptr<net::Stream> connection, std::string apology) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(apology.data()), apology.size());
  auto writing = connection->write(bytes);
  (void)co_await rt::with_deadline(deps_.loop, deps_.loop.now() + kApologyMax, "a program to read",
                                   std::move(writing));
}

void Tunnels::forget(uint64_t number) {
  const auto tunnel = tunnels_.find(number);
  if (by_stream_.erase(tunnel->second.stream) > 0) {
    --asked_;
  }
  tunnels_.erase(tunnel);
  open_more();
}

}  // namespace muster::client
