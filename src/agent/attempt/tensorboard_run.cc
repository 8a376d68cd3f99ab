#include "agent/attempt/tensorboard_run.h"

#include "base/text.h"
#include "rt/wait.h"

#include <csignal>
#include <utility>

namespace muster::agent {
namespace {

constexpr const char* kPathVariable = "MUSTER_TENSORBOARD_PATH";
constexpr std::string_view kReady = "muster: tensorboard is ready\n";

/// Uses TensorBoard's own programming interface. Its path is passed in the environment, because
/// everybody on a host may read command lines.
constexpr const char* kProgram = R"(import os, sys, threading
try:
    from tensorboard import program
except ImportError as error:
    sys.exit(f"{sys.executable} has no TensorBoard ({error}): install the package tensorboard "
             "there, or name an environment that has it in python.env")
board = program.TensorBoard()
path = os.environ.pop("MUSTER_TENSORBOARD_PATH")
board.configure(argv=["tensorboard", "--path_prefix", path, *sys.argv[1:]])
board.launch()
print("muster: tensorboard is ready", flush=True)
threading.Event().wait()
)";

/// Removes the names that say which attempt a process belongs to: it is not one of the attempt's
/// own.
std::map<std::string, std::string> without_mark(std::map<std::string, std::string> environment) {
  std::erase_if(environment, [](const auto& entry) {
    return entry.first.starts_with("MUSTER_") && entry.first != "MUSTER_HOME";
  });
  // It only draws curves; the GPUs are for the task.
  environment["CUDA_VISIBLE_DEVICES"] = "-1";
  return environment;
}

std::string last_line(std::string_view text) {
  const std::string_view body = trim(text);
  const size_t before = body.rfind('\n');
  return printable(before == std::string_view::npos ? body : body.substr(before + 1));
}

}  // namespace

TensorboardRun::TensorboardRun(Deps deps, Options options, Handlers handlers)
    : deps_(deps),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      memory_(deps.meter, deps.close_looks, options_.memory_limit_bytes),
      log_(deps.files, options_.log, options_.rotation,
           [&loop = deps.loop] { return loop.wall_now(); }) {}

TensorboardRun::~TensorboardRun() {
  serving_.cancel();
  if (pid_.has_value()) {
    (void)deps_.processes.signal_group(*pid_, SIGKILL);
    deps_.processes.close_output(*pid_);
  }
}

void TensorboardRun::start() {
  serving_ = rt::start(deps_.loop, serve(), [] {});
}

rt::Async<> TensorboardRun::serve() {
  std::optional<Error> refused;
  auto begin = [this, &refused](const rt::Answer<os::Exit>& exited) {
    auto on_bytes = [this](os::Stream stream, std::string_view bytes) { on_output(stream, bytes); };
    Result<os::Pid> pid =
        deps_.processes.spawn(spawn_options(), {.output = on_bytes, .exited = exited});
    if (pid.has_value()) {
      pid_ = *pid;
    } else {
      refused = std::move(pid).error();
      exited({});
    }
  };
  const os::Exit exit = co_await rt::from_callback<os::Exit>(deps_.loop, std::move(begin));
  if (refused) {
    handlers_.ended(refused->message);
    co_return;
  }
  // Everything it started ends with it.
  (void)deps_.processes.signal_group(*pid_, SIGKILL);
  deps_.processes.close_output(*pid_);
  pid_.reset();
  handlers_.ended(why_ended(exit));
}

os::SpawnOptions TensorboardRun::spawn_options() {
  os::SpawnOptions spawn;
  spawn.argv = {options_.python,
                "-c",
                kProgram,
                "--logdir",
                options_.logdir,
                "--host",
                options_.host,
                "--port",
                std::to_string(options_.port)};
  spawn.env = without_mark(std::move(options_.environment));
  spawn.env[kPathVariable] = options_.path;
  spawn.folder = options_.folder;
  spawn.stdout_to = os::ToPipe{};
  spawn.stderr_to = os::ToPipe{};
  spawn.grouping = os::Grouping::NewGroup;
  spawn.parent_death_signal = SIGKILL;
  return spawn;
}

void TensorboardRun::on_output(os::Stream stream, std::string_view bytes) {
  log_.write(bytes);
  if (ready_ || stream != os::Stream::Stdout) {
    return;
  }
  first_line_ += bytes;
  if (first_line_.find(kReady) != std::string::npos) {
    ready_ = true;
    first_line_.clear();
    handlers_.ready();
  }
}

void TensorboardRun::watch_memory(const os::FamilyRound& round) {
  if (!pid_.has_value() || options_.memory_limit_bytes == 0) {
    return;
  }
  const MemoryReader::Reading reading =
      memory_.read(deps_.processes.members(*pid_, round), {}, deps_.loop.now());
  if (reading.over) {
    over_memory_ = "it used " + format_bytes(reading.bytes) + " of memory; its limit is " +
                   format_bytes(options_.memory_limit_bytes);
    (void)deps_.processes.signal_group(*pid_, SIGKILL);
  }
}

std::string TensorboardRun::why_ended(const os::Exit& exit) const {
  if (!over_memory_.empty()) {
    return over_memory_;
  }
  std::string why = ready_ ? "" : last_line(log_.tail());
  if (why.empty()) {
    why = exit.signal ? "signal " + std::to_string(*exit.signal)
                      : "exit code " + std::to_string(exit.code.value_or(0));
  }
  return why;
}

}  // namespace muster::agent
