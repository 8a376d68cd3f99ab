#pragma once

#include "base/time.h"
#include "job/action.h"
#include "job/fact.h"
#include "job/ids.h"
#include "job/view.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// The decisions of an agent, separate from all mechanism: what to do about an order, an end, or
/// silence.
namespace muster::agent {

// What the shell is to do, in order.

/// Send this fact to the master; lost ones are made good by the next report.
struct Tell {
  job::Fact fact;
  bool operator==(const Tell&) const = default;
};
/// Place files, restore, reserve; then call prepared() or prepare_failed().
struct Prepare {
  job::PrepareAttempt order;
  bool operator==(const Prepare&) const = default;
};
/// Run the prepared attempt; then call started() or start_failed(), and ended() at its end.
struct Start {
  job::AttemptId attempt;
  job::Generation generation;
  bool operator==(const Start&) const = default;
};
/// Send INT to the attempt's process group.
struct Interrupt {
  job::AttemptId attempt;
  bool operator==(const Interrupt&) const = default;
};
/// Send TERM to the attempt's process group.
struct Terminate {
  job::AttemptId attempt;
  bool operator==(const Terminate&) const = default;
};
/// Send KILL to everything that the attempt started.
struct Kill {
  job::AttemptId attempt;
  bool operator==(const Kill&) const = default;
};
/// Release what was prepared (ports); the attempt will never start.
struct Drop {
  job::AttemptId attempt;
  bool operator==(const Drop&) const = default;
};
/// Nothing lives here any more and this agent is no longer needed: leave.
struct Quit {
  std::string reason;
  bool operator==(const Quit&) const = default;
};
using Effect = std::variant<Tell, Prepare, Start, Interrupt, Terminate, Kill, Drop, Quit>;
using Effects = std::vector<Effect>;

/// Where one attempt stands in this agent.
///
///     Waiting ─1► Preparing ─2► Joined ─3► Starting ─4► Running ─5► Ended
///        └────────────┴───────────┴────6───────┴──────────────────────▲
///
///     1  no older attempt of its task is left here
///     2  prepared()
///     3  StartAttempt has come, and the view of its generation
///     4  started()
///     5  ended(): its process has ended
///     6  stopped before it was started, or prepare_failed(), or start_failed()
enum class Phase : uint8_t { Waiting, Preparing, Joined, Starting, Running, Ended };

/// A value: it holds no clocks, files or processes; the shell feeds it and performs its effects.
///
/// It obeys the highest (epoch, generation) it has seen and ignores the rest. Every order may come
/// again and is answered again. Never two attempts of one task live here at a time: the younger
/// waits. Without a master it keeps everything for the orphan window, then ends it.
class Machine {
 public:
  struct Settings {
    job::ContainerId container;
    std::string address;  ///< Where this agent listens.
    job::Epoch epoch;     ///< Of the master that launched it.
    Duration orphan{};
    Duration stop_grace = std::chrono::seconds(30);
  };

  Machine(Settings settings, HostTime now);

  /// A master showed its epoch. Returns false if that master is no longer in charge: close its
  /// connection.
  [[nodiscard]] bool welcome(job::Epoch epoch);
  /// The plan's values, once known.
  void set_times(Duration orphan, Duration stop_grace);
  void connected();
  void disconnected(HostTime now);

  [[nodiscard]] Effects push_view(job::View view);
  [[nodiscard]] Effects order(HostTime now, const job::Action& action);
  /// The master wants this agent to end everything, and then itself.
  [[nodiscard]] Effects dismiss(HostTime now, std::string reason);
  /// Something else wants that (SIGTERM, the keeper's death): tasks get at most `grace`.
  [[nodiscard]] Effects leave(HostTime now, Duration grace, std::string reason);

  [[nodiscard]] Effects prepared(job::AttemptId attempt, job::Address address);
  [[nodiscard]] Effects prepare_failed(job::AttemptId attempt, job::Failure failure, HostTime now);
  [[nodiscard]] Effects started(job::AttemptId attempt, int32_t pid);
  [[nodiscard]] Effects start_failed(job::AttemptId attempt, job::Failure failure, HostTime now);
  /// The attempt's process and everything it left behind are gone. If the attempt was told to stop,
  /// its failure becomes that of the stop.
  [[nodiscard]] Effects ended(job::AttemptId attempt, job::Exit exit, HostTime now);

  /// When tick() is next due; HostTime::max() for never.
  [[nodiscard]] HostTime due() const;
  [[nodiscard]] Effects tick(HostTime now);

  /// Returns the full report: everything known here, with the ages of ends as of `now`.
  [[nodiscard]] job::AgentReported report(HostTime now) const;
  /// The view of `generation`, if it is here.
  [[nodiscard]] const job::View* view(job::Generation generation) const;
  /// Returns whether the attempt was told to stop.
  [[nodiscard]] bool stopping(job::AttemptId attempt) const;
  [[nodiscard]] std::optional<Phase> phase(job::AttemptId attempt) const;
  [[nodiscard]] job::Epoch epoch() const { return epoch_; }
  [[nodiscard]] job::Generation generation() const { return generation_; }
  [[nodiscard]] bool leaving() const { return quit_reason_.has_value(); }

 private:
  struct Attempt {
    job::PrepareAttempt order;
    Phase phase = Phase::Waiting;
    /// The shell is still preparing or starting it, though for the machine it may have ended.
    bool shell_busy = false;
    job::Address address;
    std::optional<job::Generation> start_in;  ///< StartAttempt came.
    job::Generation generation;
    int32_t pid = 0;
    std::optional<job::Failure> stop;    ///< Told to stop: what its end then counts as.
    HostTime term_at = HostTime::max();  ///< It is being interrupted, until then.
    HostTime kill_at = HostTime::max();
    HostTime ended_at{};
    job::Exit exit;
  };

  void on_prepare(const job::PrepareAttempt& order, Effects& effects);
  void on_start(const job::StartAttempt& order, HostTime now, Effects& effects);
  void on_stop(const job::StopAttempt& order, HostTime now, Effects& effects);
  void stop_attempt(job::AttemptId id, Attempt& attempt, const job::Failure& reason,
                    job::StopTimes times, HostTime now, Effects& effects);
  void tell_to_stop(job::AttemptId id, Attempt& attempt, bool first, HostTime term_at, HostTime now,
                    Effects& effects);
  void end(job::AttemptId id, Attempt& attempt, job::Exit exit, HostTime now, Effects& effects);
  void repeat(job::AttemptId id, const Attempt& attempt, Effects& effects) const;
  void advance(Effects& effects);
  void forget_older(job::AttemptId id);
  void stop_everything(HostTime now, Duration grace, const job::Failure& reason, std::string why,
                       Effects& effects);
  [[nodiscard]] bool task_is_free_for(job::AttemptId id) const;
  [[nodiscard]] bool anything_lives() const;

  Settings settings_;
  job::Epoch epoch_;
  job::Generation generation_;
  std::optional<job::View> view_;
  std::map<job::AttemptId, Attempt> attempts_;
  HostTime orphan_since_;  ///< HostTime::max() while a master is there.
  std::optional<std::string> quit_reason_;
  bool quit_told_ = false;
};

}  // namespace muster::agent
