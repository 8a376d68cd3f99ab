#include "agent/session/recorded_guest.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <string>

namespace muster::agent {
namespace {

/// From SIGHUP to SIGKILL.
constexpr Duration kUnrecordedGrace = std::chrono::seconds(5);
/// A guest's output during that time is read, so that it does not hang.
constexpr size_t kDroppedBytes = 32U << 10;

}  // namespace

RecordedGuest::RecordedGuest(rt::Loop& loop, os::Processes& processes,
                             std::unique_ptr<Recording> recording, Handlers handlers)
    : loop_(loop),
      processes_(processes),
      recording_(std::move(recording)),
      handlers_(std::move(handlers)) {}

RecordedGuest::~RecordedGuest() { loop_.cancel(kill_timer_); }

os::InteractiveChild::Handlers RecordedGuest::handlers() {
  return {.output = [this](os::Stream stream,
                           std::string_view bytes) { return on_output(stream, bytes); },
          .written = [this](size_t bytes) { handlers_.written(bytes); },
          .exited =
              [this](const os::Exit& exit) {
                loop_.cancel(kill_timer_);
                const auto exited = std::move(handlers_.exited);  // The handler may destroy this.
                exited(exit);
              }};
}

size_t RecordedGuest::on_output(os::Stream stream, std::string_view bytes) {
  if (over_) {
    return kDroppedBytes;
  }
  const Status status = recording_->output(bytes);
  if (kept(status)) {
    return handlers_.output(stream, bytes);
  }
  (void)handlers_.output(stream, fmt::format("\r\nmuster: this terminal ends, because what it "
                                             "shows cannot be recorded: {}\r\n",
                                             status.error().message));
  return kDroppedBytes;
}

bool RecordedGuest::kept(const Status& status) {
  if (!status.has_value() && !std::exchange(over_, true)) {
    (void)processes_.signal_group(pid(), SIGHUP);
    (void)processes_.signal_group(pid(), SIGCONT);
    kill_timer_ =
        loop_.call_after(kUnrecordedGrace, [this] { processes_.signal_family(pid(), SIGKILL); });
  }
  return !over_;
}

void RecordedGuest::write(std::string_view bytes) {
  if (over_) {
    handlers_.written(bytes.size());
  } else {
    child_->write(bytes);
  }
}

void RecordedGuest::resize(os::WindowSize size) {
  if (!over_ && kept(recording_->resized({.rows = size.rows, .columns = size.columns}))) {
    child_->resize(size);
  }
}

}  // namespace muster::agent
