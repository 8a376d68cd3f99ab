#include "agent/session/terminal_guest.h"

#include <chrono>
#include <csignal>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

/// From SIGHUP to SIGKILL.
constexpr Duration kKillGrace = std::chrono::seconds(5);
/// Time enough for a program to notice that its terminal has another size.
constexpr Duration kOtherSizeTime = std::chrono::milliseconds(100);

}  // namespace

TerminalGuest::~TerminalGuest() {
  loop_.cancel(drawing_);
  loop_.cancel(killing_);
}

Status TerminalGuest::start(const wire::ExecRequest& request, const TaskRun& run,
                            os::InteractiveChild::Handlers handlers) {
  handlers.exited = [this, exited = std::move(handlers.exited)](const os::Exit& exit) {
    ended_ = true;
    loop_.cancel(std::exchange(drawing_, {}));
    spare();
    exited(exit);
  };
  MUSTER_TRY(child_, guests_.spawn(request, run, std::move(handlers)));
  return {};
}

size_t TerminalGuest::give(const wire::ExecInput& input, size_t bytes) {
  if (std::holds_alternative<wire::TerminalSize>(input)) {
    loop_.cancel(std::exchange(drawing_, {}));
  }
  return give_input(processes_, *child_, input, bytes);
}

/// Many programs ignore a resize to the size that they already have, so give them another one for a
/// moment.
void TerminalGuest::draw_anew(wire::TerminalSize size, bool has_screen) {
  if (ended_) {
    return;
  }
  loop_.cancel(std::exchange(drawing_, {}));
  os::WindowSize window{.rows = size.rows, .columns = size.columns};
  if (has_screen) {
    drawing_ = loop_.call_after(kOtherSizeTime, [this, window] {
      drawing_ = {};
      child_->resize(window);
    });
    window.rows = static_cast<uint16_t>(window.rows > 1 ? window.rows - 1 : window.rows + 1);
  }
  child_->resize(window);
}

void TerminalGuest::hang_up() {
  if (ended_) {
    return;
  }
  spare();
  (void)processes_.signal_group(pid(), SIGHUP);
  (void)processes_.signal_group(pid(), SIGCONT);
  killing_ = loop_.call_after(kKillGrace, [this] {
    killing_ = {};
    kill();
  });
}

void TerminalGuest::spare() { loop_.cancel(std::exchange(killing_, {})); }

void TerminalGuest::kill() {
  if (!ended_) {
    processes_.signal_family(pid(), SIGKILL);
  }
}

}  // namespace muster::agent
