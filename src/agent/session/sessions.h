#pragma once

#include "agent/attempt/attempts.h"
#include "agent/session/direct_streams.h"
#include "agent/session/guest.h"
#include "agent/session/session.h"
#include "agent/session/shell_session.h"
#include "base/log.h"
#include "net/stream.h"
#include "os/process/processes.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::agent {

/// What people do inside this agent's attempts, over streams that its master relays from the job's
/// owner, or for which the owner's client connects directly (DirectStreams). A session ends with
/// its stream, with its attempt, and with the connection that carried its stream, whether to the
/// master or to the client. Shells (ShellSession) end only with their attempt, and wait for
/// somebody to join them. Lives on the loop's thread.
class Sessions {
 public:
  struct Deps {
    rt::Loop& loop;
    os::Processes& processes;
    log::Logger log;
    Attempts& attempts;
    os::Files& files;
    std::function<const spec::Recording&()> recording;  ///< Of the job, once it is known.
    net::Dialer* dialer;  ///< nullptr: no program of this host can be reached.
    std::function<void(wire::StreamFrame frame)> send;  ///< To the master in charge.
  };

  explicit Sessions(Deps deps);
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  /// What the master says.
  void take(wire::StreamFrame frame);
  /// The connection to the master is gone, and with it what it relayed.
  void master_gone();
  [[nodiscard]] DirectStreams& direct() { return direct_; }
  /// The attempt is over, and with it everything done inside it.
  void attempt_over(job::AttemptId attempt);

 private:
  struct Entry {
    job::AttemptId attempt;
    std::unique_ptr<Session> session;
    os::Pid guest{};                ///< Its process, if it has one.
    ShellSession* shell = nullptr;  ///< The session, if it is one.
    uint32_t shell_number = 0;      ///< From 1, if it is one.
  };

  /// Takes a frame of a stream, whichever way it came.
  void take_here(wire::StreamFrame frame);
  void send(wire::StreamFrame frame);
  void open(uint64_t id, const wire::StreamOpen& request);
  void run(uint64_t id, const wire::ExecRequest& request, wire::StreamWindows windows,
           TaskRun& run);
  void begin_shell(uint64_t id, const wire::ExecRequest& request, TaskRun& run);
  void join(uint64_t id, const wire::JoinRequest& request, const TaskRun& run);
  void list(uint64_t id, const TaskRun& run);
  void connect(uint64_t id, const wire::TcpRequest& request, wire::StreamWindows windows,
               const TaskRun& run);
  /// Returns the windows for a peer that takes `there`.
  [[nodiscard]] wire::StreamWindows windows_for(size_t there) const;
  void refuse(uint64_t id, wire::StreamFault fault, std::string reason);
  /// Makes room for one more shell; returns false if all existing ones are running.
  [[nodiscard]] bool make_place();
  /// Returns the session number of the requested shell; 0 if it was refused.
  [[nodiscard]] uint64_t find_shell(uint64_t id, const wire::JoinRequest& request,
                                    const TaskRun& run);
  [[nodiscard]] ShellSession::Send sender(uint64_t id);
  void hang_up(uint64_t id);
  [[nodiscard]] std::string on_exited(uint64_t number);
  rt::Async<> kill_late(uint64_t number);
  void on_ended(uint64_t number);

  Deps deps_;
  DirectStreams direct_;
  Guests guests_;
  uint64_t last_number_ = 0;
  uint32_t last_shell_ = 0;
  std::map<uint64_t, uint64_t> by_stream_;  ///< Stream → session, while the stream lives.
  std::map<uint64_t, Entry> sessions_;
  rt::Scope scope_;  ///< Last: its coroutines use all of the above.
};

}  // namespace muster::agent
