#pragma once

#include "testing/memory_transport.h"

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace muster::testing {

/// One connection: what is under way to each of its two ends.
struct MemoryWire {
  struct Item {
    std::shared_ptr<const std::string> frame;  ///< nullptr: the connection ends with `reason`.
    Error reason;
  };
  struct End {
    std::string name;
    MemoryChannel* channel = nullptr;  ///< nullptr once destroyed.
    rt::Loop* loop = nullptr;          ///< Of the channel's process; nullptr means the network's.
    bool opened = false;               ///< There is or was a channel; until then, arrivals wait.
    std::deque<Item> incoming;
    size_t incoming_bytes = 0;
    bool scheduled = false;  ///< A timer for the front of `incoming` runs.
    HostTime last{};         ///< When the last item arrived or will: no item overtakes another.
  };
  std::array<End, 2> ends;
  bool broken = false;  ///< Nothing can be sent any more.
};

/// One end of a MemoryWire.
class MemoryChannel final : public control::Channel {
 public:
  MemoryChannel(MemoryNetwork& network, std::shared_ptr<MemoryWire> wire, size_t end,
                control::Peer peer, rt::Loop* loop);
  ~MemoryChannel() override;

  void start(Handlers handlers) override;
  void send(std::string frame) override;
  void send_shared(std::shared_ptr<const std::string> frame) override;
  [[nodiscard]] size_t queued_bytes() const override;
  void close() override;
  [[nodiscard]] const control::Peer& peer() const override { return peer_; }

  /// Breaks the connection; both ends are told.
  void cut(const Error& reason);
  /// Loses what is under way in both directions.
  void lose();
  /// Tells this end of a connection that its other end has no channel (any more).
  static void close_far(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire, size_t to);
  /// Continues deliveries in both directions after a block has ended.
  void resume();
  [[nodiscard]] const std::string& name() const { return wire_->ends[end_].name; }

 private:
  static void push(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire, size_t to,
                   MemoryWire::Item item);
  static void pump(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire, size_t to);
  static void deliver(MemoryNetwork& network, const std::shared_ptr<MemoryWire>& wire, size_t to);
  static void hand_over(const std::shared_ptr<MemoryWire>& wire, size_t to,
                        const MemoryWire::Item& item);
  void receive(const MemoryWire::Item& item);
  void drain_early();
  void dispatch(const MemoryWire::Item& item);

  MemoryNetwork& network_;
  std::shared_ptr<MemoryWire> wire_;
  size_t end_;
  uint64_t number_;
  control::Peer peer_;
  std::optional<Handlers> handlers_;
  std::deque<MemoryWire::Item> early_;  ///< Came before start().
  bool closing_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

/// An entry in the network's table of listeners.
class MemoryListener final : public control::Listener {
 public:
  MemoryListener(MemoryNetwork& network, std::string name, std::string address, rt::Loop* loop,
                 control::KeyLookup keys, control::PassOn pass_on,
                 control::Transport::Accepted accepted);
  ~MemoryListener() override;
  [[nodiscard]] const std::string& address() const override { return address_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Result<control::Key> key_of(const control::Peer& peer) const { return keys_(peer); }
  /// Returns the address to which somebody who dials as `peer` is passed on; nullopt if they stay.
  [[nodiscard]] std::optional<std::string> passes_on(const control::Peer& peer) const {
    return pass_on_ && peer.kind == control::Peer::Kind::Stream ? pass_on_(peer) : std::nullopt;
  }
  /// Returns the loop of its process; nullptr means the network's.
  [[nodiscard]] rt::Loop* loop() const { return loop_; }
  void accept(std::unique_ptr<control::Channel> channel) { accepted_(std::move(channel)); }

 private:
  MemoryNetwork& network_;
  std::string name_;
  std::string address_;
  rt::Loop* loop_;
  control::KeyLookup keys_;
  control::PassOn pass_on_;
  control::Transport::Accepted accepted_;
};

}  // namespace muster::testing
