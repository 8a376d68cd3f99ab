#include "testing/memory_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace muster::testing {
namespace {

/// What flows one way.
struct Pipe {
  explicit Pipe(rt::Loop& loop) : changed(loop) {}
  std::string bytes;
  bool ended = false;   ///< Nothing more will be written.
  bool broken = false;  ///< Nobody reads any more.
  rt::Event changed;
};

}  // namespace

/// Both directions of one connection.
struct MemoryNet::Wire {
  Wire(rt::Loop& loop, MemoryStreamOptions chosen)
      : options(chosen), pipes{Pipe(loop), Pipe(loop)} {}

  void leave(Pipe& pipe) {
    pipe.ended = true;
    pipe.broken = true;
    pipe.changed.pulse();
  }
  void cut() {
    for (Pipe& pipe : pipes) {
      pipe.bytes.clear();
      leave(pipe);
    }
  }

  MemoryStreamOptions options;
  std::array<Pipe, 2> pipes;
};

namespace {

class MemoryStream final : public net::Stream {
 public:
  MemoryStream(std::shared_ptr<MemoryNet::Wire> wire, size_t side, std::string peer)
      : wire_(std::move(wire)), side_(side), peer_(std::move(peer)) {}
  ~MemoryStream() override {
    out().ended = true;
    out().changed.pulse();
    in().broken = true;
    in().changed.pulse();
  }

  rt::Async<Result<size_t>> read_some(std::span<uint8_t> buffer) override {
    Pipe& pipe = in();
    while (pipe.bytes.empty() && !pipe.ended) {
      co_await pipe.changed.wait();
    }
    const size_t size = std::min({pipe.bytes.size(), buffer.size(), wire_->options.read_max});
    std::memcpy(buffer.data(), pipe.bytes.data(), size);
    pipe.bytes.erase(0, size);
    pipe.changed.pulse();
    co_return size;
  }

  rt::Async<Status> write_parts(std::span<const std::span<const uint8_t>> parts) override {
    for (auto part : parts) {
      while (!part.empty()) {
        Pipe& pipe = out();
        if (pipe.broken || pipe.ended) {
          co_return cluster_error(fmt::format("the connection to {} broke", peer_));
        }
        const size_t limit = wire_->options.buffer_max;
        if (pipe.bytes.size() >= limit) {
          co_await pipe.changed.wait();
          continue;
        }
        const size_t size = std::min(part.size(), limit - pipe.bytes.size());
        pipe.bytes.append(reinterpret_cast<const char*>(part.data()), size);
        pipe.changed.pulse();
        part = part.subspan(size);
      }
    }
    co_return Status();
  }

  void close_write() override {
    out().ended = true;
    out().changed.pulse();
  }
  [[nodiscard]] const std::string& peer() const override { return peer_; }

 private:
  [[nodiscard]] Pipe& out() const { return wire_->pipes[side_]; }
  [[nodiscard]] Pipe& in() const { return wire_->pipes[1 - side_]; }

  std::shared_ptr<MemoryNet::Wire> wire_;
  size_t side_;
  std::string peer_;
};

}  // namespace

std::pair<std::unique_ptr<net::Stream>, std::unique_ptr<net::Stream>> memory_streams(
    rt::Loop& loop, std::string first_name, std::string second_name, MemoryStreamOptions options) {
  auto wire = std::make_shared<MemoryNet::Wire>(loop, options);
  return {std::make_unique<MemoryStream>(wire, 0, std::move(second_name)),
          std::make_unique<MemoryStream>(wire, 1, std::move(first_name))};
}

void MemoryNet::listen(const net::HostPort& server, Accept accept) {
  servers_[net::to_string(server)] = std::move(accept);
}

void MemoryNet::drop(const net::HostPort& server) { servers_[net::to_string(server)] = nullptr; }

void MemoryNet::cut(const net::HostPort& server) {
  const std::string name = net::to_string(server);
  const auto [begin, end] = wires_.equal_range(name);
  for (auto it = begin; it != end; ++it) {
    if (const auto wire = it->second.lock()) {
      wire->cut();
    }
  }
  wires_.erase(name);
}

int MemoryNet::dials(const net::HostPort& server) const {
  const auto found = dials_.find(net::to_string(server));
  return found == dials_.end() ? 0 : found->second;
}

rt::Async<Result<std::unique_ptr<net::Stream>>> MemoryNet::dial(net::HostPort server) {
  const std::string name = net::to_string(server);
  ++dials_[name];
  co_await rt::next_turn(*loop_);
  const auto found = servers_.find(name);
  if (found == servers_.end()) {
    co_return cluster_error(
        fmt::format("cannot reach {}: no connection: Connection refused", name));
  }
  if (found->second == nullptr) {
    co_await never_.wait();
  }
  auto wire = std::make_shared<Wire>(*loop_, options_);
  wires_.emplace(name, wire);
  loop_->post([accept = found->second,
               stream = std::make_unique<MemoryStream>(wire, 1, "client:1")]() mutable {
    accept(std::move(stream));
  });
  co_return std::make_unique<MemoryStream>(wire, 0, name);
}

}  // namespace muster::testing
