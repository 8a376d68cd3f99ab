#include "agent/tensorboard_run.h"

#include "base/text.h"

#include <csignal>
#include <utility>

namespace muster::agent {
namespace {

constexpr const char* kPathVariable = "MUSTER_TENSORBOARD_PATH";
constexpr std::string_view kReady = "muster: tensorboard is ready\n";

/// TensorBoard's own interface to programs. Its path comes by the environment: everybody on a host
/// may read command lines.
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

/// Without the names that say whose attempt a process is: it is not one of the attempt's own.
std::map<std::string, std::string> without_mark(std::map<std::string, std::string> environment) {
  std::erase_if(environment, [](const auto& entry) {
    return entry.first.starts_with("MUSTER_") && entry.first != "MUSTER_HOME";
  });
  // It draws curves: GPUs are the task's.
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
      log_(deps.files, options_.log, options_.rotation,
           [&loop = deps.loop] { return loop.wall_now(); }) {}

TensorboardRun::~TensorboardRun() {
  *alive_ = false;
  if (pid_.has_value()) {
    (void)deps_.processes.signal_group(*pid_, SIGKILL);
    deps_.processes.close_output(*pid_);
  }
}

Status TensorboardRun::start() {
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
  const auto guarded = [alive = alive_](auto&& call) {
    if (*alive) {
      call();
    }
  };
  MUSTER_TRY(
      pid_,
      deps_.processes.spawn(
          spawn,
          {.output = [this, guarded](
                         os::Stream stream,
                         std::string_view bytes) { guarded([&] { on_output(stream, bytes); }); },
           .exited = [this, guarded](const os::Exit& exit) { guarded([&] { on_exit(exit); }); }}));
  return {};
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

void TensorboardRun::watch_memory() {
  if (!pid_.has_value()) {
    return;
  }
  const os::Usage usage = deps_.meter.measure(deps_.processes.family(*pid_));
  if (usage.exact && usage.memory_bytes > options_.memory_limit_bytes) {
    over_memory_ = "it used " + format_bytes(usage.memory_bytes) + " of memory; it may use " +
                   format_bytes(options_.memory_limit_bytes);
    (void)deps_.processes.signal_group(*pid_, SIGKILL);
  }
}

void TensorboardRun::on_exit(const os::Exit& exit) {
  // What it started goes with it.
  (void)deps_.processes.signal_group(*pid_, SIGKILL);
  deps_.processes.close_output(*pid_);
  pid_.reset();
  std::string why = over_memory_.empty() ? last_line(log_.tail()) : over_memory_;
  if (why.empty() || ready_) {
    const std::string code = exit.signal ? "signal " + std::to_string(*exit.signal)
                                         : "exit code " + std::to_string(exit.code.value_or(0));
    why = over_memory_.empty() ? code : over_memory_;
  }
  handlers_.ended(std::move(why));
}

}  // namespace muster::agent
