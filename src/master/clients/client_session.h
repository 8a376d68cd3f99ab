#pragma once

#include "base/log.h"
#include "control/transport.h"
#include "master/agents/admission.h"
#include "master/clients/client_output.h"
#include "master/clients/fact_history.h"
#include "master/clients/job_report.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace muster::master {

/// One connected client: an owner or a viewer. Sends it facts in order as fast as it reads, and
/// output while its budget lasts; a client that does not read costs a bounded number of bytes and
/// never holds others up. Its requests wait for their turn among all clients; one that sends too
/// many before they are answered, or keeps requesting what it may not have, is disconnected.
///
/// The handlers may destroy the session.
class ClientSession {
 public:
  struct Deps {
    rt::Loop& loop;
    log::Logger log;
    const FactHistory& history;
    const Admission& admission;
    const JobReport& report;
  };
  struct Handlers {
    std::function<void(const job::StopAsked& asked)> stop;  ///< An owner asks the job to stop.
    /// A stream frame of an owner that has said hello.
    std::function<void(wire::StreamFrame&& frame)> stream;
    /// It wants output from now on; returns what it may have missed.
    std::function<std::vector<wire::Output>()> follows_output;
    std::function<wire::MetricsAnswered(const wire::MetricsAsked& asked)> metrics;
    /// It follows metrics from now on, or no longer does.
    std::function<void()> follows_metrics;
    std::function<void()> asked;   ///< A request waits for answer_next().
    std::function<void()> closed;  ///< Once.
  };

  ClientSession(const Deps& deps, std::unique_ptr<control::Channel> channel);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  void start(Handlers handlers);
  /// Returns whether it has an unanswered request.
  [[nodiscard]] bool asks() const { return !ended_ && !questions_.empty(); }
  /// Returns whether little enough is on its way to it for one more answer.
  [[nodiscard]] bool reads() const;
  /// Answers its oldest request. Only if asks().
  void answer_next();
  /// Sends the status unasked, to a client that follows facts.
  void tell_status();
  /// There may be new facts in the history.
  void pump();
  void output(const wire::Output& piece);
  void stream(wire::StreamFrame frame);
  /// Sends the latest metrics (an encoded MetricsPushed), unless too much is already on its way.
  void metrics(const std::shared_ptr<const std::string>& pushed);
  /// Sends the rest of the facts and the last frame (once the client has said hello), then closes.
  void end(const std::shared_ptr<const std::string>& last_frame);

  /// What the client is doing; those with higher values are the last to be dropped to make room.
  enum class Business : uint8_t { None, Asks, Follows, Reaches };
  [[nodiscard]] Business business() const;
  /// When it connected or last sent something.
  [[nodiscard]] HostTime heard() const { return visitor_.heard; }
  [[nodiscard]] bool is_owner() const {
    return channel_->peer().kind == control::Peer::Kind::Owner;
  }
  [[nodiscard]] bool follows_facts() const { return follows_.facts; }
  [[nodiscard]] bool follows_output() const { return follows_.output; }
  [[nodiscard]] bool follows_metrics() const { return follows_.metrics; }
  /// Its own name for itself, for people.
  [[nodiscard]] const std::string& who() const { return visitor_.name; }
  [[nodiscard]] const std::string& address() const { return visitor_.address; }
  [[nodiscard]] size_t queued_bytes() const { return channel_->queued_bytes(); }

 private:
  /// Who is connected.
  struct Visitor {
    std::string name;     ///< Its own name for itself, for people.
    std::string address;  ///< Looked up once: it goes with each stream frame.
    HostTime heard;       ///< When it connected or last sent something.
  };
  /// What it is sent without asking.
  struct Follows {
    bool facts = false;
    bool output = false;
    bool metrics = false;
  };
  using Question = std::variant<wire::StatusAsked, wire::MetricsAsked, wire::FollowMetrics>;

  void on_frame(std::string_view bytes);
  void on(const wire::ClientHello& hello);
  void on(const wire::StopJob& stop);
  void on(const wire::StatusAsked& asked);
  void on(wire::StreamFrame& frame);
  void on(const wire::MetricsAsked& asked);
  void on(const wire::FollowMetrics& follow);
  void ask(Question question);
  void answer(const wire::StatusAsked& asked);
  void answer(const wire::MetricsAsked& asked);
  void answer(const wire::FollowMetrics& follow);
  void send(wire::ClientEvent event) { channel_->send_parts(wire::encode_parts(std::move(event))); }
  void refuse(const std::string& reason);
  void drop(const std::string& reason);
  void note_undue();
  void begin_output();
  void say_goodbye();

  Deps deps_;
  Handlers handlers_;
  Visitor visitor_;
  bool said_hello_ = false;
  Follows follows_;
  bool reaches_ = false;  ///< Into tasks: it has opened a stream.
  bool ended_ = false;
  std::deque<Question> questions_;  ///< Not answered yet.
  int undue_ = 0;                   ///< Frames that no genuine client sends.
  uint64_t next_fact_ = 0;
  std::shared_ptr<const std::string> last_frame_;  ///< Set once the job has ended.
  rt::TimerId pump_timer_;
  std::unique_ptr<control::Channel> channel_;  ///< Late: its callbacks use the members above.
  ClientOutput output_;
};

}  // namespace muster::master
