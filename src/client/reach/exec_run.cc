#include "client/reach/exec_run.h"

#include "base/text.h"
#include "client/follow/line_show.h"
#include "client/reach/command_input.h"
#include "client/reach/command_output.h"
#include "client/reach/detach_keys.h"
#include "client/reach/job_streams.h"
#include "client/reach/own_terminal.h"
#include "client/reach/reach_rules.h"
#include "client/reach/remote_command.h"
#include "client/reach/task_selection.h"
#include "client/reach/typed_keys.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "eventlog/derive_plan.h"
#include "job/describe.h"
#include "os/host/limits.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

constexpr std::array kSignals = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGWINCH, SIGCONT};
/// This many interrupts within the window mean that the person wants to leave.
constexpr int kInterruptsToLeave = 3;
constexpr Duration kInterruptWindow = std::chrono::seconds(3);
/// How long to look for a master that does not answer while a shell waits: as long as agents live
/// without one.
constexpr Duration kShellPatience = std::chrono::minutes(15);

/// Returns the tasks that were named; without names, the chief or the first task.
Result<std::vector<job::TaskId>> chosen_tasks(const std::vector<std::string>& names,
                                              const job::Plan& plan) {
  if (names.empty()) {
    return std::vector<job::TaskId>{plan.chief.value_or(job::TaskId{job::RoleIndex(0), 0})};
  }
  return tasks_of(names, plan);
}

/// Runs one command in one or many tasks, in the foreground, until all have ended.
class ExecRun {
 public:
  ExecRun(Session& session, cluster::JobFolder folder, ExecPlan plan)
      : session_(session),
        plan_(std::move(plan)),
        output_(session.console, plan_.output, plan_.plain_errors),
        terminal_({.keys = STDIN_FILENO,
                   .screen = plan_.output,
                   .name = plan_.terminal ? plan_.terminal->name : ""}),
        streams_(session, std::move(folder), loop_) {}

  Result<int> run();

 private:
  struct Member {
    job::TaskId task;
    uint64_t stream = 0;       ///< 0: not opened yet.
    wire::StreamOpened shell;  ///< The shell's stream, if it is a shell, and how much it has shown.
    TypedKeys typed = {};      ///< For a shell: its connection may be lost along with some of them.
    std::unique_ptr<RemoteCommand> command;
  };

  void on_welcome(const wire::ClientWelcome& welcome);
  void on_broken(const std::string& why);
  void on_frame(const wire::StreamFrame& frame);
  void on_lost(const std::string& why);
  void open_more();
  void open(Member& member);
  void on_output(const Member& member, bool is_err, std::string_view bytes);
  void on_output_failed(int error);
  void on_opened(Member& member, const wire::StreamOpened& opened);
  void on_room(const Member& member);
  void on_ended(Member& member);
  void on_typed(const DetachWatch::Typed& typed, size_t bytes_read);
  void send_typed(Member& member);
  void on_input_ended();
  [[nodiscard]] wire::StreamRequest request_of(const Member& member) const;
  void pump_input();
  void end_input();
  void detach();
  void let_keys_wait();
  void tell_size();
  void tell_changed_size();
  void on_signal(int signal);
  void interrupt(int signal);
  void leave(int status);
  void fail_all(const Error& error);
  [[nodiscard]] bool alone() const { return members_.size() == 1; }
  [[nodiscard]] std::string name_of(const Member& member) const {
    return to_string(*job_, member.task);
  }
  void say(std::string_view text);
  [[nodiscard]] int status() const;

  Session& session_;
  ExecPlan plan_;
  rt::IoLoop loop_;
  CommandOutput
      output_;  ///< Used if there is one command. Before `signals_`, which takes signals over.
  std::unique_ptr<os::Signals> signals_;
  std::optional<job::Plan> job_;
  std::optional<LineShow> lines_;
  std::deque<Member> members_;
  OwnTerminal terminal_;
  std::optional<CommandInput> input_;
  std::optional<int> left_;  ///< The status, if nobody waits for the commands' own.
  std::vector<HostTime> interrupts_;
  bool lost_ = false;    ///< There will be no master any more.
  int interrupted_ = 0;  ///< The signal that commands were sent; from then on none begins.
  JobStreams streams_;
};

Result<int> ExecRun::run() {
  MUSTER_TRY(signals_,
             os::take_signals(loop_, kSignals, [this](int signal) { on_signal(signal); }));
  os::ignore_broken_pipes();
  JobStreams::Options options;
  options.patience = std::max(plan_.wait, Duration(std::chrono::seconds(1)));
  if (plan_.keeps) {
    options.patience = std::max(options.patience, kShellPatience);
    options.reconnects = true;
  }
  MUSTER_TRY_STATUS(streams_.start(
      options, {.opened = [this](const wire::ClientWelcome& welcome) { on_welcome(welcome); },
                .frame = [this](const wire::StreamFrame& frame) { on_frame(frame); },
                .lost = [this](const std::string& why) { on_lost(why); },
                .broken = [this](const std::string& why) { on_broken(why); }}));
  const os::CodePages pages(loop_);
  loop_.run();
  terminal_.return_keys();
  if (lines_) {
    lines_->finish();
  }
  if (!left_) {
    output_.flush();
  }
  output_.finish();
  return status();
}

// ---- the streams

void ExecRun::on_welcome(const wire::ClientWelcome& welcome) {
  if (!members_.empty()) {
    return open(members_.front());
  }
  Result<job::Plan> plan = eventlog::derive_plan(welcome.plan_json, welcome.job_id, welcome.seed);
  if (!plan) {
    return fail_all(plan.error());
  }
  job_ = *std::move(plan);
  const Result<std::vector<job::TaskId>> tasks = chosen_tasks(plan_.tasks, *job_);
  if (!tasks) {
    return fail_all(tasks.error());
  }
  if (const Status may = check_reach(session_, plan_.way, *job_, *tasks); !may) {
    return fail_all(may.error());
  }
  const bool for_one =
      plan_.terminal || plan_.input != STDIN_FILENO || plan_.output != STDOUT_FILENO;
  if (for_one && tasks->size() > 1) {
    return fail_all(user_error(fmt::format("{} has {}; name one, as in {}:0", plan_.tasks.front(),
                                           job::count_of(tasks->size(), "task"),
                                           job_->role(tasks->front().role).name)));
  }
  for (const job::TaskId task : *tasks) {
    members_.push_back({.task = task, .command = nullptr});
  }
  if (!alone()) {
    lines_.emplace(loop_, session_.console, *job_);
  } else if (plan_.reads_input) {
    input_.emplace(
        loop_,
        CommandInput::Options{.fd = plan_.input,
                              .bytes_max = plan_.input_bytes_max,
                              .detach_keys = plan_.keeps ? plan_.detach_keys : ""},
        CommandInput::Handlers{.typed = [this](const DetachWatch::Typed& typed,
                                               size_t bytes_read) { on_typed(typed, bytes_read); },
                               .ended = [this] { on_input_ended(); }});
  }
  open_more();
}

void ExecRun::open_more() {
  uint32_t open_now = static_cast<uint32_t>(std::ranges::count_if(
      members_, [](const Member& member) { return member.command && !member.command->end(); }));
  for (Member& member : members_) {
    if (member.command == nullptr && open_now < plan_.parallel && !left_ && !lost_ &&
        interrupted_ == 0) {
      ++open_now;
      open(member);
    }
  }
}

void ExecRun::open(Member& member) {
  const size_t window = plan_.direct ? wire::kStreamWindowMax : wire::kStreamWindow;
  member.command = std::make_unique<RemoteCommand>(
      RemoteCommand::Handlers{
          .send =
              [this, &member](wire::StreamFrame::Kind kind) {
                streams_->send({member.stream, std::move(kind)});
              },
          .waits = [this](const std::string& reason) { say("waiting: " + reason); },
          .output = [this, &member](bool is_err,
                                    std::string_view bytes) { on_output(member, is_err, bytes); },
          .opened = [this,
                     &member](const wire::StreamOpened& opened) { on_opened(member, opened); },
          .room = [this, &member] { on_room(member); },
          .ended = [this, &member] { on_ended(member); }},
      window);
  if (plan_.terminal) {
    plan_.terminal->size = terminal_.size().value_or(plan_.terminal->size);
  }
  member.stream = streams_->open({.attempt = {member.task, member.shell.attempt},
                                  .wait = member.shell.shell == 0 ? plan_.wait : kShellPatience,
                                  .request = request_of(member),
                                  .direct = plan_.direct,
                                  .window = window});
}

wire::StreamRequest ExecRun::request_of(const Member& member) const {
  if (member.shell.shell != 0) {
    return wire::JoinRequest{member.shell.shell, member.shell.position, plan_.terminal->size,
                             member.shell.typist};
  }
  if (plan_.join) {
    return wire::JoinRequest{*plan_.join, std::nullopt, plan_.terminal->size};
  }
  return wire::ExecRequest{plan_.arguments, plan_.terminal, plan_.keeps};
}

void ExecRun::on_opened(Member& member, const wire::StreamOpened& opened) {
  if (!plan_.preamble.empty()) {
    member.command->send_input(std::exchange(plan_.preamble, ""));
  }
  tell_changed_size();  // It may have changed while the task was waited for.
  if (plan_.terminal && job_->spec.recording.terminals) {
    say("everything this terminal shows is recorded");
  }
  if (!plan_.keeps || opened.shell == 0) {
    return;
  }
  const wire::StreamOpened before = std::exchange(member.shell, opened);
  const bool again = before.shell != 0;
  if (opened.typist != 0 && opened.typist == before.typist) {
    member.typed.resume(opened.typed);
  } else {
    member.typed.restart();
  }
  if (again && opened.lost > 0) {
    terminal_.reset();  // The lost part may contain what switched the terminal's modes back.
  }
  if (again) {
    say("connected again");
  } else {
    say(fmt::format("shell {} in {}{}", opened.shell, name_of(member),
                    plan_.detach_keys.empty()
                        ? ""
                        : fmt::format("; {} leaves it running", describe_keys(plan_.detach_keys))));
  }
  if (opened.lost > 0) {
    say(fmt::format("{} that it wrote meanwhile are no longer available",
                    format_bytes(opened.lost)));
  }
  terminal_.join(opened.modes);
}

void ExecRun::on_room(const Member& member) {
  if (plan_.terminal && member.command->running()) {
    terminal_.take();
    tell_changed_size();  // There may have been no room to send it before.
  }
  pump_input();
}

/// The shell goes on running; a new master is looked for.
void ExecRun::on_broken(const std::string& why) {
  Member& member = members_.front();
  if (member.shell.shell == 0) {
    return on_lost(why);
  }
  let_keys_wait();
  member.command.reset();
  session_.console.err("\n");
  say("the connection to the master was lost; the shell keeps running, and you will rejoin it, "
      "with anything you type meanwhile, as soon as there is a master; Ctrl-C leaves it");
}

void ExecRun::on_frame(const wire::StreamFrame& frame) {
  const auto member = std::ranges::find(members_, frame.id, &Member::stream);
  if (member == members_.end()) {
    return;
  }
  const bool ran = member->command->running();
  member->command->take(frame);
  if (!ran && member->command->running() && !input_) {
    member->command->end_input();
  }
}

void ExecRun::on_lost(const std::string& why) {
  if (members_.empty()) {
    return fail_all(cluster_error(why));
  }
  lost_ = true;
  bool goes_on = false;
  for (Member& member : members_) {
    if (member.command != nullptr && streams_->is_direct(member.stream)) {
      goes_on = true;
    } else if (member.command != nullptr) {
      member.command->lose(why);
    } else if (member.shell.shell != 0) {
      terminal_.give_back();
      say(why);
      left_ = left_.value_or(kClusterFailed);
    }
  }
  if (!goes_on) {
    loop_.stop();
  }
}

void ExecRun::on_output(const Member& member, bool is_err, std::string_view bytes) {
  if (lines_) {
    lines_->feed(member.task, is_err, bytes);
    if (session_.console.out_failed()) {
      on_output_failed(session_.console.out_errno());
    }
    return;
  }
  output_.write(is_err, bytes);
  if (plan_.terminal) {
    terminal_.shown(bytes);
  }
  if (is_err && plan_.plain_errors) {
    return;
  }
  if (!is_err && output_.failed()) {
    on_output_failed(output_.error());
  }
  if (!is_err && plan_.moved) {
    plan_.moved(bytes.size());
  }
  members_.front().shell.position += bytes.size();
}

/// A command run by hand would say so itself, and copies say where they cannot write.
void ExecRun::on_output_failed(int error) {
  const bool told = error == EPIPE || error == EAGAIN;
  if (!told && plan_.output == STDOUT_FILENO && !left_) {
    say(system_error(error, "cannot write to standard output").message);
  }
  leave(kReaderGone);
}

void ExecRun::on_ended(Member& member) {
  const RemoteEnd& end = *member.command->end();
  if (end.cut_off && member.shell.shell != 0 && !lost_) {
    // The connection between master and agent broke; the shell may be back when that is.
    let_keys_wait();
    session_.console.err("\n");
    say(end.reason + "; you will rejoin the shell if it is still running; Ctrl-C leaves it");
    loop_.post([this] {
      if (!left_) {
        open(members_.front());
      }
    });
    return;
  }
  if (alone()) {
    const bool amid_line = terminal_.taken() && !end.reason.empty();
    terminal_.give_back();
    if (amid_line) {  // It may be.
      session_.console.err("\n");
    }
  }
  if (!end.reason.empty()) {
    const bool named = alone() || end.reason.starts_with(name_of(member));
    say(named ? end.reason : fmt::format("{}: {}", name_of(member), end.reason));
  } else if (!alone() && end.status != 0) {
    say(fmt::format("{}: exited with {}", name_of(member), end.status));
  }
  open_more();
  if (std::ranges::all_of(members_, [this](const Member& each) {
        return each.command == nullptr ? lost_ || interrupted_ != 0
                                       : each.command->end().has_value();
      })) {
    loop_.stop();
  }
}

// ---- the person

void ExecRun::pump_input() {
  if (!input_ || input_->ended() || members_.front().command == nullptr ||
      !members_.front().command->running()) {
    return;
  }
  send_typed(members_.front());
  if (!members_.front().typed.all_sent()) {
    return input_->allow(0);
  }
  if (input_->exhausted()) {
    return end_input();
  }
  input_->allow(members_.front().command->room());
}

/// A raw terminal ends only when it is gone. The signal for that may come later, or never.
void ExecRun::on_input_ended() {
  if (terminal_.taken()) {
    leave(128 + SIGHUP);
  } else {
    end_input();
  }
}

void ExecRun::end_input() {
  input_->end();
  if (members_.front().command != nullptr) {
    members_.front().command->end_input();
  }
}

void ExecRun::on_typed(const DetachWatch::Typed& typed, size_t bytes_read) {
  if (members_.front().command == nullptr) {
    return;
  }
  // The signal of a change may come later than keys that were typed after the change.
  tell_changed_size();
  if (plan_.keeps) {
    members_.front().typed.add(typed.bytes);
    send_typed(members_.front());
  } else if (!typed.bytes.empty()) {
    members_.front().command->send_input(typed.bytes);
  }
  if (plan_.moved) {
    plan_.moved(bytes_read);
  }
  if (typed.detached) {
    return detach();
  }
  pump_input();
}

/// Sends as much as there is room for.
void ExecRun::send_typed(Member& member) {
  for (size_t room = member.command->room(); room > 0 && !member.typed.all_sent();
       room = member.command->room()) {
    const std::string_view part = member.typed.unsent(room);
    member.command->send_input(part);
    member.typed.sent(part.size());
  }
}

void ExecRun::detach() {
  terminal_.give_back();
  session_.console.err("\n");
  leave(0);
}

/// For a shell that cannot be reached now; Ctrl-C leaves it.
void ExecRun::let_keys_wait() {
  terminal_.let_keys_wait();
  if (input_) {
    input_->allow(0);
  }
}

void ExecRun::tell_size() {
  const std::optional<wire::TerminalSize> size = terminal_.size();
  if (plan_.terminal && size && !members_.empty() && members_.front().command != nullptr &&
      members_.front().command->resize(*size)) {
    plan_.terminal->size = *size;
  }
}

void ExecRun::tell_changed_size() {
  if (plan_.terminal && terminal_.size().value_or(plan_.terminal->size) != plan_.terminal->size) {
    tell_size();
  }
}

void ExecRun::on_signal(int signal) {
  if (signal == SIGWINCH) {
    tell_changed_size();
  } else if (signal == SIGCONT) {
    // The shell that started this program has had the terminal meanwhile.
    if (terminal_.taken()) {
      terminal_.renew();
      tell_size();  // Programs then redraw their screens.
    }
  } else {
    output_.hurry();
    if (signal == SIGHUP) {
      leave(128 + SIGHUP);
    } else {
      interrupt(signal);
    }
  }
}

/// Passes the signal to the commands; those that do not run yet never will. Nobody has to wait for
/// one that ignores it.
void ExecRun::interrupt(int signal) {
  const HostTime now = loop_.now();
  std::erase_if(interrupts_, [&](HostTime at) { return now - at > kInterruptWindow; });
  interrupts_.push_back(now);
  bool heard = false;
  for (Member& member : members_) {
    if (member.command != nullptr && member.command->running()) {
      member.command->signal(signal);
      heard = true;
    }
  }
  if (heard) {
    interrupted_ = signal;
    for (Member& member : members_) {
      if (member.command != nullptr && !member.command->running()) {
        member.command->cancel("interrupted before it began", 128 + signal);
      }
    }
  }
  if (heard && plan_.input_bytes_max) {
    // A shell that is about to start the reading program gets the signal only after that program
    // ends.
    end_input();
  }
  if (!heard) {
    leave(128 + signal);
  } else if (interrupts_.size() >= kInterruptsToLeave) {
    if (!plan_.keeps) {
      say("detached; the command gets SIGHUP");
    }
    leave(128 + signal);
  }
}

/// When the connection ends, so do the streams, and the commands with them.
void ExecRun::leave(int status) {
  left_ = left_.value_or(status);
  if (plan_.keeps && !members_.empty() && members_.front().shell.shell != 0) {
    terminal_.give_back();
    const Member& member = members_.front();
    say(fmt::format("shell {} of {} keeps running; `muster shell {} {} --join {}` returns to it",
                    member.shell.shell, name_of(member), streams_.folder().id().value,
                    name_of(member), member.shell.shell));
  }
  loop_.stop();
}

void ExecRun::fail_all(const Error& error) { leave(fail(session_.console, error)); }

void ExecRun::say(std::string_view text) {
  session_.console.err(fmt::format("muster: {}\n", printable(text)));
}

/// Returns the status of the first task, in order, whose command did not succeed.
int ExecRun::status() const {
  if (left_) {
    return *left_;
  }
  for (const Member& member : members_) {
    if (member.command == nullptr || !member.command->end()) {
      return interrupted_ != 0 ? 128 + interrupted_ : kCouldNotStart;
    }
    if (member.command->end()->status != 0) {
      return member.command->end()->status;
    }
  }
  return 0;
}

}  // namespace

int run_in_tasks(Session& session, const std::string& job, const std::string& on,
                 const ExecPlan& plan) {
  os::raise_descriptor_limit();
  const Result<cluster::JobEntry> entry = find_running_entry(session, job, on);
  if (!entry) {
    return fail(session.console, entry.error());
  }
  const Result<int> status = ExecRun(session, entry->folder, plan).run();
  return status ? *status : fail(session.console, status.error());
}

Answer ask_task(Session& session, const std::string& job, const std::string& on, ExecPlan plan) {
  const rt::Fd file(::memfd_create("answer", MFD_CLOEXEC));
  plan.reads_input = false;
  plan.output = file.get();
  plan.plain_errors = true;
  Answer answer;
  answer.status = run_in_tasks(session, job, on, plan);
  std::array<char, 1024> text{};
  const ssize_t size = answer.status == 0 ? ::pread(file.get(), text.data(), text.size(), 0) : 0;
  answer.text = trim({text.data(), static_cast<size_t>(std::max<ssize_t>(size, 0))});
  return answer;
}

}  // namespace muster::client
