#include "agent/attempt/attempts.h"

#include "agent/attempt/attempt_end.h"
#include "agent/attempt/attempt_start.h"
#include "base/check.h"
#include "base/text.h"
#include "framework/address_book.h"
#include "framework/tensorboard.h"
#include "job/side_program.h"
#include "verdict/classifier.h"

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kLastCommitSucceeded = std::chrono::minutes(1);
constexpr Duration kLastCommitFailed = std::chrono::seconds(10);
/// Close looks get half the time of all other looks (usage_watch.cc); together they take 0.3 % of a
/// core.
constexpr WatchBudget::Options kCloseLooks{.share_per_mille = 1};
constexpr Duration kLastCommitStopping = std::chrono::seconds(5);

/// The pages that the specification declares for this task; only the first task of a role has any.
std::map<std::string, job::TaskPage> declared_pages(const job::Plan& plan, job::TaskId task,
                                                    const job::Address& address) {
  std::map<std::string, job::TaskPage> pages;
  for (const auto& [name, page] : plan.spec.endpoints) {
    if (task.index != 0 || page.role != plan.role(task.role).name) {
      continue;
    }
    const auto named = address.named_ports.find(page.port);
    uint16_t number = 0;
    std::from_chars(page.port.data(), page.port.data() + page.port.size(), number);
    number = named != address.named_ports.end() ? named->second : number;
    if (number != 0) {
      pages[name] = {.port = number, .path = page.path};
    }
  }
  return pages;
}

}  // namespace

Attempts::Attempts(Deps deps, Unpacker unpack)
    : deps_(deps),
      log_(deps.host.log),
      preparer_(deps.host, deps.job, std::move(unpack)),
      checkpointer_({deps.host.loop, deps.host.files, log_, deps.commits}),
      close_looks_(kCloseLooks, deps.host.loop.now()),
      boards_(deps.host, deps.job, deps.feed, deps.observer, close_looks_),
      endpoints_({deps.host.loop, log_, deps.host.listeners, deps.observer}),
      programs_({.loop = deps.host.loop,
                 .files = deps.host.files,
                 .log = log_,
                 .open_socket = deps.host.open_line_socket,
                 .processes = [this](job::AttemptId id) { return processes_of(id); },
                 .told =
                     [this](job::AttemptId id, std::vector<Told> values) {
                       deps_.observer.told(id, std::move(values));
                     }}),
      scope_(deps.host.loop) {}

// ---- preparing

void Attempts::prepare(const job::PrepareAttempt& order) {
  entries_.try_emplace(order.attempt);
  scope_.spawn(prepare_one(order));
}

rt::Async<> Attempts::prepare_one(job::PrepareAttempt order) {
  const job::AttemptId id = order.attempt;
  if (!deps_.job.knows(id)) {
    entries_.erase(id);
    deps_.observer.prepare_failed(
        id, verdict::failure_of("agent.no_plan", "the master sent an order before the job's plan"));
    co_return;
  }
  const std::stop_token stop = entries_.at(id).stop.get_token();
  Result<Preparation> preparation = co_await preparer_.prepare(std::move(order), stop);
  Result<job::Address> address = preparation.has_value()
                                     ? reserve(entries_.at(id), std::move(*preparation))
                                     : std::move(preparation).error();
  if (address.has_value()) {
    deps_.observer.prepared(id, std::move(*address));
    co_return;
  }
  log_.warning("attempt.not-prepared",
               {{"attempt", deps_.job.stem_of(id)}, {"error", address.error().message}});
  if (!stop.stop_requested()) {
    write_why(id, address.error());
  }
  entries_.erase(id);
  deps_.observer.prepare_failed(id, failure_before_start(address.error()));
}

/// Returns why an attempt that never ran failed. The system's messages about exhausted memory,
/// processes and descriptors are the same ones that programs print, so the classifier recognises
/// them.
job::Failure Attempts::failure_before_start(const Error& error) {
  if (error.code == Errc::Other) {
    verdict::End end;
    end.exit.exit_code = 1;
    end.stderr_tail = error.message;
    verdict::Judgement judged = deps_.job.classifier().judge(end);
    if (judged.sure && judged.failure.kind == job::FailureKind::Resource) {
      return std::move(judged.failure);
    }
  }
  return preparation_failure(error);
}

Result<job::Address> Attempts::reserve(Entry& entry, Preparation preparation) {
  const job::PrepareAttempt& order = preparation.order;
  const job::AttemptId id = order.attempt;
  const job::RolePlan& role = deps_.job.role_of(id);
  const AgentDeps& host = deps_.host;
  AttemptMark mark{deps_.job.plan().job.value, role.name, id.task.index, id.number};
  entry.run = std::make_unique<TaskRun>(
      TaskRun::Deps{host.loop, host.files, host.processes, host.ports, host.meter, close_looks_,
                    host.leftovers, deps_.feed, host.cgroups},
      TaskRun::Names{id, std::move(mark), preparation.work_folder, deps_.job.log_stem(id)});
  const cluster::AgentLaunch& launch = deps_.job.identity().launch;
  auto address =
      entry.run->reserve({.host = launch.listen_host,
                          .range = launch.network.port_range,
                          .keep_port = order.keep_port != 0 ? order.keep_port : launch.task_port,
                          .names = role.ports});
  entry.preparation = std::move(preparation);
  return address;
}

void Attempts::give_up_preparing(const std::function<bool(job::AttemptId)>& unwanted) {
  for (auto& [id, entry] : entries_) {
    if (entry.run == nullptr && unwanted(id)) {
      entry.stop.request_stop();
    }
  }
}

void Attempts::drop(job::AttemptId id) {
  boards_.end(id);
  endpoints_.close(id);
  programs_.drop(id);
  entries_.erase(id);
}

/// Writes to the log of an attempt that never ran why it did not.
void Attempts::write_why(job::AttemptId id, const Error& error) {
  const std::string line = "muster: " + printable(error.message) + "\n";
  os::Files& files = deps_.host.files;
  std::string trouble;
  if (const Status made = files.make_folders(deps_.job.folder().logs()); made.has_value()) {
    const std::filesystem::path stem = deps_.job.log_stem(id);
    const OutputLog::Clock clock = [this] { return deps_.host.loop.wall_now(); };
    const OutputLog silent(files, std::filesystem::path(stem) += ".stdout", {}, clock);
    OutputLog told(files, std::filesystem::path(stem) += ".stderr", {}, clock);
    told.write(line);
    trouble = told.lost_bytes() > 0 ? told.trouble() : "";
  } else {
    trouble = made.error().message;
  }
  if (!trouble.empty()) {
    log_.error("output.lost", {{"attempt", deps_.job.stem_of(id)}, {"error", trouble}});
  }
  deps_.feed.remark(id, wire::OutputStream::Stderr, 0, line);
}

// ---- running

void Attempts::start(job::AttemptId id, const job::View& view) {
  const auto found = entries_.find(id);
  MUSTER_CHECK(found != entries_.end() && found->second.preparation,
               "started an attempt that was not prepared");
  Entry& entry = found->second;
  const Result<os::Pid> pid = launch(entry, view);
  Preparation preparation = *std::exchange(entry.preparation, std::nullopt);
  if (!pid.has_value()) {
    log_.warning("attempt.not-started",
                 {{"attempt", deps_.job.stem_of(id)}, {"error", pid.error().message}});
    write_why(id, pid.error());
    drop(id);
    deps_.observer.start_failed(id, failure_before_start(pid.error()));
    return;
  }
  if (preparation.mirrors()) {
    const job::Plan& plan = deps_.job.plan();
    checkpointer_.watch({id, plan.job, preparation.checkpoint, plan.spec.checkpoint.keep,
                         preparation.commit_folder(), std::move(preparation.checkpoint_look)});
  }
  log_.info("attempt.started", {{"attempt", deps_.job.stem_of(id)}, {"pid", pid->value}});
  deps_.observer.started(id, pid->value);
  endpoints_.declare(id, declared_pages(deps_.job.plan(), id.task, found->second.run->address()));
}

Result<os::Pid> Attempts::launch(Entry& entry, const job::View& view) {
  const job::AttemptId id = entry.preparation->order.attempt;
  MUSTER_TRY(TaskRun::StartOptions options,
             start_options(deps_.host.files, deps_.job, *entry.preparation, view));
  // A listener that sets neither reuse flag has already collided with our placeholder once, so
  // release the ports this time.
  const auto last = last_class_.find(id.task);
  options.release_ports = last != last_class_.end() && last->second == kPortInUse;
  if (job::has_side_program(deps_.job.plan(), id.task)) {
    boards_.start(*entry.run, options);
  }
  if (std::string address = endpoints_.open(id); !address.empty()) {
    options.environment["MUSTER_PUBLISH"] = std::move(address);
  }
  programs_.begin(*entry.run, options,
                  {.stem = deps_.job.stem_of(id),
                   .takes_unnamed = framework::serves_tensorboard(deps_.job.plan(), id.task)});
  return entry.run->start(std::move(options),
                          [this, id](const TaskRun::Ended& ended) { on_ended(id, ended); });
}

std::vector<os::Pid> Attempts::processes_of(job::AttemptId id) const {
  const TaskRun* const run = find(id);
  return run == nullptr ? std::vector<os::Pid>() : run->family().members();
}

TaskRun* Attempts::find(job::AttemptId id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : found->second.run.get();
}

void Attempts::ask_to_end(job::AttemptId id, int signal) {
  if (TaskRun* const run = find(id)) {
    run->ask_to_end(signal);
  }
}

void Attempts::kill(job::AttemptId id) {
  if (TaskRun* const run = find(id)) {
    run->kill();
  }
}

void Attempts::for_each_run(const std::function<void(TaskRun&)>& call) {
  for (const auto& [id, entry] : entries_) {
    if (entry.run != nullptr) {
      call(*entry.run);
    }
  }
}

void Attempts::rewrite_views(const job::View& view) {
  if (!deps_.job.has_plan()) {
    return;
  }
  const std::string text = framework::view_json(deps_.job.plan(), view);
  for_each_run([&](const TaskRun& run) {
    if (!run.running()) {
      return;
    }
    const Status written = deps_.host.files.write(run.names().work_folder / kViewFile, text);
    if (!written.has_value()) {
      log_.warning("view.not-written", {{"error", written.error().message}});
    }
  });
}

// ---- ending

void Attempts::on_ended(job::AttemptId id, const TaskRun::Ended& ended) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) {
    return;
  }
  boards_.end(id);
  endpoints_.close(id);
  const std::unique_ptr<TaskRun> run = std::move(found->second.run);
  entries_.erase(found);
  job::Exit exit = judge(deps_.job, *run, ended, deps_.observer.stopping(id));
  tell_lost_output(*run, exit);
  last_class_[id.task] = exit.failure ? exit.failure->class_name : "";
  log_.info("attempt.ended", {{"attempt", deps_.job.stem_of(id)},
                              {"code", exit.exit_code.value_or(-1)},
                              {"signal", exit.signal.value_or(0)},
                              {"class", last_class_[id.task]}});
  if (checkpointer_.watches(id) || programs_.has_more(id)) {
    scope_.spawn(end(id, std::move(exit)));
  } else {
    programs_.drop(id);
    deps_.observer.ended(id, std::move(exit));
  }
}

/// Waits for the last values that the attempt's program reported, which belong to the attempt, and
/// for its last checkpoint, which may be complete by now: only a running attempt may commit.
rt::Async<> Attempts::end(job::AttemptId id, job::Exit exit) {
  co_await programs_.finish(id);
  const Duration patience = deps_.observer.stopping(id) ? kLastCommitStopping
                            : exit.succeeded()          ? kLastCommitSucceeded
                                                        : kLastCommitFailed;
  if (checkpointer_.watches(id)) {
    co_await checkpointer_.finish(id, patience);
  }
  deps_.observer.ended(id, std::move(exit));
}

/// Reported once, to the followers and with the failure, if there is one. It never goes to standard
/// output, which may be somebody's data.
void Attempts::tell_lost_output(const TaskRun& run, job::Exit& exit) {
  const std::optional<LostOutput> lost = lost_output(run);
  if (!lost) {
    return;
  }
  const job::AttemptId id = run.names().attempt;
  log_.error(
      "output.lost",
      {{"attempt", deps_.job.stem_of(id)}, {"bytes", lost->bytes}, {"error", lost->trouble}});
  const OutputLog& output = *run.output(wire::OutputStream::Stderr);
  const bool amid_line = !output.tail().empty() && !output.tail().ends_with('\n');
  deps_.feed.remark(id, wire::OutputStream::Stderr, output.size_bytes(),
                    (amid_line ? "\n" : "") + lost->remark);
  if (exit.failure) {
    add_evidence(*exit.failure, lost->remark);
  }
}

}  // namespace muster::agent
