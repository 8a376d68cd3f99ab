#pragma once

#include "base/log.h"
#include "base/result.h"
#include "control/transport.h"
#include "rt/async.h"
#include "rt/loop.h"
#include "rt/wait.h"
#include "wire/frame.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

/// What an agent says to its masters, and what it does about what they say.
class MasterLineHandler {
 public:
  virtual ~MasterLineHandler() = default;
  /// Makes this agent's hello: the first frame on a channel that it dialled, and the answer to a
  /// master that dialled it.
  [[nodiscard]] virtual wire::AgentHello hello() = 0;
  /// A master has introduced itself. Returns false if it is no longer in charge; its channel is
  /// then closed.
  [[nodiscard]] virtual bool welcomed(const wire::MasterWelcome& welcome) = 0;
  /// Every later frame of the accepted master.
  virtual void received(wire::MasterFrame frame) = 0;
  /// The accepted master's channel is gone. Called at most once for each accepted one.
  virtual void closed(const Error& reason) = 0;
};

/// The agent's connection to the current master: over a channel that the agent dialled
/// (MasterSearch), or over one that a later master dialled. At most one channel is the line at a
/// time; a new one replaces it once its master's welcome was accepted. Lives on the loop's thread.
class MasterLine {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    log::Logger log;
    MasterLineHandler& handler;
  };

  MasterLine(Deps deps, control::Peer self, control::Key key);
  ~MasterLine();
  MasterLine(const MasterLine&) = delete;
  MasterLine& operator=(const MasterLine&) = delete;

  /// Who else may connect to this agent's port, and what serves them.
  struct Guests {
    control::KeyLookup key_of;
    control::Transport::Accepted accepted;
  };

  /// Listens for later masters, and for guests.
  [[nodiscard]] Status listen(const control::ListenOptions& options, Guests guests);
  /// Where this agent listens: "host:port".
  [[nodiscard]] const std::string& address() const { return listener_->address(); }
  /// Takes over a channel that this agent has dialled.
  void adopt(std::unique_ptr<control::Channel> dialled);
  /// Sends to the accepted master; dropped when there is none.
  void send(wire::AgentFrame frame);
  [[nodiscard]] size_t queued_bytes() const;
  /// Sends what is queued, then closes for good: later masters are ignored.
  void close();

  [[nodiscard]] bool up() const { return line_ != nullptr; }
  [[nodiscard]] bool closed() const { return closed_; }
  /// Returns how many welcomes have been accepted.
  [[nodiscard]] uint64_t accepted() const { return accepted_; }
  /// Returns once there is neither a line nor a dialled channel that may become it.
  [[nodiscard]] rt::Async<> lost();

 private:
  struct Candidate;

  void start(std::unique_ptr<control::Channel> channel, bool dialled_by_us);
  void on_frame(Candidate* from, std::string_view bytes);
  void on_welcome(Candidate* from, const wire::MasterWelcome& welcome);
  void on_closed(Candidate* from, const Error& reason);
  void drop(Candidate* candidate);
  [[nodiscard]] bool is_open(const Candidate* candidate) const;
  [[nodiscard]] bool is_lost() const;

  Deps deps_;
  control::Peer self_;
  control::Key key_;
  std::unique_ptr<control::Listener> listener_;
  std::vector<std::unique_ptr<Candidate>> candidates_;  ///< All open channels, the line among them.
  Candidate* line_ = nullptr;
  uint64_t accepted_ = 0;
  bool closed_ = false;
  rt::Event dropped_;  ///< A channel is gone.
};

}  // namespace muster::agent
