#include "os/process/loop_interactive_child.h"

#include "os/process/exit_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <utility>

namespace muster::os {
namespace {

constexpr size_t kReadBytes = 32U << 10;
/// The most that is read after the child's end: more than a pipe holds. Others may have the pipe
/// open and write forever.
constexpr size_t kRestBytes = 1U << 20;

struct TerminalPair {
  rt::Fd master;
  rt::Fd slave;
};

winsize to_winsize(WindowSize size) {
  winsize out{};
  out.ws_row = size.rows;
  out.ws_col = size.columns;
  return out;
}

Result<TerminalPair> open_terminal(WindowSize size) {
  TerminalPair pair;
  pair.master.reset(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  std::array<char, 64> name{};
  if (!pair.master.valid() || ::grantpt(pair.master.get()) != 0 ||
      ::unlockpt(pair.master.get()) != 0 ||
      ::ptsname_r(pair.master.get(), name.data(), name.size()) != 0) {
    return system_error(errno, "cannot create a terminal");
  }
  pair.slave.reset(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pair.slave.valid()) {
    return system_error(errno, "cannot open a new terminal");
  }
  const winsize window = to_winsize(size);
  (void)::ioctl(pair.slave.get(), TIOCSWINSZ, &window);
  // Makes the erase key remove all bytes of a character from the typed line, as in today's
  // terminals.
  termios settings{};
  if (::tcgetattr(pair.slave.get(), &settings) == 0) {
    settings.c_iflag |= IUTF8;
    (void)::tcsetattr(pair.slave.get(), TCSANOW, &settings);
  }
  return pair;
}

/// The part that outlives its owner until the child is reaped.
struct State : std::enable_shared_from_this<State> {
  State(rt::IoLoop& io, InteractiveChild::Handlers calls) : loop(io), handlers(std::move(calls)) {}

  /// One stream to read from.
  struct Source {
    rt::Fd fd;
    bool dry = false;   ///< The last read found nothing.
    bool hung = false;  ///< Nobody has the terminal open; somebody may open it again.
    std::unique_ptr<rt::FdWatch> watch;
  };

  rt::IoLoop& loop;
  InteractiveChild::Handlers handlers;
  Pid pid;
  bool has_terminal = false;
  rt::Fd input;
  std::deque<std::string> queue;  ///< Pending input.
  size_t front_sent = 0;
  bool input_ends = false;
  std::array<Source, 2> sources;
  size_t allowed = 0;
  std::optional<Exit> exit;
  size_t rest = kRestBytes;  ///< Left to read once the child has ended.
  bool told = false;
  std::unique_ptr<rt::FdWatch> input_watch;  // Watches last: they end before what they watch.
  std::unique_ptr<ExitWatch> exit_watch;

  void watch_source(size_t which);
  bool read_once(size_t which);
  void look();
  void flush();
  void drop_input();
  void on_exit();
  void tell_exit();
  void abandon();
};

void State::watch_source(size_t which) {
  Source& source = sources[which];
  if (!source.fd.valid() || allowed == 0 || source.hung) {
    source.watch.reset();
    return;
  }
  if (source.watch == nullptr) {
    source.watch =
        loop.watch(source.fd.get(), rt::Interest::Read, [this, which, self = weak_from_this()] {
          const std::shared_ptr<State> alive = self.lock();
          if (alive != nullptr) {
            (void)read_once(which);
            look();
          }
        });
  }
}

/// Returns false when there is nothing more for now.
bool State::read_once(size_t which) {
  Source& source = sources[which];
  if (!source.fd.valid() || allowed == 0) {
    return false;
  }
  std::array<char, kReadBytes> buffer;  // NOLINT: filled by read.
  const ssize_t got = ::read(source.fd.get(), buffer.data(), std::min(buffer.size(), allowed));
  if (got < 0 && errno == EINTR) {
    return true;
  }
  source.dry = got <= 0;
  if (got > 0) {
    rest -= exit.has_value() ? std::min(rest, static_cast<size_t>(got)) : 0;
    allowed = handlers.output(which == 0 ? Stream::Stdout : Stream::Stderr,
                              std::string_view(buffer.data(), static_cast<size_t>(got)));
    return true;
  }
  // A terminal that nobody has open fails with EIO.
  if (got == 0 || errno != EAGAIN) {
    source.watch.reset();
    source.hung = has_terminal;
    if (!has_terminal) {
      source.fd.reset();
    }
  }
  return false;
}

/// Watches the streams that may be read, and reports the exit when nothing is left.
void State::look() {
  const bool ended = exit.has_value();
  for (size_t which = 0; which < sources.size(); ++which) {
    while (ended && rest > 0 && read_once(which)) {
    }
    watch_source(which);
  }
  const bool done = rest == 0 || std::ranges::all_of(sources, [](const Source& source) {
                      return !source.fd.valid() || source.dry;
                    });
  if (ended && done) {
    tell_exit();
  }
}

void State::flush() {
  while (input.valid() && !queue.empty()) {
    const std::string& front = queue.front();
    const ssize_t put = ::write(input.get(), front.data() + front_sent, front.size() - front_sent);
    if (put < 0 && errno == EINTR) {
      continue;
    }
    if (put < 0 && errno == EAGAIN) {
      if (input_watch == nullptr) {
        input_watch = loop.watch(input.get(), rt::Interest::Write, [this, self = weak_from_this()] {
          const std::shared_ptr<State> alive = self.lock();
          if (alive != nullptr) {
            flush();
          }
        });
      }
      return;
    }
    if (put < 0) {
      drop_input();
      return;
    }
    front_sent += static_cast<size_t>(put);
    if (front_sent == front.size()) {
      queue.pop_front();
      front_sent = 0;
    }
    handlers.written(static_cast<size_t>(put));
  }
  input_watch.reset();
  if (input_ends) {
    input.reset();
  }
}

/// The child no longer reads, so what is queued has nowhere to go.
void State::drop_input() {
  input_watch.reset();
  input.reset();
  size_t lost = 0;
  for (const std::string& piece : queue) {
    lost += piece.size();
  }
  lost -= front_sent;
  queue.clear();
  front_sent = 0;
  if (lost > 0) {
    handlers.written(lost);
  }
}

void State::on_exit() {
  const std::shared_ptr<State> alive = shared_from_this();
  exit_watch.reset();
  loop.forget(this);
  auto reaped = try_reap(pid);
  exit = reaped.has_value() && reaped->has_value() ? **reaped : Exit{};
  if (told) {
    return;  // Its owner is gone.
  }
  drop_input();
  for (Source& source : sources) {
    source.dry = false;  // Its last output may not have been seen.
    source.hung = false;
  }
  look();
}

void State::tell_exit() {
  if (std::exchange(told, true)) {
    return;
  }
  for (Source& source : sources) {
    source.watch.reset();
    source.fd.reset();
  }
  // Posted, because this may run inside a call into the child, which the handler may destroy.
  loop.post([self = shared_from_this()] {
    const auto exited = std::move(self->handlers.exited);
    exited(*self->exit);
  });
}

/// The owner is gone. The loop keeps this until the child is reaped.
void State::abandon() {
  told = true;
  if (!exit.has_value()) {
    loop.keep(shared_from_this());
  }
  handlers = {.output = [](Stream, std::string_view) { return size_t{0}; },
              .written = [](size_t) {},
              .exited = [](const Exit&) {}};
  input_watch.reset();
  input.reset();
  for (Source& source : sources) {
    source.watch.reset();
    source.fd.reset();
  }
}

class LoopInteractiveChild final : public InteractiveChild {
 public:
  explicit LoopInteractiveChild(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~LoopInteractiveChild() override { state_->abandon(); }
  LoopInteractiveChild(const LoopInteractiveChild&) = delete;
  LoopInteractiveChild& operator=(const LoopInteractiveChild&) = delete;

  [[nodiscard]] Pid pid() const override { return state_->pid; }
  void write(std::string_view bytes) override {
    state_->queue.emplace_back(bytes);
    if (!state_->input.valid() || state_->input_ends) {
      state_->drop_input();
    } else if (state_->input_watch == nullptr) {
      state_->flush();
    }
  }
  void end_input() override {
    if (state_->input_ends) {
      return;
    }
    if (state_->has_terminal) {
      // Sends what the terminal's reader takes for the end; the terminal itself stays open.
      termios settings{};
      const bool known = ::tcgetattr(state_->input.get(), &settings) == 0;
      const char mark = known ? static_cast<char>(settings.c_cc[VEOF]) : '\x04';
      state_->queue.emplace_back(1, mark);
      if (state_->input_watch == nullptr) {
        state_->flush();
      }
      return;
    }
    state_->input_ends = true;
    if (state_->input_watch == nullptr) {
      state_->flush();
    }
  }
  void allow_output(size_t bytes) override {
    state_->allowed = bytes;
    state_->look();
  }
  void resize(WindowSize size) override {
    if (state_->has_terminal && state_->sources[0].fd.valid()) {
      const int terminal = state_->sources[0].fd.get();
      winsize before{};
      (void)::ioctl(terminal, TIOCGWINSZ, &before);
      const winsize window = to_winsize(size);
      (void)::ioctl(terminal, TIOCSWINSZ, &window);
      pid_t foreground = 0;
      if (before.ws_row == window.ws_row && before.ws_col == window.ws_col &&
          ::ioctl(terminal, TIOCGPGRP, &foreground) == 0 && foreground > 0) {
        (void)::kill(-foreground, SIGWINCH);  // The kernel signals only changes.
      }
    }
  }

 private:
  std::shared_ptr<State> state_;
};

}  // namespace

Result<std::unique_ptr<InteractiveChild>> spawn_interactive(rt::IoLoop& loop, SpawnOptions options,
                                                            std::optional<WindowSize> terminal,
                                                            InteractiveChild::Handlers handlers) {
  auto state = std::make_shared<State>(loop, std::move(handlers));
  state->has_terminal = terminal.has_value();
  TerminalPair pair;
  if (terminal) {
    MUSTER_TRY(pair, open_terminal(*terminal));
    options.stdin_from = ToFd{pair.slave.get()};
    options.stdout_to = ToFd{pair.slave.get()};
    options.stderr_to = ToFd{pair.slave.get()};
    options.grouping = Grouping::NewTerminalSession;
  } else {
    options.stdin_from = ToPipe{};
    options.stdout_to = ToPipe{};
    options.stderr_to = ToPipe{};
    options.grouping = Grouping::NewSession;
  }
  MUSTER_TRY(Spawned spawned, os::spawn(options));
  state->pid = spawned.pid;
  if (terminal) {
    state->input.reset(::fcntl(pair.master.get(), F_DUPFD_CLOEXEC, 3));
    state->sources[0].fd = std::move(pair.master);
  } else {
    state->input = std::move(spawned.stdin_pipe);
    state->sources[0].fd = std::move(spawned.stdout_pipe);
    state->sources[1].fd = std::move(spawned.stderr_pipe);
  }
  // The child is reaped even if nobody is interested any more: see abandon().
  auto exit_watch = watch_exit(loop, state->pid, [self = std::weak_ptr(state)] {
    if (const std::shared_ptr<State> alive = self.lock(); alive != nullptr) {
      alive->on_exit();
    }
  });
  if (!exit_watch.has_value()) {
    ::kill(state->pid.value, SIGKILL);  // A child whose end nobody would notice must not run.
    (void)reap(state->pid);
    return std::move(exit_watch).error();
  }
  state->exit_watch = std::move(*exit_watch);
  return std::make_unique<LoopInteractiveChild>(std::move(state));
}

}  // namespace muster::os
