#pragma once

#include "hadoop/rpc/call_table.h"
#include "hadoop/rpc/failure.h"
#include "hadoop/rpc/message_channel.h"
#include "hadoop/rpc/options.h"
#include "hadoop/rpc/sasl_mechanism.h"
#include "net/stream.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::hadoop::rpc {

/// One connection to one server, for one protocol and one identity: dials, shakes hands, then
/// carries many calls at once. Never comes back after a failure: its owner makes a new one.
///
///     Opening --1--> Open --2--> Closed        1 context is queued
///        |                         ^           2 broken, fatal answer, idle, close()
///        +------------3------------+           3 dial or handshake failed
///
/// Callers hold it by shared_ptr while they wait. Its coroutines are its own: a caller that goes
/// away leaves the others alone.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  /// References must outlive it.
  struct Deps {
    rt::Loop& loop;
    rt::Random& random;
    net::Dialer& dialer;
    KerberosExchanges* kerberos = nullptr;
    const Target& target;
    Server server;
    ConnectionOptions options;
    std::string client_id;  ///< 16 bytes.
  };

  /// Begins to open one.
  [[nodiscard]] static std::shared_ptr<Connection> open(Deps deps);
  Connection(Connection&&) = delete;

  /// False once it is closed: new calls need a new connection.
  [[nodiscard]] bool usable() const { return state_ != State::Closed; }
  /// Sends a call and returns the answer's payload after the header. `sent` becomes true when its
  /// bytes begin to go out; it must live as long as the coroutine. Destroying the coroutine
  /// withdraws the call, or ignores its answer.
  [[nodiscard]] rt::Async<OutcomeOf<std::string>> exchange(Outgoing call, bool* sent);
  /// Closes if nothing at all has arrived since `since`, when a call has waited that long in vain.
  void give_up_if_silent(HostTime since);
  /// Ends the connection; calls under way fail with `failure`.
  void close(const Failure& failure);
  /// "nn1 (nn1.example.com:8020)".
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  enum class State : uint8_t { Opening, Open, Closed };

  explicit Connection(Deps deps);

  rt::Async<> run();
  rt::Async<Outcome> establish();
  rt::Async<> read_loop();
  rt::Async<> write_loop();
  rt::Async<> keep_alive();
  /// Handles one plain frame; an error ends the connection.
  Outcome on_frame(std::string_view payload);
  /// "NameNode, nn1 (nn1.example.com:8020)".
  [[nodiscard]] std::string where() const;

  Deps deps_;
  std::string name_;
  State state_ = State::Opening;
  std::optional<Failure> failure_;
  std::unique_ptr<MessageChannel> channel_;
  CallTable calls_;
  HostTime last_ping_;
  rt::Event opened_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::hadoop::rpc
