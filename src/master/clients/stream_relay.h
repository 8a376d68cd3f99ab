#pragma once

#include "base/log.h"
#include "job/ids.h"
#include "master/decider.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "wire/frame.h"
#include "wire/stream_ledger.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace muster::master {

/// One client's connection to this master, counted from 1.
using ClientNumber = Strong<struct ClientNumberTag, uint64_t>;

/// The job's page, treated as one of the clients.
inline constexpr ClientNumber kPageClient{0};
/// The master itself, for reading the stacks of tasks.
inline constexpr ClientNumber kJudgeClient{UINT64_MAX};

/// The streams that owners' clients open to running tasks, passed on piece by piece: nothing is
/// kept here, so what is under way is what the ends have given each other credit for. Whoever gives
/// or takes more than that, or uses an id twice, loses the stream.
///
/// A session is a fact before it begins (job::SessionOpened): the agent hears of it once that is in
/// the log. Leaving a shell, which runs on, is one, too (job::SessionDetached); asking which shells
/// there are is none. A task that does not run now is waited for, as long as the client likes. All
/// connections of one client to one port of an attempt are one session. The page's
/// connections to what tasks have published are none: who looks at the page does not reach in.
class StreamRelay {
 public:
  /// Whose stream it is; only owners get this far.
  struct Opener {
    ClientNumber client;
    std::string who;   ///< As the client calls itself.
    std::string from;  ///< Its address.
  };
  struct Handlers {
    std::function<void(ClientNumber client, wire::StreamFrame frame)> to_client;
    std::function<void(const job::ContainerId& container, wire::StreamFrame frame)> to_agent;
    std::function<bool(const job::ContainerId& container)> connected;
    /// Returns what a client needs to dial an agent itself; nothing if it cannot.
    std::function<std::optional<wire::StreamOffer>(const job::ContainerId& container)> offer;
  };

  StreamRelay(rt::Loop& loop, const log::Logger& log, Decider& decider, Handlers handlers);
  ~StreamRelay();
  StreamRelay(const StreamRelay&) = delete;
  StreamRelay& operator=(const StreamRelay&) = delete;

  void from_client(const Opener& opener, wire::StreamFrame frame);
  void from_agent(const job::ContainerId& container, wire::StreamFrame frame);
  void client_gone(ClientNumber client);
  void agent_gone(const job::ContainerId& container);
  /// A fact is in the log.
  void released(uint64_t index);

 private:
  ///    ┌──────3──────┬───────────┐
  ///    ▼             │           │
  /// Waiting ─1─► Logging ─2─► Open
  ///                  │           ▲
  ///                  └─4─► Offered ─5─┘   6 Offered ─► forgotten
  ///
  /// 1 its task runs · 2 the fact is in the log · 3 the agent's connection was lost before it
  /// answered, and the stream is a connection to a port, which can be asked for again; or the
  /// agent knows of the end of the attempt, and the master not yet · 4 as 2, and
  /// the client may dial the agent itself · 5 it would rather not · 6 it has, or has not come
  enum class State : uint8_t { Waiting, Logging, Offered, Open };
  struct Stream {
    State state = State::Waiting;
    Opener opener;
    uint64_t client_id = 0;  ///< The client's id for it.
    wire::StreamOpen open;
    std::string told;            ///< The reason for waiting that the client was told.
    uint64_t fact_index = 0;     ///< From Logging on.
    job::ContainerId container;  ///< From Logging on.
    bool answered = false;       ///< The agent has answered on it.
    job::AttemptId over;  ///< An attempt that has ended, according to its agent; none: number 0.
    uint32_t shell = 0;   ///< The number of the shell it leads to, if any.
    wire::StreamAllowance to_agent;
    wire::StreamAllowance to_client;
    rt::TimerId deadline;  ///< Until Offered or Open.
  };
  using Streams = std::map<uint64_t, Stream>;  ///< By the id that agents know.
  /// A port forward of one client: a port of an attempt.
  struct Forward {
    job::AttemptId attempt;
    uint16_t port = 0;
    auto operator<=>(const Forward&) const = default;
  };
  struct Client {
    uint64_t last_id = 0;
    std::map<uint64_t, uint64_t> streams;   ///< Its own id → ours.
    std::map<Forward, uint64_t> forwarded;  ///< → the index of its fact.
  };

  void open(const Opener& opener, uint64_t client_id, wire::StreamOpen request);
  /// Gives a stream a number, and a limit on how long it may wait.
  void await_task(Stream asked);
  void wait_again(uint64_t id);
  void advance(uint64_t id);
  /// Enters the session's fact, unless there is one already; returns its index.
  [[nodiscard]] uint64_t log_session(const Stream& stream);
  void begin(uint64_t id);
  /// Tells both ends that the client will dial the agent itself; returns false if it cannot.
  [[nodiscard]] bool offer(uint64_t id, Stream& stream);
  /// Handles what the ends say about an offered stream. Returns false for anything else.
  [[nodiscard]] bool settle_offer(Streams::iterator stream, const wire::StreamFrame::Kind& kind,
                                  bool to_agent);
  rt::Async<> advance_as_tasks_change();
  void pass(uint64_t id, wire::StreamFrame::Kind kind, bool to_agent);
  void tell_client(const Stream& stream, wire::StreamFrame::Kind kind) const;
  void tell_agent(uint64_t id, const Stream& stream, wire::StreamFrame::Kind kind) const;
  /// Ends a stream and tells those ends that know of it.
  void reset(uint64_t id, const wire::StreamReset& why);
  /// The client of a stream has left its shell, which keeps running.
  void note_detached(const Stream& stream);
  void forget(Streams::iterator stream);
  [[nodiscard]] static bool agent_knows(const Stream& stream) {
    return stream.state == State::Offered || stream.state == State::Open;
  }
  [[nodiscard]] size_t count_in(const job::ContainerId& container) const;

  rt::Loop& loop_;
  log::Logger log_;
  Decider& decider_;
  Handlers handlers_;
  uint64_t last_id_ = 0;
  Streams streams_;
  std::map<ClientNumber, Client> clients_;
  std::multimap<uint64_t, uint64_t> logging_;  ///< The index of its fact → the stream.
  uint64_t released_ = 0;                      ///< All facts below it are in the log.
  rt::Event tasks_changed_;
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::master
