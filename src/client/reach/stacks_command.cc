#include "base/text.h"
#include "client/commands.h"
#include "client/reach/job_streams.h"
#include "client/reach/own_py_spy.h"
#include "client/reach/reach_rules.h"
#include "client/reach/remote_command.h"
#include "client/reach/task_selection.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "eventlog/derive_plan.h"
#include "job/describe.h"
#include "os/process/signals.h"
#include "rt/io_loop.h"
#include "stacks/stack_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

constexpr size_t kAtOnce = 32;
/// Time to find the job's master; a task that is not running now has no stacks to show; a probe
/// takes 15 s at most, and its tool has to get there first.
constexpr Duration kAnswerWithin = std::chrono::seconds(15);
constexpr Duration kWaitForTask = std::chrono::seconds(1);
constexpr Duration kWaitForProbe = std::chrono::seconds(40);

bool misses_tool(const stacks::Report& report) {
  return std::ranges::any_of(report.processes, &stacks::Process::misses_py_spy);
}

/// Reads the stacks of tasks with one session in each, and a second one if the first lacked a tool
/// that is available here.
class StacksRun {
 public:
  StacksRun(Session& session, FoundJob job, StacksOptions options)
      : session_(session),
        job_(std::move(job)),
        options_(std::move(options)),
        streams_(session, job_.folder, loop_) {}
  ~StacksRun() {
    for (const Member& member : members_) {
      loop_.cancel(member.deadline);
    }
  }
  StacksRun(const StacksRun&) = delete;
  StacksRun& operator=(const StacksRun&) = delete;

  Result<int> run();

 private:
  struct Member {
    job::TaskId task;
    uint64_t stream = 0;
    std::unique_ptr<RemoteCommand> command;
    stacks::ReportReader reader;
    rt::TimerId deadline{};
    bool with_tool = false;
    size_t sent = 0;  ///< How much of the tool.
    bool done = false;
  };

  Status on_welcome(const wire::ClientWelcome& welcome);
  void on_frame(const wire::StreamFrame& frame);
  void on_lost(const std::string& why);
  void open_more();
  void open(Member& member);
  void send_tool(Member& member);
  void on_ended(Member& member);
  void fail_all(const Error& error) {
    failed_ = fail(session_.console, error);
    loop_.stop();
  }
  int show();

  Session& session_;
  FoundJob job_;
  StacksOptions options_;
  rt::IoLoop loop_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<job::Plan> plan_;
  std::optional<std::string> tool_;  ///< Read once some task has lacked it.
  std::deque<Member> members_;
  std::vector<std::unique_ptr<RemoteCommand>> over_;  ///< They may still be inside a call.
  std::optional<int> failed_;
  JobStreams streams_;
};

Result<int> StacksRun::run() {
  constexpr std::array kEnding = {SIGINT, SIGTERM, SIGHUP};
  MUSTER_TRY(signals_, os::take_signals(loop_, kEnding, [this](int signal) {
               failed_ = 128 + signal;
               loop_.stop();
             }));
  os::ignore_broken_pipes();
  MUSTER_TRY_STATUS(
      streams_.start({.patience = kAnswerWithin},
                     {.opened =
                          [this](const wire::ClientWelcome& welcome) {
                            if (const Status begun = on_welcome(welcome); !begun) {
                              fail_all(begun.error());
                            }
                          },
                      .frame = [this](const wire::StreamFrame& frame) { on_frame(frame); },
                      .lost = [this](const std::string& why) { on_lost(why); }}));
  loop_.run();
  return failed_ ? *failed_ : show();
}

Status StacksRun::on_welcome(const wire::ClientWelcome& welcome) {
  MUSTER_TRY(plan_, eventlog::derive_plan(welcome.plan_json, welcome.job_id, welcome.seed));
  MUSTER_TRY(const std::vector<job::TaskId> tasks, tasks_or_all(options_.tasks, *plan_));
  MUSTER_TRY_STATUS(check_reach(session_, spec::Reach::Debug, *plan_, tasks));
  for (const job::TaskId task : tasks) {
    members_.emplace_back().task = task;
  }
  open_more();
  return {};
}

void StacksRun::open_more() {
  auto open_now = static_cast<size_t>(std::ranges::count_if(
      members_, [](const Member& member) { return member.command != nullptr && !member.done; }));
  for (Member& member : members_) {
    if (member.command == nullptr && !member.done && open_now < kAtOnce) {
      ++open_now;
      open(member);
    }
  }
}

void StacksRun::open(Member& member) {
  wire::StreamOpen request;
  request.attempt = {member.task, 0};
  request.wait = kWaitForTask;
  wire::ExecRequest probe;
  probe.arguments = stacks::probe_command();
  if (options_.native) {
    probe.arguments.emplace_back("--native");
  }
  if (member.with_tool) {
    probe.arguments.emplace_back("--tool-from-stdin");
  }
  request.request = std::move(probe);
  member.reader = {};
  member.sent = 0;
  member.command = std::make_unique<RemoteCommand>(
      RemoteCommand::Handlers{.send =
                                  [this, &member](wire::StreamFrame::Kind kind) {
                                    streams_->send({member.stream, std::move(kind)});
                                  },
                              .waits = [](const std::string&) {},
                              .output =
                                  [&member](bool is_err, std::string_view bytes) {
                                    if (!is_err) {
                                      member.reader.take(bytes);
                                    }
                                  },
                              .room = [this, &member] { send_tool(member); },
                              .ended = [this, &member] { on_ended(member); }});
  loop_.cancel(member.deadline);
  member.deadline = loop_.call_after(kWaitForProbe, [this, &member] {
    member.deadline = {};
    streams_->send(
        {member.stream, wire::StreamReset{wire::StreamFault::Cancelled, "it takes too long"}});
    member.command->lose("its stacks were not read in time");
  });
  member.stream = streams_->open(request);
}

/// Sends the program that the probe is to use, as fast as it is taken; without one, only the end of
/// the input.
void StacksRun::send_tool(Member& member) {
  const std::string_view tool = member.with_tool ? std::string_view(*tool_) : std::string_view();
  while (member.sent < tool.size()) {
    const size_t room = member.command->room();
    if (room == 0) {
      return;
    }
    const std::string_view piece = tool.substr(member.sent, room);
    member.command->send_input(piece);
    member.sent += piece.size();
  }
  if (member.sent == tool.size()) {
    ++member.sent;  // The end is sent once.
    member.command->end_input();
  }
}

void StacksRun::on_frame(const wire::StreamFrame& frame) {
  const auto member = std::ranges::find(members_, frame.id, &Member::stream);
  if (member != members_.end() && member->command != nullptr) {
    member->command->take(frame);
    over_.clear();
  }
}

void StacksRun::on_lost(const std::string& why) {
  if (members_.empty()) {
    return fail_all(cluster_error(why));
  }
  for (Member& member : members_) {
    if (member.command != nullptr && !member.done) {
      member.command->lose(why);
    }
  }
  loop_.stop();
}

void StacksRun::on_ended(Member& member) {
  if (!member.with_tool && misses_tool(member.reader.report())) {
    tool_ = tool_ ? tool_ : own_py_spy(session_);
    if (!tool_->empty()) {
      member.with_tool = true;
      over_.push_back(std::move(member.command));
      open_more();
      return;
    }
  }
  member.done = true;
  open_more();
  if (std::ranges::all_of(members_, &Member::done)) {
    loop_.stop();
  }
}

int StacksRun::show() {
  std::vector<stacks::Subject> subjects;
  int status = 0;
  for (const Member& member : members_) {
    const std::string name = to_string(*plan_, member.task);
    const auto& tasks = job_.reading.state().tasks;
    const auto& attempts = tasks[member.task.role.value][member.task.index].attempts;
    const auto& end = member.command == nullptr ? std::nullopt : member.command->end();
    if (member.reader.report().processes.empty()) {
      const std::string why = end && !end->reason.empty() ? end->reason : "it has no process";
      session_.console.err(fmt::format(
          "muster: {}\n", why.starts_with(name) ? printable(why) : name + ": " + printable(why)));
      status = status == 0 && end && end->status != 0 ? end->status : status;
      continue;
    }
    subjects.push_back({.task = name,
                        .host = attempts.empty() ? "" : attempts.back().host.value,
                        .report = member.reader.report()});
  }
  if (subjects.empty()) {
    return status == 0 ? kCouldNotStart : status;
  }
  session_.console.out(options_.json ? stacks::to_json(subjects, job_.folder.id().value)
                                     : stacks::to_text(subjects));
  return 0;
}

}  // namespace

int show_stacks(Session& session, const StacksOptions& command) {
  Result<FoundJob> job = find_running_job(session, command.id, command.on);
  if (!job) {
    return fail(session.console, job.error());
  }
  const Result<int> status = StacksRun(session, *std::move(job), command).run();
  return status ? *status : fail(session.console, status.error());
}

}  // namespace muster::client
