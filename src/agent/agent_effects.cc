#include "agent/agent.h"
#include "agent/hadoop_classpath.h"
#include "agent/interpreter.h"
#include "agent/preparation.h"
#include "agent/redaction.h"
#include "agent/shell_command.h"
#include "base/check.h"
#include "base/text.h"
#include "job/side_program.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kFarewellMax = std::chrono::milliseconds(300);
constexpr Duration kFarewellLook = std::chrono::milliseconds(1);
constexpr Duration kFirstWatch = std::chrono::milliseconds(200);
constexpr Duration kLastCommitSucceeded = std::chrono::minutes(1);
constexpr Duration kLastCommitFailed = std::chrono::seconds(10);
constexpr Duration kLastCommitStopping = std::chrono::seconds(5);
constexpr size_t kEvidenceMax = 4096;

constexpr std::array kStreams = {wire::OutputStream::Stdout, wire::OutputStream::Stderr};

}  // namespace

Status Agent::Preparation::place(os::Files& files, Placement placement) {
  MUSTER_TRY_STATUS(files.make_folders(work_folder));
  MUSTER_TRY_STATUS(placement.place(settings.files, work_folder));
  if (settings.python) {
    MUSTER_TRY(python_folder, placement.place_python(*settings.python, host_folder / "python"));
  }
  if (hadoop_of != nullptr) {
    class_path = hadoop_classpath(files, *hadoop_of);
  }
  if (anew) {
    MUSTER_TRY_STATUS(clear_checkpoint(files, checkpoint));
  }
  if (checkpoint.store != nullptr && order.restore) {
    MUSTER_TRY(restored, restore_checkpoint(files, checkpoint));
  }
  MUSTER_TRY_STATUS(files.make_folders(checkpoint.folder));
  if (checkpoint.store != nullptr && checkpoint.owner) {
    MUSTER_TRY(checkpoint_look, look_at(files, checkpoint.folder));
  }
  return {};
}

void Agent::perform(Effects effects) {
  for (Effect& effect : effects) {
    perform_one(effect);
  }
  for (const auto& [id, preparation] : preparations_) {
    preparation->cancelled = machine_->phase(id).value_or(Phase::Ended) == Phase::Ended;
  }
  schedule();
}

void Agent::perform_one(Effect& effect) {
  if (auto* tell = std::get_if<Tell>(&effect)) {
    line_->send(wire::AgentFact{std::move(tell->fact)});
  } else if (const auto* prepare_effect = std::get_if<Prepare>(&effect)) {
    prepare(prepare_effect->order);
  } else if (const auto* start = std::get_if<Start>(&effect)) {
    start_attempt(start->attempt, start->generation);
  } else if (const auto* terminate = std::get_if<Terminate>(&effect)) {
    if (const auto run = runs_.find(terminate->attempt); run != runs_.end()) {
      run->second->ask_to_end();
    }
  } else if (const auto* kill = std::get_if<Kill>(&effect)) {
    if (const auto run = runs_.find(kill->attempt); run != runs_.end()) {
      run->second->kill();
    }
  } else if (const auto* drop = std::get_if<Drop>(&effect)) {
    boards_.erase(drop->attempt);
    runs_.erase(drop->attempt);
    preparations_.erase(drop->attempt);
  } else if (const auto* leaving = std::get_if<Quit>(&effect)) {
    quit(leaving->reason);
  }
}

void Agent::prepare(const job::PrepareAttempt& order) {
  if (!plan_ || order.attempt.task.role.value >= plan_->roles.size()) {
    job::Failure failure =
        verdict::failure_of("agent.no_plan", "the master sent an order before the job's plan");
    deps_.loop.post([this, id = order.attempt, failure = std::move(failure)]() mutable {
      perform(machine_->prepare_failed(id, std::move(failure), deps_.loop.now()));
    });
    return;
  }
  const spec::Role* const role = spec::find_role(plan_->spec, role_of(order.attempt).name);
  MUSTER_CHECK(role != nullptr, "the plan has a role that its spec lacks");
  auto preparation = std::make_shared<Preparation>();
  preparation->order = order;
  preparation->settings = spec::settings_of(plan_->spec, *role);
  preparation->work_folder = folder_.work() / stem_of(order.attempt);
  preparation->host_folder = host_folder();
  Result<CheckpointPlace> checkpoint =
      checkpoint_place({.files = deps_.files,
                        .open = deps_.open_checkpoints,
                        .host_folder = host_folder(),
                        .writer = identity_.launch.order.container.value},
                       *plan_, order.attempt.task);
  if (on_yarn() && !class_path_ && !preparation->settings.env.contains("SKIP_HADOOP_PATH")) {
    preparation->hadoop_of = &identity_.inherited;
  }
  preparations_[order.attempt] = preparation;
  if (!checkpoint.has_value()) {
    preparation->placed = checkpoint.error();
    deps_.loop.post([this, preparation] { finish_preparation(preparation); });
    return;
  }
  preparation->checkpoint = std::move(*checkpoint);
  preparation->anew = starts_anew(*plan_, order.attempt, preparation->checkpoint);
  auto work = [preparation, &files = deps_.files, unpack = unpack_, logs = folder_.logs()] {
    preparation->placed = files.make_folders(logs);
    if (preparation->placed.has_value()) {
      preparation->placed =
          preparation->place(files, Placement(files, unpack, preparation->cancelled));
    }
  };
  deps_.loop.run_blocking(std::move(work),
                          [this, preparation] { finish_preparation(preparation); });
}

void Agent::finish_preparation(std::shared_ptr<Preparation> preparation) {
  const job::AttemptId id = preparation->order.attempt;
  const job::RolePlan& role = role_of(id);
  if (preparation->restored) {
    log_.info("checkpoint.restored",
              {{"attempt", stem_of(id)}, {"number", *preparation->restored}});
  }
  if (preparation->hadoop_of != nullptr) {
    class_path_ = preparation->class_path;
  }
  Result<job::Address> address = job::Address{};
  if (!preparation->placed.has_value()) {
    address = preparation->placed.error();
  } else {
    AttemptMark mark{plan_->job.value, role.name, id.task.index, id.number};
    auto run = std::make_unique<TaskRun>(
        TaskRun::Deps{deps_.loop, deps_.files, deps_.processes, deps_.ports, deps_.meter,
                      deps_.leftovers, feed_, deps_.cgroups},
        TaskRun::Names{id, std::move(mark), preparation->work_folder,
                       folder_.logs() / stem_of(id)});
    address = run->reserve(identity_.launch.listen_host, preparation->order.keep_port, role.ports);
    runs_[id] = std::move(run);
  }
  if (address.has_value()) {
    perform(machine_->prepared(id, std::move(*address)));
    return;
  }
  log_.warning("attempt.not-prepared",
               {{"attempt", stem_of(id)}, {"error", address.error().message}});
  if (!preparation->cancelled) {
    leave_word(id, address.error());
  }
  runs_.erase(id);
  preparations_.erase(id);
  perform(machine_->prepare_failed(id, preparation_failure(address.error()), deps_.loop.now()));
}

void Agent::start_attempt(job::AttemptId id, job::Generation generation) {
  const auto run = runs_.find(id);
  const auto preparation = preparations_.find(id);
  MUSTER_CHECK(run != runs_.end() && preparation != preparations_.end(),
               "started what was not prepared");
  const std::shared_ptr<Preparation> prepared = preparation->second;
  Result<os::Pid> pid = launch(*run->second, *prepared, generation);
  preparations_.erase(id);
  if (pid.has_value()) {
    if (prepared->checkpoint.store != nullptr && prepared->checkpoint.owner) {
      checkpointer_.watch({id, plan_->job, prepared->checkpoint, plan_->spec.checkpoint.keep,
                           commit_folder(*prepared), std::move(prepared->checkpoint_look)});
    }
    log_.info("attempt.started", {{"attempt", stem_of(id)}, {"pid", pid->value}});
    perform(machine_->started(id, pid->value));
    deps_.loop.cancel(watch_timer_);
    watch_timer_ = deps_.loop.call_after(kFirstWatch, [this] { watch_memory(); });
    return;
  }
  log_.warning("attempt.not-started", {{"attempt", stem_of(id)}, {"error", pid.error().message}});
  leave_word(id, pid.error());
  boards_.erase(id);
  runs_.erase(id);
  perform(machine_->start_failed(id, preparation_failure(pid.error()), deps_.loop.now()));
}

Result<os::Pid> Agent::launch(TaskRun& run, const Preparation& preparation,
                              job::Generation generation) {
  const job::AttemptId id = preparation.order.attempt;
  const job::View* const view = machine_->view(generation);
  MUSTER_CHECK(view != nullptr, "started without its view");
  EnvironmentSources sources;
  sources.plan = &*plan_;
  sources.view = view;
  sources.order = preparation.order;
  sources.work_folder = run.names().work_folder;
  sources.checkpoint_folder = preparation.checkpoint.folder;
  sources.view_file = run.names().work_folder / kViewFile;
  sources.python_folder = preparation.python_folder;
  sources.class_path = class_path_.value_or("");
  sources.gpus = identity_.launch.gpus;
  sources.inherited = &identity_.inherited;
  sources.secrets = &secrets_;
  if (preparation.checkpoint.store != nullptr) {
    sources.program_folder = host_folder() / ".muster" / "bin";
    sources.commit_folder = preparation.checkpoint.owner ? commit_folder(preparation) : "";
    MUSTER_TRY_STATUS(deps_.files.make_folders(sources.program_folder));
    MUSTER_TRY_STATUS(deps_.files.write(sources.program_folder / "muster-commit", commit_program(),
                                        {.mode = 0755}));
  }
  MUSTER_TRY(TaskEnvironment environment, make_environment(sources));
  MUSTER_TRY_STATUS(deps_.files.write(sources.view_file, environment.view_text));
  TaskRun::StartOptions options;
  const std::string& path = environment.variables["PATH"];
  const std::filesystem::path& folder = run.names().work_folder;
  options.command = shell_command(deps_.files, preparation.settings.command, path, folder);
  options.python = python_of(deps_.files, options.command, path, folder);
  options.environment = std::move(environment.variables);
  options.rotation = {plan_->spec.logs.max, plan_->spec.logs.keep};
  options.memory_limit_bytes = role_of(id).resources.memory_bytes;
  // A listener that sets neither reuse flag has met our placeholder once: do not stand in its way
  // again.
  const auto last = last_class_.find(id.task);
  options.release_ports = last != last_class_.end() && last->second == kPortInUse;
  if (job::has_side_program(*plan_, id.task)) {
    start_tensorboard(run, options);
  }
  return run.start(std::move(options),
                   [this, id](const TaskRun::Ended& ended) { on_task_ended(id, ended); });
}

void Agent::on_task_ended(job::AttemptId id, const TaskRun::Ended& ended) {
  const auto found = runs_.find(id);
  if (found == runs_.end()) {
    return;
  }
  boards_.erase(id);
  const std::unique_ptr<TaskRun> run = std::move(found->second);
  runs_.erase(found);
  job::Exit exit = judge(id, ended, *run);
  tell_lost_output(*run, exit);
  last_class_[id.task] = exit.failure ? exit.failure->class_name : "";
  log_.info("attempt.ended", {{"attempt", stem_of(id)},
                              {"code", exit.exit_code.value_or(-1)},
                              {"signal", exit.signal.value_or(0)},
                              {"class", last_class_[id.task]}});
  if (!checkpointer_.watches(id)) {
    tell_ended(id, std::move(exit));
    return;
  }
  // Its last checkpoint may be complete by now, and only a running attempt may commit.
  const Duration patience = machine_->stopping(id) ? kLastCommitStopping
                            : exit.succeeded()     ? kLastCommitSucceeded
                                                   : kLastCommitFailed;
  checkpointer_.finish(id, patience, [this, id, exit = std::move(exit)]() mutable {
    tell_ended(id, std::move(exit));
  });
}

void Agent::tell_ended(job::AttemptId id, job::Exit exit) {
  perform(machine_->ended(id, std::move(exit), deps_.loop.now()));
}

/// Output that the disk did not take: said once, to those who follow, and with the failure if it is
/// one.
void Agent::tell_lost_output(const TaskRun& run, job::Exit& exit) {
  const job::AttemptId id = run.names().attempt;
  uint64_t lost = 0;
  const OutputLog* last = nullptr;
  wire::OutputStream last_stream = wire::OutputStream::Stdout;
  for (const wire::OutputStream stream : kStreams) {
    const OutputLog& output = *run.output(stream);
    if (output.lost_bytes() > 0) {
      lost += output.lost_bytes();
      last = &output;
      last_stream = stream;
    }
  }
  if (last == nullptr) {
    return;
  }
  log_.error("output.lost",
             {{"attempt", stem_of(id)}, {"bytes", lost}, {"error", last->trouble()}});
  const std::string text = "(" + format_bytes(lost) +
                           " of its output are not in its log: " + printable(last->trouble()) +
                           ")\n";
  const bool amid_line = !last->tail().empty() && !last->tail().ends_with('\n');
  feed_.remark(id, last_stream, last->size_bytes(), (amid_line ? "\n" : "") + text);
  if (exit.failure) {
    std::string& evidence = exit.failure->evidence;
    evidence.resize(std::min(evidence.size(), kEvidenceMax - std::min(text.size(), kEvidenceMax)));
    evidence += (evidence.empty() || evidence.ends_with('\n') ? "" : "\n") + text;
  }
}

/// The log of an attempt that never ran says why.
void Agent::leave_word(job::AttemptId id, const Error& error) {
  const std::string line = "muster: " + printable(error.message) + "\n";
  const Status made = deps_.files.make_folders(folder_.logs());
  if (made.has_value()) {
    const std::filesystem::path stem = folder_.logs() / stem_of(id);
    const OutputLog::Clock clock = [this] { return deps_.loop.wall_now(); };
    OutputLog silent(deps_.files, std::filesystem::path(stem) += ".stdout", {}, clock);
    OutputLog words(deps_.files, std::filesystem::path(stem) += ".stderr", {}, clock);
    words.write(line);
    if (words.lost_bytes() > 0) {
      log_.error("output.lost", {{"attempt", stem_of(id)}, {"error", words.trouble()}});
    }
  } else {
    log_.error("output.lost", {{"attempt", stem_of(id)}, {"error", made.error().message}});
  }
  feed_.remark(id, wire::OutputStream::Stderr, 0, line);
}

job::Exit Agent::judge(job::AttemptId id, const TaskRun::Ended& ended, const TaskRun& run) {
  job::Exit exit;
  exit.exit_code = ended.exit.code;
  exit.signal = ended.exit.signal;
  if (!exit.exit_code && !exit.signal) {
    exit.exit_code = 255;  // Somebody else reaped it: how it ended is not known.
  }
  exit.over_memory = ended.over_memory;
  exit.memory_peak_bytes = ended.memory_peak_bytes;
  if (exit.succeeded() && !exit.over_memory) {
    return exit;
  }
  if (exit.over_memory) {
    exit.failure = verdict::failure_of("memory.limit", ended.memory_evidence);
    return exit;
  }
  verdict::End end;
  end.exit = exit;
  end.stopped = machine_->stopping(id);
  // Evidence goes into the event log, the summary and onto screens: no secret may be in it.
  const std::string stdout_tail = redact(run.output(wire::OutputStream::Stdout)->tail(), secrets_);
  const std::string stderr_tail = redact(run.output(wire::OutputStream::Stderr)->tail(), secrets_);
  end.stdout_tail = stdout_tail;
  end.stderr_tail = stderr_tail;
  end.python = run.python();
  exit.failure = classifier_->classify(end);
  return exit;
}

void Agent::quit(const std::string& reason) {
  log_.info("agent.leaves", {{"reason", reason}});
  if (!line_->up()) {
    write_outcome(reason);
  }
  line_->close();
  wait_for_farewell(reason, deps_.loop.now() + kFarewellMax);
}

/// What is queued has to leave before this process may.
void Agent::wait_for_farewell(const std::string& reason, HostTime latest) {
  if (line_->queued_bytes() == 0 || deps_.loop.now() >= latest) {
    deps_.loop.post([this, reason] { done_(reason); });
    return;
  }
  deps_.loop.call_after(kFarewellLook,
                        [this, reason, latest] { wait_for_farewell(reason, latest); });
}

void Agent::write_outcome(const std::string& reason) {
  std::string text = "{\"container\": " + json_quote(identity_.launch.order.container.value) +
                     ", \"reason\": " + json_quote(reason) + ", \"attempts\": [";
  bool first = true;
  for (const job::AttemptReport& attempt : machine_->report(deps_.loop.now()).attempts) {
    if (!attempt.exit) {
      continue;
    }
    text += first ? "" : ", ";
    first = false;
    text +=
        "{\"attempt\": " + json_quote(stem_of(attempt.attempt)) + ", \"exit_code\": " +
        (attempt.exit->exit_code ? std::to_string(*attempt.exit->exit_code) : "null") +
        ", \"signal\": " + (attempt.exit->signal ? std::to_string(*attempt.exit->signal) : "null") +
        ", \"class\": " +
        json_quote(attempt.exit->failure ? attempt.exit->failure->class_name : "") + "}";
  }
  text += "]}\n";
  const std::filesystem::path path =
      folder_.containers() / (identity_.launch.order.container.value + ".outcome.json");
  Status written = deps_.files.make_folders(folder_.containers(), 0700);
  if (written.has_value()) {
    written = deps_.files.write(path, text);
  }
  if (!written.has_value()) {
    log_.warning("agent.outcome-not-written", {{"error", written.error().message}});
  }
}

}  // namespace muster::agent
