#pragma once

#include "agent/session/recording.h"
#include "os/process/interactive_child.h"
#include "os/process/processes.h"
#include "rt/loop.h"

#include <memory>
#include <string_view>
#include <utility>

namespace muster::agent {

/// A guest with a terminal whose output is recorded before it is shown. If recording becomes
/// impossible, nothing more is shown or typed, and the guest is ended: by SIGHUP, later by SIGKILL.
/// Lives on the loop's thread.
class RecordedGuest final : public os::InteractiveChild {
 public:
  RecordedGuest(rt::Loop& loop, os::Processes& processes, std::unique_ptr<Recording> recording,
                Handlers handlers);
  ~RecordedGuest() override;
  RecordedGuest(const RecordedGuest&) = delete;
  RecordedGuest& operator=(const RecordedGuest&) = delete;

  /// Returns the handlers with which the child must be started.
  [[nodiscard]] Handlers handlers();
  /// Must be called before anything else.
  void adopt(std::unique_ptr<os::InteractiveChild> child) { child_ = std::move(child); }

  [[nodiscard]] os::Pid pid() const override { return child_->pid(); }
  void write(std::string_view bytes) override;
  void end_input() override { child_->end_input(); }
  void allow_output(size_t bytes) override { child_->allow_output(bytes); }
  void resize(os::WindowSize size) override;

 private:
  [[nodiscard]] size_t on_output(os::Stream stream, std::string_view bytes);
  /// Returns false once something could not be recorded.
  [[nodiscard]] bool kept(const Status& status);

  rt::Loop& loop_;
  os::Processes& processes_;
  std::unique_ptr<Recording> recording_;
  Handlers handlers_;
  bool over_ = false;  ///< Nothing is shown any more.
  rt::TimerId kill_timer_;
  std::unique_ptr<os::InteractiveChild> child_;  ///< Last: its callbacks use the rest.
};

}  // namespace muster::agent
