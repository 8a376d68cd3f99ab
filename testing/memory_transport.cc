#include "testing/memory_transport.h"

#include "base/check.h"
#include "testing/memory_channel.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::testing {

void MemoryNetwork::heal(const std::string& from, const std::string& to) {
  blocked_.erase({from, to});
  for (MemoryChannel* channel : channels_) {
    channel->resume();
  }
}

void MemoryNetwork::cut(const std::string& name) {
  const std::vector<MemoryChannel*> channels(channels_.begin(), channels_.end());
  for (MemoryChannel* channel : channels) {
    if (channel->name() == name) {
      channel->cut(cluster_error("connection reset by peer"));
    }
  }
}

size_t MemoryNetwork::connections() const { return channels_.size() / 2; }

MemoryListener::MemoryListener(MemoryNetwork& network, std::string name, std::string address,
                               control::KeyLookup keys, control::Transport::Accepted accepted)
    : network_(network),
      name_(std::move(name)),
      address_(std::move(address)),
      keys_(std::move(keys)),
      accepted_(std::move(accepted)) {
  network_.listeners_[address_] = this;
}

MemoryListener::~MemoryListener() { network_.listeners_.erase(address_); }

Result<std::unique_ptr<control::Listener>> MemoryTransport::listen(
    const control::ListenOptions& options, control::KeyLookup keys, Accepted accepted) {
  std::string address = fmt::format("{}:{}", options.host, network_.next_port_++);
  return std::make_unique<MemoryListener>(network_, name_, std::move(address), std::move(keys),
                                          std::move(accepted));
}

namespace {

/// Who the dialling party speaks to, given who it says it is.
control::Peer server_of(const control::Peer& self) {
  if (self.kind == control::Peer::Kind::Master) {
    return {control::Peer::Kind::Agent, self.container};
  }
  return {control::Peer::Kind::Master, self.container};
}

}  // namespace

void MemoryTransport::dial(const std::string& address, const control::Peer& self,
                           const control::Key& key, Duration deadline, Dialled dialled) {
  const auto found = network_.listeners_.find(address);
  const std::string to = found == network_.listeners_.end() ? "" : found->second->name();
  const bool lost = network_.is_blocked(name_, to) || network_.is_blocked(to, name_);
  const Duration there_and_back = network_.delay(name_, to) + network_.delay(to, name_);
  const Duration wait = lost || there_and_back > deadline ? deadline : there_and_back;
  network_.loop_.call_after(
      wait, [&network = network_, alive = alive_, name = name_, address, self, key,
             late = wait == deadline && wait > Duration::zero(), dialled = std::move(dialled)] {
        if (!*alive) {
          return;
        }
        if (late) {
          dialled(Error{Errc::DeadlineExceeded, Blame::Cluster,
                        fmt::format("{} does not answer", address)});
          return;
        }
        const auto listener = network.listeners_.find(address);
        if (listener == network.listeners_.end()) {
          dialled(cluster_error(fmt::format("{} refuses connections", address)));
          return;
        }
        const Result<control::Key> expected = listener->second->key_of(self);
        if (!expected || *expected != key) {
          dialled(Error{Errc::Unauthenticated, Blame::Cluster,
                        fmt::format("{} does not know us", address)});
          return;
        }
        auto wire = std::make_shared<MemoryWire>();
        wire->ends[0].name = name;
        wire->ends[1].name = listener->second->name();
        auto near_end = std::make_unique<MemoryChannel>(network, wire, 0, server_of(self));
        auto far_end = std::make_unique<MemoryChannel>(network, wire, 1, self);
        listener->second->accept(std::move(far_end));
        dialled(std::move(near_end));
      });
}

}  // namespace muster::testing
