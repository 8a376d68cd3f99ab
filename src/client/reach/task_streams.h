#pragma once

#include "client/follow/master_connection.h"
#include "client/reach/direct_channels.h"
#include "control/keys.h"
#include "control/transport.h"
#include "rt/loop.h"
#include "wire/frame.h"

#include <cstdint>
#include <functional>
#include <string>

namespace muster::client {

/// One connection to the master of a job, for streams to its tasks. Streams that ask for it get a
/// connection of their own to the task's agent, directly if that can be reached from here, or
/// through the master's port; the others end with the connection to the master. That is redialled
/// only on request: a command that was cut off may have done anything, whereas a new byte stream is
/// as good as the old one. Lives on its loop's thread. Its handlers must not destroy it.
class TaskStreams {
 public:
  struct Deps {
    rt::Loop& loop;
    control::Transport& transport;
    /// Where the job's master listens now.
    std::function<Result<std::string>()> locate;
    /// Returns whether locate() has learnt that there will be no master.
    std::function<bool()> over;
  };
  struct Options {
    std::string job_id;
    control::Secret secret{};
    std::string who;      ///< For people: "alice on pts/3".
    Duration patience{};  ///< How long to look for a master.
    bool reconnects = false;
    bool by_master = false;  ///< Never dial a task's host.
  };
  struct Handlers {
    /// A master has answered: once, or each time.
    std::function<void(const wire::ClientWelcome& welcome)> opened;
    std::function<void(wire::StreamFrame frame)> frame;
    /// Nothing comes any more. Called once.
    std::function<void(const std::string& why)> lost;
    /// The connection is gone, and with it every stream that is not direct; a master is looked for
    /// again. Only with `reconnects`.
    std::function<void(const std::string& why)> broken = nullptr;
  };

  TaskStreams(Deps deps, Options options);

  void start(Handlers handlers);
  /// Opens a stream; returns its id.
  uint64_t open(const wire::StreamOpen& request);
  void send(wire::StreamFrame frame);
  /// Returns whether the stream has a connection of its own, which outlives the one to the master.
  [[nodiscard]] bool is_direct(uint64_t id) const { return direct_.has(id); }

 private:
  void on_frame(std::string_view bytes);
  void on_stream_frame(wire::StreamFrame& frame);
  void lose(const std::string& why);

  Deps deps_;
  std::string who_;
  bool reconnects_;
  Handlers handlers_;
  bool welcomed_ = false;
  bool lost_ = false;
  uint64_t last_id_ = 0;
  DirectChannels direct_;
  MasterConnection connection_;
};

}  // namespace muster::client
