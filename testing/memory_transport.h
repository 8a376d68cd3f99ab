#pragma once

#include "control/transport.h"
#include "rt/loop.h"

#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::testing {

class MemoryChannel;
class MemoryListener;

/// The wires between the parties of one world. Every party (a host, a process) has a name; a fault
/// concerns two names. As in TCP, a connection never loses, duplicates or reorders anything: frames
/// can only be late, or the connection is cut.
class MemoryNetwork {
 public:
  explicit MemoryNetwork(rt::Loop& loop) : loop_(loop) {}
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  /// How long a frame takes from one name to another; by default no time (it arrives in a later
  /// turn of the loop).
  std::function<Duration(const std::string& from, const std::string& to)> latency;

  /// Called before every frame from a name; false loses the frame (the process is dying). If empty,
  /// no frame is lost.
  std::function<bool(const std::string& from)> lets_send;

  /// Frames and dials from `from` to `to` get lost silently (they wait) until heal(); the other
  /// direction still works.
  void block(const std::string& from, const std::string& to) { blocked_.emplace(from, to); }
  void heal(const std::string& from, const std::string& to);
  /// Breaks every connection of `name`: both ends are told (if blocked, then once healed) after
  /// what is under way has arrived.
  void cut(const std::string& name);
  /// Like cut(), and what is under way in either direction is lost.
  void reset(const std::string& name);
  /// Returns how many connections are open now.
  [[nodiscard]] size_t connections() const;

 private:
  friend class MemoryTransport;
  friend class MemoryChannel;
  friend class MemoryListener;

  [[nodiscard]] bool is_blocked(const std::string& from, const std::string& to) const {
    return blocked_.contains({from, to});
  }
  [[nodiscard]] Duration delay(const std::string& from, const std::string& to) const {
    return latency ? latency(from, to) : Duration::zero();
  }

  rt::Loop& loop_;
  std::set<std::pair<std::string, std::string>> blocked_;
  std::map<std::string, MemoryListener*> listeners_;  ///< By address.
  std::map<uint64_t, MemoryChannel*> channels_;       ///< In the order of their creation.
  uint64_t next_channel_ = 1;
  uint16_t next_port_ = 10'000;
};

/// One party's control::Transport over a MemoryNetwork. Listeners and channels must be destroyed
/// before the network, and before `own`: the loop of this party's process, on which its callbacks
/// run (without one they run on the network's), so that a process that stands still hears nothing.
class MemoryTransport final : public control::Transport {
 public:
  MemoryTransport(MemoryNetwork& network, std::string name, rt::Loop* own = nullptr)
      : network_(network), name_(std::move(name)), own_(own) {}
  ~MemoryTransport() override { *alive_ = false; }

  Result<std::unique_ptr<control::Listener>> listen(const control::ListenOptions& options,
                                                    control::KeyLookup keys,
                                                    Accepted accepted) override;
  void dial(const std::string& address, const control::Peer& self, const control::Key& key,
            Duration deadline, Dialled dialled) override;

 private:
  struct Dial;
  static void arrive(MemoryNetwork& network, const std::shared_ptr<Dial>& dial);
  static void accept(MemoryNetwork& network, const std::shared_ptr<Dial>& dial);
  static void answer(MemoryNetwork& network, const std::shared_ptr<Dial>& dial, Error refusal);
  static void settle(MemoryNetwork& network, const std::shared_ptr<Dial>& dial,
                     const Error& refusal);

  MemoryNetwork& network_;
  std::string name_;
  rt::Loop* own_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::testing
