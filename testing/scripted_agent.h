#pragma once

#include "cluster/link.h"
#include "control/transport.h"
#include "job/view.h"
#include "rt/loop.h"
#include "testing/memory_transport.h"
#include "wire/frame.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::testing {

/// An agent without processes: joins, beats, and answers every order at once, like a real one whose
/// programs run for ever. Attempts end when the test says so. When its master goes, it keeps its
/// attempts and answers the next one.
class ScriptedAgent {
 public:
  ScriptedAgent(rt::Loop& loop, MemoryNetwork& network, const cluster::LaunchOrder& order,
                Duration beat = std::chrono::seconds(1));
  ~ScriptedAgent();
  ScriptedAgent(const ScriptedAgent&) = delete;
  ScriptedAgent& operator=(const ScriptedAgent&) = delete;

  /// An attempt's process ends.
  void end(job::AttemptId attempt, job::Exit exit);
  void send(const wire::AgentFrame& frame);
  /// Stops beating and answering, but keeps the connection.
  void hang() { hangs_ = true; }
  /// Dials the master of its launch (again).
  void dial();

  [[nodiscard]] const job::ContainerId& container() const { return order_.container; }
  /// Returns its name in the network, which is that of its container.
  [[nodiscard]] const std::string& name() const { return order_.container.value; }
  /// Returns all frames that it got, oldest first.
  [[nodiscard]] const std::vector<wire::MasterFrame>& frames() const { return frames_; }
  [[nodiscard]] const std::map<job::AttemptId, job::AttemptReport>& attempts() const {
    return attempts_;
  }
  [[nodiscard]] bool connected() const { return channel_ != nullptr; }
  [[nodiscard]] bool dismissed() const { return dismissed_; }
  [[nodiscard]] job::Epoch epoch() const { return epoch_; }
  /// Returns the frames of one kind.
  template <class Kind>
  [[nodiscard]] std::vector<Kind> got() const {
    std::vector<Kind> found;
    for (const wire::MasterFrame& frame : frames_) {
      if (const auto* kind = std::get_if<Kind>(&frame)) {
        found.push_back(*kind);
      }
    }
    return found;
  }

 private:
  void adopt(std::unique_ptr<control::Channel> channel, bool dialled);
  void on_frame(std::string_view bytes);
  void on_order(const job::Action& action);
  void beat();
  [[nodiscard]] wire::AgentHello hello();
  [[nodiscard]] job::AgentReported report() const;

  rt::Loop& loop_;
  cluster::LaunchOrder order_;
  Duration beat_;
  MemoryTransport transport_;
  control::Key key_{};
  std::unique_ptr<control::Listener> listener_;
  std::unique_ptr<control::Channel> channel_;
  std::vector<wire::MasterFrame> frames_;
  std::map<job::AttemptId, job::AttemptReport> attempts_;
  job::Epoch epoch_;
  job::Generation generation_;
  uint64_t beats_ = 0;
  bool fresh_ = true;
  bool owes_hello_ = false;  ///< A master dialled and has not been greeted yet.
  bool hangs_ = false;
  bool dismissed_ = false;
  rt::TimerId beat_timer_;
};

}  // namespace muster::testing
