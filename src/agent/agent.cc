#include "agent/agent.h"

#include "agent/outcome_file.h"
#include "base/check.h"
#include "base/overloaded.h"
#include "control/keys.h"

#include <algorithm>
#include <csignal>
#include <utility>
#include <variant>

namespace muster::agent {
namespace {

constexpr Duration kBeatBeforePlan = std::chrono::seconds(1);
constexpr Duration kFarewellMax = std::chrono::milliseconds(300);
constexpr Duration kFarewellLook = std::chrono::milliseconds(1);

}  // namespace

Agent::Agent(AgentDeps deps, AgentIdentity identity, Unpacker unpack,
             std::function<void(std::string)> done)
    : deps_(deps),
      job_(std::move(identity)),
      done_(std::move(done)),
      log_(deps.log),
      feed_({.send = [this](wire::Output piece) { line_->send(std::move(piece)); },
             .queued_bytes = [this] { return line_->queued_bytes(); }}),
      attempts_({deps, job_, feed_, *this, *this}, std::move(unpack)),
      samples_(deps.loop),
      usage_({deps.loop, deps.processes, attempts_, deps.meter, samples_, deps.gpus}),
      sessions_({deps.loop, deps.processes, log_, attempts_, deps.files,
                 [this]() -> const spec::Recording& { return job_.plan().spec.recording; },
                 deps.dialer, [this](wire::StreamFrame frame) { line_->send(std::move(frame)); }}),
      scope_(deps.loop) {}

Agent::~Agent() { deps_.loop.cancel(due_timer_); }

Status Agent::start() {
  const cluster::LaunchOrder& order = job_.order();
  const cluster::AgentLaunch& launch = job_.identity().launch;
  MUSTER_TRY(const control::Key key, control::parse_key(order.agent_key_hex));
  const control::Peer self{control::Peer::Kind::Agent, order.container};
  line_ = std::make_unique<MasterLine>(MasterLine::Deps{deps_.loop, deps_.transport, log_, *this},
                                       self, key);
  control::ListenOptions listen;
  listen.host = launch.listen_host;
  if (launch.network.port_range) {
    listen.port_low = launch.network.port_range->low;
    listen.port_high = launch.network.port_range->high;
  }
  DirectStreams& direct = sessions_.direct();
  direct.use_key(key);
  MUSTER_TRY_STATUS(line_->listen(
      listen, {.key_of = [&direct](const control::Peer& peer) { return direct.key_of(peer); },
               .accepted =
                   [&direct](std::unique_ptr<control::Channel> channel) {
                     direct.accept(std::move(channel));
                   }}));
  machine_.emplace(Machine::Settings{.container = order.container,
                                     .address = line_->address(),
                                     .epoch = order.epoch,
                                     .orphan = launch.orphan},
                   deps_.loop.now());
  search_ = std::make_unique<MasterSearch>(
      MasterSearch::Deps{deps_.loop, deps_.transport, log_, *line_, *this, deps_.starter}, self,
      key);
  search_->dial(order.master_address);
  schedule();
  return {};
}

void Agent::leave(Duration grace, std::string reason) {
  perform(machine_->leave(deps_.loop.now(), grace, std::move(reason)));
}

// ---- what masters say

wire::AgentHello Agent::hello() {
  const AgentIdentity& self = job_.identity();
  return {.report = machine_->report(deps_.loop.now()),
          .host_name = self.host_name,
          .pid = self.pid,
          .version = self.version,
          .fresh = !greeted_};
}

bool Agent::welcomed(const wire::MasterWelcome& welcome) {
  if (!machine_->welcome(welcome.epoch)) {
    return false;
  }
  machine_->connected();
  sessions_.master_gone();  // Those of the previous connection.
  if (!welcome.master_address.empty()) {
    search_->remember(welcome.master_address);
  }
  if (!std::exchange(greeted_, true)) {
    scope_.spawn(beat());
  }
  if (const Status learned = job_.learn(welcome); !learned.has_value()) {
    log_.error("agent.bad-plan", {{"error", learned.error().message}});
    perform(machine_->dismiss(deps_.loop.now(), learned.error().message));
    return true;
  }
  if (job_.has_plan()) {
    machine_->set_times(job_.plan().liveness.orphan, job_.plan().deadlines.stop);
  }
  log_.info("master.welcome", {{"epoch", welcome.epoch.value}});
  attempts_.boards().publish_all();
  attempts_.endpoints().publish_all();
  schedule();
  return true;
}

void Agent::received(wire::MasterFrame frame) {
  const HostTime now = deps_.loop.now();
  std::visit(
      Overloaded{
          [&](const wire::AgentOrder& order) { perform(machine_->order(now, order.action)); },
          [&](const wire::ViewPushed& pushed) {
            perform(machine_->push_view(pushed.view));
            if (machine_->view(pushed.view.generation) != nullptr) {
              attempts_.rewrite_views(pushed.view);
            }
          },
          [&](const wire::ReportAsked&) { line_->send(wire::Report{machine_->report(now)}); },
          [&](const wire::FollowOutput& order) { follow(order); },
          [&](const wire::CommitAnswered& answer) { attempts_.commit_answered(answer); },
          [&](wire::StreamFrame& frame) { sessions_.take(std::move(frame)); },
          [&](const wire::AgentDismissed& dismissed) {
            perform(machine_->dismiss(now, dismissed.reason));
          },
          [](const wire::MasterWelcome&) {},  // Handled by the line: see welcomed().
      },
      frame);
}

void Agent::closed(const Error& reason) {
  log_.info("master.closed", {{"reason", reason.message}});
  machine_->disconnected(deps_.loop.now());
  feed_.follow(false);
  sessions_.master_gone();
  schedule();
}

bool Agent::wants_master() const { return !machine_->leaving(); }

void Agent::job_over() { perform(machine_->dismiss(deps_.loop.now(), "the job has ended")); }

void Agent::follow(const wire::FollowOutput& order) {
  const bool begins = order.on && !feed_.following();
  feed_.follow(order.on);
  if (!begins && !order.again) {
    return;
  }
  attempts_.for_each_run([&](const TaskRun& run) {
    for (const wire::OutputStream stream :
         {wire::OutputStream::Stdout, wire::OutputStream::Stderr}) {
      if (const OutputLog* const output = run.output(stream); output != nullptr) {
        const std::string_view last = last_lines(output->tail(), order.tail_lines);
        const uint64_t offset = output->size_bytes() - last.size();
        const bool at_line_start = offset == 0 || last.size() < output->tail().size();
        feed_.repeat(deps_.loop.now(),
                     {run.names().attempt, stream, offset, 0, std::string(last), at_line_start});
      }
    }
  });
}

bool Agent::ask(const wire::CommitAsked& request) {
  line_->send(request);
  return line_->up();
}

job::Generation Agent::generation() const { return machine_->generation(); }

// ---- what becomes of attempts

void Agent::prepared(job::AttemptId attempt, job::Address address) {
  perform(machine_->prepared(attempt, std::move(address)));
}

void Agent::prepare_failed(job::AttemptId attempt, job::Failure failure) {
  perform(machine_->prepare_failed(attempt, std::move(failure), deps_.loop.now()));
}

void Agent::started(job::AttemptId attempt, int32_t pid) {
  perform(machine_->started(attempt, pid));
  usage_.attempt_started();
}

void Agent::start_failed(job::AttemptId attempt, job::Failure failure) {
  perform(machine_->start_failed(attempt, std::move(failure), deps_.loop.now()));
}

void Agent::ended(job::AttemptId attempt, job::Exit exit) {
  sessions_.attempt_over(attempt);
  usage_.attempt_ended(attempt, exit);
  if (line_->up()) {
    send_beat();  // Send the last samples before the end: nothing about an attempt may follow it.
  }
  perform(machine_->ended(attempt, std::move(exit), deps_.loop.now()));
}

void Agent::tell(job::Fact fact) { line_->send(wire::AgentFact{std::move(fact)}); }

void Agent::told(job::AttemptId attempt, std::vector<Told> values) {
  const WallTime now = deps_.loop.wall_now();
  for (Told& value : values) {
    const Duration age = now - metrics::middle_of_second(value.time_s);
    (void)samples_.add(attempt,
                       {.metric = {.name = std::move(value.name),
                                   .unit = std::move(value.unit),
                                   .kind = metrics::Kind::Gauge},
                        .value = value.value},
                       std::max(age, Duration::zero()));
  }
}

bool Agent::stopping(job::AttemptId attempt) const { return machine_->stopping(attempt); }

// ---- what the machine decides

void Agent::perform(Effects effects) {
  for (Effect& effect : effects) {
    std::visit(Overloaded{
                   [&](Tell& told) { tell(std::move(told.fact)); },
                   [&](const Prepare& wanted) { attempts_.prepare(wanted.order); },
                   [&](const Start& wanted) {
                     const job::View* const view = machine_->view(wanted.generation);
                     MUSTER_CHECK(view != nullptr, "started without its view");
                     attempts_.start(wanted.attempt, *view);
                   },
                   [&](const Interrupt& wanted) { attempts_.ask_to_end(wanted.attempt, SIGINT); },
                   [&](const Terminate& wanted) { attempts_.ask_to_end(wanted.attempt, SIGTERM); },
                   [&](const Kill& wanted) { attempts_.kill(wanted.attempt); },
                   [&](const Drop& wanted) { attempts_.drop(wanted.attempt); },
                   [&](const Quit& wanted) { quit(wanted.reason); },
               },
               effect);
  }
  attempts_.give_up_preparing([&](job::AttemptId id) {
    return machine_->phase(id).value_or(Phase::Ended) == Phase::Ended;
  });
  schedule();
}

void Agent::schedule() {
  deps_.loop.cancel(std::exchange(due_timer_, {}));
  const HostTime due = machine_->due();
  if (due == HostTime::max()) {
    return;
  }
  due_timer_ = deps_.loop.call_at(due, [this] {
    due_timer_ = {};
    perform(machine_->tick(deps_.loop.now()));
  });
}

void Agent::send_beat() {
  wire::Beat beat{++beats_, {}};
  if (line_->up()) {
    beat.samples = samples_.take();
  }
  line_->send(beat);
}

rt::Async<> Agent::beat() {
  while (true) {
    send_beat();
    co_await rt::pause_for(deps_.loop,
                           job_.has_plan() ? job_.plan().liveness.beat : kBeatBeforePlan);
  }
}

void Agent::quit(std::string reason) {
  log_.info("agent.leaves", {{"reason", reason}});
  if (!line_->up()) {
    const job::AgentReported report = machine_->report(deps_.loop.now());
    const Status written = write_outcome(deps_.files, job_, report, reason);
    if (!written.has_value()) {
      log_.warning("agent.outcome-not-written", {{"error", written.error().message}});
    }
  }
  line_->close();
  scope_.spawn(say_farewell(std::move(reason)));
}

/// Everything queued must be sent before this process exits.
rt::Async<> Agent::say_farewell(std::string reason) {
  const HostTime latest = deps_.loop.now() + kFarewellMax;
  while (line_->queued_bytes() > 0 && deps_.loop.now() < latest) {
    co_await rt::pause_for(deps_.loop, kFarewellLook);
  }
  done_(std::move(reason));
}

}  // namespace muster::agent
