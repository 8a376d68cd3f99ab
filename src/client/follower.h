#pragma once

#include "client/console.h"
#include "client/line_folder.h"
#include "control/keys.h"
#include "control/transport.h"
#include "job/machine.h"
#include "rt/loop.h"
#include "wire/frame.h"
#include "wire/output_gate.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::client {

/// What a follower works with. All outlive it.
struct FollowerDeps {
  rt::Loop& loop;
  control::Transport& transport;
  Console& console;
  /// Where the job's master listens now; called again after a break. NotFound: the job has ended or
  /// has no master.
  std::function<Result<std::string>()> locate;
  /// Makes the Plan from what the master sent: resolved spec, job id, seed.
  std::function<Result<job::Plan>(const std::string& plan_json, const std::string& job_id,
                                  uint64_t seed)>
      make_plan;
  /// How the job came out, from its folder, when no master is left; nullopt if it has not ended.
  std::function<std::optional<job::Outcome>()> read_outcome;
  /// Takes the tasks' output instead of the console, each byte once; empty: it is shown.
  std::function<void(const wire::Output&)> take_output;
};

struct FollowerOptions {
  std::string job_id;
  control::Secret secret{};
  std::string who;               ///< For StopAsked: "alice on pts/3".
  bool output = true;            ///< Show the tasks' output.
  bool narrate = true;           ///< Show the phase line and what happens.
  bool stop = false;             ///< Ask the job to stop as soon as the master answers.
  bool leave_when_told = false;  ///< With `stop`: detach once StopAsked is in the log.
  bool tell_waiting = false;     ///< Without a terminal, too, say why no master answers yet.
  /// How long to look for a master that does not answer, before giving up.
  Duration patience = std::chrono::seconds(30);
};

/// How following came to its end.
struct FollowEnd {
  enum class Kind : uint8_t {
    Ended,     ///< The job has ended; `outcome` is set.
    Detached,  ///< The user left; the job goes on.
    Lost,      ///< No master answered for as long as `patience`; `error` says more.
  };
  Kind kind = Kind::Ended;
  std::optional<job::Outcome> outcome;
  std::string error;
};

/// Follows one job over its master's channel: folds its facts, shows the phase line, what happens
/// and the tasks' output, dials again when the connection breaks (a new master takes over), and
/// tells once how it ended. Lives on the loop's thread. Before it exits the app asks machine() for
/// the state to show a summary.
class Follower {
 public:
  Follower(FollowerDeps deps, FollowerOptions options);
  ~Follower();
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// Starts; `ended` is called once, on the loop.
  void start(std::function<void(const FollowEnd&)> ended);
  /// Asks the job to stop, now or as soon as a master answers; goes on following to the end.
  /// Repeats are harmless.
  void stop_job();
  /// Stops showing the tasks' output, and what happens unless stop_job() is called (after the first
  /// Ctrl-C).
  void mute();
  /// Ends following without touching the job.
  void detach();

  /// The folded state; nullptr before the first welcome.
  [[nodiscard]] const job::Machine* machine() const { return machine_ ? &*machine_ : nullptr; }
  /// Hands the folded state over, after the end; nullopt before the first welcome.
  [[nodiscard]] std::optional<job::Machine> take_machine() {
    return std::exchange(machine_, std::nullopt);
  }

 private:
  void dial();
  void dialled(Result<std::unique_ptr<control::Channel>> channel);
  void dial_again(const std::string& reason);
  void on_frame(std::string_view frame);
  void on_event(wire::ClientWelcome& welcome);
  void on_event(wire::FactLogged& logged);
  void on_event(wire::Output& output);
  void on_event(wire::StatusAnswered& status);
  void on_event(wire::JobEnded& ended);
  void on_event(wire::Refused& refused);
  [[nodiscard]] bool narrates() const { return options_.narrate && (!muted_ || stop_wanted_); }
  void tell_log_trouble(const std::string& trouble);
  void tell_wait(const std::string& reason);
  void show(const std::vector<ShownLine>& lines);
  void show_phase();
  void arm_flush();
  void end(FollowEnd end);

  FollowerDeps deps_;
  FollowerOptions options_;
  std::function<void(const FollowEnd&)> ended_;
  std::optional<job::Machine> machine_;
  std::optional<LineFolder> folder_;
  wire::OutputGate gate_;  ///< A new master sends the last lines again.
  std::unique_ptr<control::Channel> channel_;
  uint64_t next_index_ = 0;
  bool stop_wanted_ = false;
  int refusals_ = 0;  ///< Of our key, one after the other.
  bool muted_ = false;
  bool over_ = false;
  HostTime silent_since_{};
  Duration dial_delay_{};
  Time job_now_{};
  HostTime job_now_at_{};
  std::string last_phase_;
  std::string last_wait_;
  HostTime last_wait_at_{};
  std::string log_trouble_;
  rt::TimerId flush_timer_;
  rt::TimerId dial_timer_;
  rt::TimerId phase_timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::client
