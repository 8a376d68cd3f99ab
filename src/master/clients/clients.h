#pragma once

#include "base/log.h"
#include "job/outcome.h"
#include "master/agents/admission.h"
#include "master/clients/client_session.h"
#include "master/clients/job_report.h"
#include "master/clients/stream_relay.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

namespace muster::master {

/// All connected clients, and the history they follow.
class Clients {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    const Admission& admission;
    const JobReport& report;
  };
  struct Handlers {
    std::function<void(const job::StopAsked& asked)> stop;
    /// Whether anybody follows output now; called again for each further follower.
    std::function<void(bool on)> follow_output;
    /// What a new follower of output may have missed.
    std::function<std::vector<wire::Output>()> missed_output;
    std::function<wire::MetricsAnswered(const wire::MetricsAsked& asked)> metrics;
    /// Whether anybody follows metrics now; called again for each further follower.
    std::function<void(bool on)> follow_metrics;
    /// A frame of an owner's stream; and: a client that had streams is gone.
    std::function<void(const StreamRelay::Opener& opener, wire::StreamFrame&& frame)> stream;
    std::function<void(ClientNumber client)> gone;
    /// A client left.
    std::function<void()> left;
  };

  Clients(const Deps& deps, Handlers handlers) : deps_(deps), handlers_(std::move(handlers)) {}
  ~Clients() { deps_.loop.cancel(answer_timer_); }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;

  void accept(std::unique_ptr<control::Channel> channel);
  /// A fact is in the log.
  void fact(const eventlog::Record& record);
  /// Adds a fact of an earlier master, before any client connects.
  void remember(const eventlog::Record& record) { history_.add(record); }
  /// All facts so far.
  [[nodiscard]] const FactHistory& history() const { return history_; }
  void output(const wire::Output& piece);
  /// Sends the latest metrics to those that follow them.
  void metrics(const wire::MetricsPushed& pushed);
  /// Sends a frame of a stream, if that client is still connected.
  void stream(ClientNumber client, wire::StreamFrame frame);
  /// Sends followers the job's status unasked: something changed that is not a fact.
  void tell_status();
  /// The job has ended and everything is written: sends the last frame to all and closes.
  void end(const job::Outcome& outcome);
  /// Closes all connections without a last frame.
  void close_all();
  [[nodiscard]] bool empty() const { return sessions_.empty(); }
  /// Returns whether somebody follows, or has followed, the job's facts.
  [[nodiscard]] bool had_follower() const { return had_follower_; }

 private:
  struct Entry {
    ClientNumber number;
    std::unique_ptr<ClientSession> session;
  };
  using Sessions = std::list<Entry>;

  [[nodiscard]] bool evict_one(bool for_owner);
  void on_asked();
  void answer_one();
  [[nodiscard]] std::vector<wire::Output> on_follows_output();
  void on_closed(Sessions::iterator entry);
  std::unique_ptr<ClientSession> remove(Sessions::iterator entry);
  [[nodiscard]] bool anybody_follows_output() const;
  [[nodiscard]] bool anybody_follows_metrics() const;

  Deps deps_;
  Handlers handlers_;
  FactHistory history_;
  std::shared_ptr<const std::string> last_frame_;  ///< Set once the job has ended.
  ClientNumber last_number_;
  Sessions sessions_;           ///< In the order of their numbers.
  ClientNumber answered_;       ///< The client that was answered last.
  rt::TimerId answer_timer_{};  ///< Set if a client was just answered, or does not read.
  bool had_follower_ = false;
};

}  // namespace muster::master
