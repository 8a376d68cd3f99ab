#pragma once

#include "base/log.h"
#include "base/result.h"
#include "control/transport.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <functional>
#include <memory>
#include <string>

namespace muster::agent {

/// The agent's connection to whoever is master: dials the one it was told of, dials again with
/// back-off after a break, and listens for a later master that dials. At most one channel is the
/// line at a time; a new one replaces it when its master's welcome was accepted. Lives on the
/// loop's thread.
class MasterLine {
 public:
  struct Handlers {
    /// Makes this agent's hello; sent first on a channel of its own dial, and in answer to a master
    /// that dialled.
    std::function<wire::AgentHello()> hello;
    /// A master introduced itself; false: it is not in charge any more, its channel is closed.
    std::function<bool(const wire::MasterWelcome& welcome)> welcomed;
    /// Every later frame of the accepted master.
    std::function<void(const wire::MasterFrame& frame)> frame;
    /// The accepted master's channel is gone; dialling goes on. Comes at most once for each
    /// accepted one.
    std::function<void(const Error& reason)> closed;
    /// A dial failed, for those who look for a new master.
    std::function<void()> unreachable;
  };

  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    log::Logger log;
  };

  MasterLine(Deps deps, control::Peer self, control::Key key, Handlers handlers);
  ~MasterLine();
  MasterLine(const MasterLine&) = delete;
  MasterLine& operator=(const MasterLine&) = delete;

  /// Listens for later masters.
  [[nodiscard]] Status listen(const control::ListenOptions& options);
  /// Where this agent listens: "host:port".
  [[nodiscard]] const std::string& address() const { return listener_->address(); }
  /// Dials `master`, again and again until a master has accepted; replaces an older address.
  void dial(std::string master);
  /// Sends to the accepted master; dropped when there is none.
  void send(const wire::AgentFrame& frame);
  [[nodiscard]] bool up() const { return line_ != nullptr; }
  [[nodiscard]] size_t queued_bytes() const;
  /// Sends what is queued, then closes for good.
  void close();

 private:
  struct Candidate;

  void redial();
  void on_dialled(Result<std::unique_ptr<control::Channel>> dialled);
  void adopt(std::unique_ptr<control::Channel> channel, bool dialled_by_us);
  void on_frame(Candidate* from, std::string_view bytes);
  void on_closed(Candidate* from, const Error& reason);
  void drop(Candidate* candidate);
  [[nodiscard]] bool is_open(const Candidate* candidate) const;

  Deps deps_;
  control::Peer self_;
  control::Key key_;
  Handlers handlers_;
  std::unique_ptr<control::Listener> listener_;
  std::string master_;
  bool dialling_ = false;
  bool done_ = false;
  Duration back_off_;
  rt::TimerId retry_{};
  std::vector<std::unique_ptr<Candidate>> candidates_;  ///< All open channels, the line among them.
  Candidate* line_ = nullptr;
};

}  // namespace muster::agent
