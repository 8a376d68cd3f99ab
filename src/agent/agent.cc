#include "agent/agent.h"

#include "agent/preparation.h"
#include "base/check.h"
#include "base/text.h"
#include "control/keys.h"
#include "framework/address_book.h"
#include "framework/framework.h"
#include "framework/plan.h"
#include "spec/serialize.h"

#include <algorithm>
#include <array>
#include <utility>

namespace muster::agent {
namespace {

constexpr Duration kSeekBackOffLow = std::chrono::milliseconds(200);
constexpr Duration kSeekBackOffHigh = std::chrono::seconds(5);
constexpr Duration kWatchNormally = std::chrono::seconds(1);
constexpr Duration kWatchClosely = std::chrono::milliseconds(200);
constexpr uint64_t kBeatsPerSample = 5;

constexpr std::array kStreams = {wire::OutputStream::Stdout, wire::OutputStream::Stderr};

}  // namespace

Agent::Agent(AgentDeps deps, AgentIdentity identity, Unpacker unpack,
             std::function<void(std::string)> done)
    : deps_(deps),
      identity_(std::move(identity)),
      unpack_(std::move(unpack)),
      done_(std::move(done)),
      log_(deps.log),
      folder_(identity_.launch.job_folder),
      feed_({.send = [this](wire::Output piece) { line_->send(std::move(piece)); },
             .queued_bytes = [this] { return line_->queued_bytes(); }}),
      checkpointer_({deps.loop, deps.files, log_,
                     [this](const wire::CommitAsked& asked) {
                       line_->send(asked);
                       return line_->up();
                     },
                     [this] { return machine_->generation(); }}) {}

Agent::~Agent() {
  for (const rt::TimerId timer : {due_timer_, beat_timer_, watch_timer_, seek_timer_}) {
    deps_.loop.cancel(timer);
  }
  for (const auto& [id, preparation] : preparations_) {
    preparation->cancelled = true;
  }
}

Status Agent::start() {
  const cluster::LaunchOrder& order = identity_.launch.order;
  MUSTER_TRY(const control::Key key, control::parse_key(order.agent_key_hex));
  line_ = std::make_unique<MasterLine>(
      MasterLine::Deps{deps_.loop, deps_.transport, log_},
      control::Peer{control::Peer::Kind::Agent, order.container}, key,
      MasterLine::Handlers{
          .hello = [this] { return hello(); },
          .welcomed = [this](const wire::MasterWelcome& welcome) { return on_welcome(welcome); },
          .frame = [this](const wire::MasterFrame& frame) { on_frame(frame); },
          .closed = [this](const Error& reason) { on_line_closed(reason); },
          .unreachable = [this] { seek_master(); },
      });
  control::ListenOptions listen;
  listen.host = identity_.launch.listen_host;
  MUSTER_TRY_STATUS(line_->listen(listen));
  machine_.emplace(Machine::Settings{.container = order.container,
                                     .address = line_->address(),
                                     .epoch = order.epoch,
                                     .orphan = identity_.launch.orphan},
                   deps_.loop.now());
  line_->dial(order.master_address);
  schedule();
  return {};
}

void Agent::leave(Duration grace, std::string reason) {
  perform(machine_->leave(deps_.loop.now(), grace, std::move(reason)));
}

// ---- frames

wire::AgentHello Agent::hello() {
  return {.report = machine_->report(deps_.loop.now()),
          .host_name = identity_.host_name,
          .pid = identity_.pid,
          .version = identity_.version,
          .fresh = !greeted_};
}

bool Agent::on_welcome(const wire::MasterWelcome& welcome) {
  if (!machine_->welcome(welcome.epoch)) {
    return false;
  }
  greeted_ = true;
  machine_->connected();
  deps_.loop.cancel(std::exchange(seek_timer_, {}));
  seek_back_off_ = {};
  if (!welcome.secrets.empty()) {
    secrets_ = welcome.secrets;
  }
  if (!plan_ && !welcome.plan_json.empty()) {
    Status learned = learn_plan(welcome);
    if (!learned.has_value()) {
      log_.error("agent.bad-plan", {{"error", learned.error().message}});
      perform(machine_->dismiss(deps_.loop.now(), learned.error().message));
      return true;
    }
  }
  log_.info("master.welcome", {{"epoch", welcome.epoch.value}});
  for (const auto& [id, board] : boards_) {
    if (board->ready()) {
      publish_tensorboard(id);  // The master may have been away when it was.
    }
  }
  schedule();
  if (beat_timer_ == rt::TimerId{}) {
    beat();
  }
  return true;
}

Status Agent::learn_plan(const wire::MasterWelcome& welcome) {
  MUSTER_TRY(spec::Spec spec, spec::parse_json(welcome.plan_json));
  framework::PlanContext context;
  context.job = job::JobId{welcome.job_id};
  context.seed = welcome.seed;
  context.orphan = identity_.launch.orphan;
  MUSTER_TRY(job::Plan plan, framework::plan(spec, context));
  verdict::PythonContext python;
  python.module = framework::python_module(plan.spec.framework);
  python.client_python = welcome.client_python;
  MUSTER_TRY(verdict::Classifier classifier,
             verdict::Classifier::make(plan.spec.rules, std::move(python)));
  plan_ = std::move(plan);
  classifier_ = std::move(classifier);
  machine_->set_times(plan_->liveness.orphan, plan_->deadlines.stop);
  return {};
}

void Agent::on_frame(const wire::MasterFrame& frame) {
  const HostTime now = deps_.loop.now();
  if (const auto* order = std::get_if<wire::AgentOrder>(&frame)) {
    perform(machine_->order(now, order->action));
  } else if (const auto* pushed = std::get_if<wire::ViewPushed>(&frame)) {
    perform(machine_->push_view(pushed->view));
    rewrite_views(pushed->view);
  } else if (std::holds_alternative<wire::ReportAsked>(frame)) {
    line_->send(wire::Report{machine_->report(now)});
  } else if (const auto* order_follow = std::get_if<wire::FollowOutput>(&frame)) {
    follow(*order_follow);
  } else if (const auto* answer = std::get_if<wire::CommitAnswered>(&frame)) {
    checkpointer_.answered(*answer);
  } else if (const auto* dismissed = std::get_if<wire::AgentDismissed>(&frame)) {
    perform(machine_->dismiss(now, dismissed->reason));
  }
}

/// Tasks that live on find the newest view in their file; their environment is what it was.
void Agent::rewrite_views(const job::View& view) {
  if (!plan_ || machine_->view(view.generation) == nullptr) {
    return;
  }
  const std::string text = framework::view_json(*plan_, view);
  for (const auto& [id, run] : runs_) {
    if (!run->running()) {
      continue;
    }
    const Status written = deps_.files.write(run->names().work_folder / kViewFile, text);
    if (!written.has_value()) {
      log_.warning("view.not-written", {{"error", written.error().message}});
    }
  }
}

void Agent::on_line_closed(const Error& reason) {
  log_.info("master.closed", {{"reason", reason.message}});
  machine_->disconnected(deps_.loop.now());
  feed_.follow(false);
  schedule();
  seek_master();
}

void Agent::seek_master() {
  if (deps_.starter == nullptr || line_->up() || machine_->leaving() ||
      seek_timer_ != rt::TimerId{}) {
    return;
  }
  seek_back_off_ = std::clamp(seek_back_off_ * 2, kSeekBackOffLow, kSeekBackOffHigh);
  seek_timer_ = deps_.loop.call_after(seek_back_off_, [this] {
    seek_timer_ = {};
    seek_master();
  });
  const Result<cluster::MasterSought> sought = deps_.starter->seek();
  if (!sought.has_value()) {
    log_.warning("master.not-started", {{"error", sought.error().message}});
    return;
  }
  switch (sought->kind) {
    case cluster::MasterSought::Kind::Alive:
      if (!sought->address.empty()) {
        line_->dial(sought->address);
      }
      return;
    case cluster::MasterSought::Kind::Started:
      log_.info("master.started");
      return;
    case cluster::MasterSought::Kind::Over:
      perform(machine_->dismiss(deps_.loop.now(), "the job has ended"));
      return;
  }
}

void Agent::follow(const wire::FollowOutput& order) {
  if (order.on && !feed_.following()) {
    for (const auto& [id, run] : runs_) {
      for (const wire::OutputStream stream : kStreams) {
        const OutputLog* const output = run->output(stream);
        if (output == nullptr) {
          continue;
        }
        const std::string_view last = last_lines(output->tail(), order.tail_lines);
        if (!last.empty()) {
          line_->send(
              wire::Output{id, stream, output->size_bytes() - last.size(), 0, std::string(last)});
        }
      }
    }
  }
  feed_.follow(order.on);
}

// ---- timers

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

void Agent::beat() {
  wire::Beat beat{++beats_, {}};
  if (beats_ % kBeatsPerSample == 0) {
    for (const auto& [id, sample] : samples_) {
      beat.samples.push_back(sample);
    }
  }
  line_->send(beat);
  const Duration period = plan_ ? plan_->liveness.beat : Duration(std::chrono::seconds(1));
  beat_timer_ = deps_.loop.call_after(period, [this] { this->beat(); });
}

void Agent::watch_memory() {
  samples_.clear();
  bool closely = false;
  bool any = false;
  for (const auto& [id, run] : runs_) {
    if (const std::optional<wire::Sample> sample = run->watch_memory()) {
      samples_[id] = *sample;
      // Servers that nobody waits for are idle by nature.
      const bool awaited = role_of(id).success == spec::Success::Required;
      if (const auto silent = run->look_for_stall(*sample); silent && awaited) {
        log_.warning("attempt.stalled",
                     {{"attempt", stem_of(id)}, {"for", format_duration(*silent)}});
        line_->send(wire::AgentFact{job::AttemptStalled{id, *silent}});
      }
      any = true;
      closely = closely || run->near_limit();
    }
  }
  for (const auto& [id, board] : boards_) {
    board->watch_memory();
  }
  if (any) {
    watch_timer_ =
        deps_.loop.call_after(closely ? kWatchClosely : kWatchNormally, [this] { watch_memory(); });
  }
}

const job::RolePlan& Agent::role_of(job::AttemptId id) const { return plan_->role(id.task.role); }

std::string Agent::stem_of(job::AttemptId id) const {
  const bool known = plan_ && id.task.role.value < plan_->roles.size();
  return cluster::JobFolder::attempt_stem(known ? role_of(id).name : "unknown", id.task.index,
                                          id.number);
}

std::filesystem::path Agent::commit_folder(const Preparation& preparation) {
  return preparation.work_folder / ".muster-commit";
}

std::filesystem::path Agent::host_folder() const {
  // Some hosts are called by their port, too, and no entry of PATH may have a colon.
  std::string name = identity_.launch.order.host.value;
  std::ranges::replace(name, ':', '_');
  return folder_.root() / "hosts" / name;
}

bool Agent::on_yarn() const { return identity_.inherited.contains(kApplicationId); }

}  // namespace muster::agent
