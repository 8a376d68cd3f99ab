#include "agent/session/guest.h"

#include "agent/session/recorded_guest.h"
#include "base/overloaded.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

/// Reserved for the message about the command's end, however much the command has written.
constexpr size_t kReserveBytes = 8U << 10;
/// Below this much, wait for more credit: many small pieces would cost more than they carry.
constexpr size_t kLowBytes = 4U << 10;

// The same codes as in shells.
constexpr int32_t kNotFound = 127;
constexpr int32_t kCannotRun = 126;
constexpr int32_t kBySignal = 128;

}  // namespace

Result<std::unique_ptr<os::InteractiveChild>> Guests::spawn(
    const wire::ExecRequest& request, const TaskRun& run, os::InteractiveChild::Handlers handlers) {
  os::SpawnOptions options;
  options.argv = request.arguments;
  options.env = run.environment();
  options.folder = run.folder();
  options.parent_death_signal = SIGKILL;
  std::optional<os::WindowSize> terminal;
  if (request.terminal) {
    terminal = {.rows = request.terminal->size.rows, .columns = request.terminal->size.columns};
    options.env["TERM"] = request.terminal->name;
  }
  if (!terminal || !deps_.recording().terminals) {
    return deps_.processes.spawn_interactive(std::move(options), terminal, std::move(handlers));
  }
  MUSTER_TRY(std::unique_ptr<Recording> recording, record(request, run));
  auto guest = std::make_unique<RecordedGuest>(deps_.loop, deps_.processes, std::move(recording),
                                               std::move(handlers));
  MUSTER_TRY(auto child,
             deps_.processes.spawn_interactive(std::move(options), terminal, guest->handlers()));
  guest->adopt(std::move(child));
  return guest;
}

Result<std::unique_ptr<Recording>> Guests::record(const wire::ExecRequest& request,
                                                  const TaskRun& run) {
  const TaskRun::Names& names = run.names();
  Recording::Options options{.path = {},
                             .bytes_max = deps_.recording().max,
                             .terminal = *request.terminal,
                             .command = shell_command(request.arguments),
                             .title = fmt::format("{}:{}, attempt {}", names.mark.role,
                                                  names.mark.index, names.mark.number)};
  for (int number = 1;; ++number) {
    options.path = names.log_stem;
    options.path += fmt::format(".terminal-{}.cast", number);
    if (!deps_.files.exists(options.path)) {
      break;
    }
  }
  Result<std::unique_ptr<Recording>> recording = Recording::begin(deps_.files, deps_.loop, options);
  if (!recording.has_value()) {
    return std::move(recording).error().within("the terminal cannot be recorded");
  }
  return recording;
}

size_t give_input(os::Processes& processes, os::InteractiveChild& guest,
                  const wire::ExecInput& input, size_t bytes) {
  size_t done = bytes;
  std::visit(Overloaded{
                 [&](const wire::ExecBytes& given) {
                   done -= given.bytes.size();
                   guest.write(given.bytes);
                 },
                 [&](const wire::ExecInputEnded&) { guest.end_input(); },
                 [&](const wire::TerminalSize& size) {
                   guest.resize({.rows = size.rows, .columns = size.columns});
                 },
                 [&](const wire::ExecSignal& signal) {
                   if (signal.signal > 0 && signal.signal < NSIG) {
                     (void)processes.signal_group(guest.pid(), signal.signal);
                   }
                 },
             },
             input);
  return done;
}

size_t output_room(const wire::StreamLedger& ledger) {
  const size_t left = ledger.sendable();
  return left < kReserveBytes + kLowBytes
             ? 0
             : std::min(kGuestPieceBytes, left - kReserveBytes - wire::kExecOverheadMax);
}

wire::ExecExited exit_of(const os::Exit& exit) {
  return {exit.signal ? kBySignal + *exit.signal : exit.code.value_or(kCannotRun), ""};
}

wire::ExecExited exit_of(const Error& error) {
  return {error.code == Errc::NotFound ? kNotFound : kCannotRun, error.message};
}

}  // namespace muster::agent
