#pragma once

#include "base/result.h"
#include "base/time.h"
#include "hadoop/rpc/failure.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/wait.h"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::hadoop::rpc {

/// A call as a connection sees it.
struct Outgoing {
  int32_t id = 0;
  std::string frame;
  std::string method;  ///< For messages.
};

/// The calls of one connection: what is to be sent, which callers wait for an answer, and which
/// have gone.
class CallTable {
 public:
  using Answer = rt::Answer<OutcomeOf<std::string>>;
  /// A waiting caller.
  struct Waiting {
    Answer answer;
    std::string method;
  };

  /// A call's place in the table, as long as its caller waits: destroying it withdraws the call, or
  /// has its answer dropped. The table must outlive it.
  class Entry {
   public:
    Entry(CallTable& table, int32_t id) : table_(&table), id_(id) {}
    Entry(Entry&& other) noexcept : table_(std::exchange(other.table_, nullptr)), id_(other.id_) {}
    Entry& operator=(Entry&&) = delete;
    ~Entry();

   private:
    CallTable* table_;
    int32_t id_;
  };

  explicit CallTable(rt::Loop& loop) : loop_(loop), last_used_(loop.now()), work_(loop) {}
  CallTable(CallTable&&) = delete;

  /// Queues a call. `sent` becomes true when its bytes begin to go out; it must outlive the entry.
  [[nodiscard]] Entry add(Outgoing call, bool& sent, Answer answer);
  /// Queues a frame that is not a call: a ping.
  void add_frame(std::string frame);
  /// The same, ahead of everything that waits: the connection's context.
  void add_first(std::string frame);
  /// Waits until there is something to send; returns all of it. Calls in it count as sent.
  [[nodiscard]] rt::Async<std::string> take_frames();
  /// Removes the waiter for the answer to call `id`; returns nothing if it has gone. Corrupt if no
  /// such call was made.
  [[nodiscard]] Result<std::optional<Waiting>> take(int32_t id);
  /// The connection has ended: nothing more is sent, and all waiters learn of `failure`.
  void fail(const Failure& failure);

  [[nodiscard]] bool anybody_waits() const { return !pending_.empty(); }
  [[nodiscard]] bool is_idle() const { return pending_.empty() && queue_.empty(); }
  /// When a call last arrived or ended.
  [[nodiscard]] HostTime last_used() const { return last_used_; }

 private:
  struct Pending {
    Waiting waiting;
    bool* sent;
  };

  void forget(int32_t id);

  rt::Loop& loop_;
  std::deque<Outgoing> queue_;
  std::map<int32_t, Pending> pending_;
  std::set<int32_t> abandoned_;  ///< Sent, then taken back: their answers are dropped.
  HostTime last_used_;
  rt::Event work_;
};

}  // namespace muster::hadoop::rpc
