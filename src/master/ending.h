#pragma once

#include "base/log.h"
#include "job/outcome.h"
#include "rt/loop.h"

#include <functional>
#include <memory>
#include <optional>

namespace muster::master {

/// The last moments of a job: everything that must be told or written, and then the end, within a
/// bound. begin() again is harmless.
class Ending {
 public:
  struct Steps {
    std::function<void()> write_summary;
    std::function<void(const job::Outcome&)> tell_clients;
    std::function<void()> dismiss_agents;
    /// Gives everything back to the cluster; calls `done` once.
    std::function<void(const job::Outcome&, std::function<void()> done)> leave_cluster;
    /// Whether all clients have gone.
    std::function<bool()> clients_gone;
    /// The master may exit.
    std::function<void(const job::Outcome&)> over;
  };

  Ending(rt::Loop& loop, Steps steps) : loop_(loop), steps_(std::move(steps)) {}
  ~Ending();
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

  void begin(const job::Outcome& outcome);
  /// A client has gone: that may have been the last thing to wait for.
  void client_left() { check(); }
  [[nodiscard]] bool begun() const { return outcome_.has_value(); }

 private:
  void check();
  void finish();

  rt::Loop& loop_;
  Steps steps_;
  std::optional<job::Outcome> outcome_;
  bool left_cluster_ = false;
  bool over_ = false;
  rt::TimerId timer_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace muster::master
