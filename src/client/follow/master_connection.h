#pragma once

#include "control/keys.h"
#include "control/transport.h"
#include "rt/loop.h"
#include "rt/scope.h"
#include "rt/wait.h"
#include "wire/frame.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::client {

/// A follower's connection to the master of a job: dials whichever is in charge, and dials again
/// when the connection breaks (a new master takes over). Lives on its loop's thread. Its handlers
/// must not destroy it.
class MasterConnection {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    /// Where the job's master listens now. NotFound: the job has ended or has no master.
    std::function<Result<std::string>()> locate;
  };
  struct Options {
    std::string job_id;
    control::Secret secret{};
    /// How long to look for a master that does not answer before giving up.
    Duration patience{};
  };
  struct Handlers {
    std::function<void()> opened;  ///< A master has answered: time to say hello.
    std::function<void(std::string_view)> frame;
    /// None has answered for `silent`, because of `reason`. Returns whether to keep looking.
    std::function<bool(const std::string& reason, Duration silent)> silent;
    std::function<void(const std::string& error)> given_up;  ///< Called once; nothing follows.
  };

  MasterConnection(Deps deps, Options options);

  void start(Handlers handlers);
  /// Sends to the master; does nothing while there is none.
  void send(wire::ClientFrame frame);
  /// Where the master was reached last; "" before.
  [[nodiscard]] const std::string& address() const { return address_; }

 private:
  [[nodiscard]] rt::Async<> keep_connected();
  /// Returns, with the reason, when the channel has closed.
  [[nodiscard]] rt::Async<std::string> serve(std::unique_ptr<control::Channel> channel);
  [[nodiscard]] rt::Async<Result<std::unique_ptr<control::Channel>>> dial(std::string address);

  Deps deps_;
  Options options_;
  Handlers handlers_;
  std::unique_ptr<control::Channel> channel_;
  std::string address_;
  std::string closed_because_;
  rt::Event closed_;
  rt::Scope scope_;  ///< Last: its coroutine uses all of the above.
};

}  // namespace muster::client
