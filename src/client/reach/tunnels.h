#pragma once

#include "client/reach/task_streams.h"
#include "control/stream_bridge.h"
#include "net/stream.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/stream.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::client {

/// Connections from programs on this machine, each joined by a stream to a port on a task's host.
/// Open, relayed ones break with the connection to the master; those not open by then, and later
/// ones, wait for the next connection. Lives on its loop's thread.
class Tunnels {
 public:
  struct Deps {
    rt::Loop& loop;
    TaskStreams& streams;
  };
  struct Handlers {
    std::function<void(const std::string& reason)> waits;  ///< A task does not run yet.
    /// A connection could not be joined to `name`, and has been closed.
    std::function<void(const std::string& name, const wire::StreamReset& why)> refused;
  };
  /// What a connection leads to.
  struct Target {
    std::string name;  ///< For people.
    wire::StreamOpen open;
    std::string greeting = {};  ///< Sent to the program here before anything else.
    /// Sent to the program here instead if the other end cannot be reached.
    std::string apology = {};
  };

  Tunnels(Deps deps, Handlers handlers);
  ~Tunnels();
  Tunnels(const Tunnels&) = delete;
  Tunnels& operator=(const Tunnels&) = delete;

  void add(std::unique_ptr<net::Stream> connection, Target target);

  /// Takes a frame from the streams' connection.
  void take(wire::StreamFrame frame);
  /// There is a connection to a master.
  void connected();
  /// The connection to the master is gone.
  void broken();

 private:
  struct Tunnel {
    Target target;
    uint64_t stream = 0;                            ///< 0: not requested yet.
    std::unique_ptr<net::Stream> connection;        ///< Until the stream is open.
    std::unique_ptr<control::StreamBridge> bridge;  ///< From then on.
    bool asked_again = false;
  };
  using Map = std::map<uint64_t, Tunnel>;

  void open_more();
  void begin(Map::iterator tunnel, const wire::StreamOpened& opened);
  void fail(Map::iterator tunnel, const wire::StreamReset& why);
  /// Requests a stream again after it was lost before it was open.
  void ask_again(Tunnel& tunnel);
  void forget(uint64_t number);
  rt::Async<> apologise(std::unique_ptr<net::Stream> connection, std::string apology);

  Deps deps_;
  Handlers handlers_;
  bool connected_ = false;
  uint64_t last_number_ = 0;
  size_t asked_ = 0;  ///< How many have a stream.
  Map tunnels_;
  std::map<uint64_t, uint64_t> by_stream_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::client
