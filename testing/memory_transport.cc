#include "testing/memory_transport.h"

#include "base/check.h"
#include "testing/memory_channel.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace muster::testing {

void MemoryNetwork::heal(const std::string& from, const std::string& to) {
  blocked_.erase({from, to});
  for (const auto& [number, channel] : channels_) {
    channel->resume();
  }
}

void MemoryNetwork::cut(const std::string& name) {
  for (const auto& [number, channel] : channels_) {
    if (channel->name() == name) {
      channel->cut(cluster_error("connection reset by peer"));
    }
  }
}

void MemoryNetwork::reset(const std::string& name) {
  for (const auto& [number, channel] : channels_) {
    if (channel->name() == name) {
      channel->lose();
    }
  }
  cut(name);
}

size_t MemoryNetwork::connections() const { return channels_.size() / 2; }

MemoryListener::MemoryListener(MemoryNetwork& network, std::string name, std::string address,
                               rt::Loop* loop, control::KeyLookup keys, control::PassOn pass_on,
                               control::Transport::Accepted accepted)
    : network_(network),
      name_(std::move(name)),
      address_(std::move(address)),
      loop_(loop),
      keys_(std::move(keys)),
      pass_on_(std::move(pass_on)),
      accepted_(std::move(accepted)) {
  network_.listeners_[address_] = this;
}

MemoryListener::~MemoryListener() { network_.listeners_.erase(address_); }

Result<std::unique_ptr<control::Listener>> MemoryTransport::listen(
    const control::ListenOptions& options, control::KeyLookup keys, Accepted accepted) {
  std::string address = fmt::format("{}:{}", options.host, network_.next_port_++);
  return std::make_unique<MemoryListener>(network_, name_, std::move(address), own_,
                                          std::move(keys), options.pass_on, std::move(accepted));
}

namespace {

/// Returns whom the dialling party speaks to, given who it says it is.
control::Peer server_of(const control::Peer& self) {
  if (self.kind == control::Peer::Kind::Master || self.kind == control::Peer::Kind::Stream) {
    return {control::Peer::Kind::Agent, self.container};
  }
  return {control::Peer::Kind::Master, self.container};
}

}  // namespace

/// One dial on its way there and back.
struct MemoryTransport::Dial {
  std::string from;
  std::string to;  ///< Who listens there when the dial begins; "" for nobody.
  std::string address;
  control::Peer self;
  control::Key key;
  rt::Loop* own = nullptr;
  std::shared_ptr<bool> alive;
  Dialled dialled;
  bool settled = false;
  rt::TimerId give_up;
  std::shared_ptr<MemoryWire> wire;  ///< Set once it was accepted.
};

void MemoryTransport::dial(const std::string& address, const control::Peer& self,
                           const control::Key& key, Duration deadline, Dialled dialled) {
  const auto found = network_.listeners_.find(address);
  auto dial = std::make_shared<Dial>(
      Dial{.from = name_,
           .to = found == network_.listeners_.end() ? "" : found->second->name(),
           .address = address,
           .self = self,
           .key = key,
           .own = own_ != nullptr ? own_ : &network_.loop_,
           .alive = alive_,
           .dialled = std::move(dialled),
           .settled = false,
           .give_up = {},
           .wire = nullptr});
  dial->give_up = dial->own->call_after(deadline, [&network = network_, dial] {
    settle(network, dial,
           Error{Errc::DeadlineExceeded, Blame::Cluster,
                 fmt::format("{} does not answer", dial->address)});
  });
  if (!network_.is_blocked(dial->from, dial->to)) {
    network_.loop_.call_after(network_.delay(dial->from, dial->to),
                              [&network = network_, dial] { arrive(network, dial); });
  }
}

void MemoryTransport::arrive(MemoryNetwork& network, const std::shared_ptr<Dial>& dial) {
  const auto listener = network.listeners_.find(dial->address);
  if (listener == network.listeners_.end()) {
    answer(network, dial, cluster_error(fmt::format("{} refuses connections", dial->address)));
    return;
  }
  rt::Loop* const loop = listener->second->loop();
  if (loop == nullptr) {
    accept(network, dial);
    return;
  }
  loop->post([&network, dial] { accept(network, dial); });
}

void MemoryTransport::accept(MemoryNetwork& network, const std::shared_ptr<Dial>& dial) {
  const auto found = network.listeners_.find(dial->address);
  if (found == network.listeners_.end()) {
    answer(network, dial, cluster_error(fmt::format("{} refuses connections", dial->address)));
    return;
  }
  MemoryListener& listener = *found->second;
  if (const auto there = listener.passes_on(dial->self)) {
    dial->address = *there;
    arrive(network, dial);
    return;
  }
  const Result<control::Key> expected = listener.key_of(dial->self);
  if (!expected || *expected != dial->key) {
    answer(network, dial,
           Error{Errc::Unauthenticated, Blame::Cluster,
                 fmt::format("{} does not know us", dial->address)});
    return;
  }
  dial->wire = std::make_shared<MemoryWire>();
  dial->wire->ends[0].name = dial->from;
  dial->wire->ends[1].name = listener.name();
  auto far_end =
      std::make_unique<MemoryChannel>(network, dial->wire, 1, dial->self, listener.loop());
  answer(network, dial, {});
  listener.accept(std::move(far_end));
}

void MemoryTransport::answer(MemoryNetwork& network, const std::shared_ptr<Dial>& dial,
                             Error refusal) {
  if (network.is_blocked(dial->to, dial->from)) {
    return;
  }
  network.loop_.call_after(
      network.delay(dial->to, dial->from), [&network, dial, refusal = std::move(refusal)] {
        if (*dial->alive) {
          dial->own->post([&network, dial, refusal] { settle(network, dial, refusal); });
        } else if (dial->wire) {
          MemoryChannel::close_far(network, dial->wire, 1);
        }
      });
}

void MemoryTransport::settle(MemoryNetwork& network, const std::shared_ptr<Dial>& dial,
                             const Error& refusal) {
  const bool wanted = !std::exchange(dial->settled, true) && *dial->alive;
  const bool connected = dial->wire && refusal.message.empty();
  if (wanted && connected) {
    dial->own->cancel(dial->give_up);
    dial->dialled(
        std::make_unique<MemoryChannel>(network, dial->wire, 0, server_of(dial->self),
                                        dial->own == &network.loop_ ? nullptr : dial->own));
    return;
  }
  if (dial->wire && (wanted || connected)) {
    MemoryChannel::close_far(network, dial->wire, 1);
  }
  if (wanted) {
    dial->own->cancel(dial->give_up);
    dial->dialled(refusal);
  }
}

}  // namespace muster::testing
