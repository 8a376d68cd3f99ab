#include "client/show/job_watch.h"

#include "job/describe.h"

#include <algorithm>
#include <variant>

namespace muster::client {
namespace {

constexpr size_t kHistorySeconds = 120;

}  // namespace

void put_usage(TopUsage& usage, const metrics::Metric& metric, double value) {
  const std::string& name = metric.name;
  const auto is = [&name](metrics::Builtin id) { return name == metrics::describe(id).name; };
  if (is(metrics::Builtin::ContainerCpuUsage)) {
    usage.cpu = value;
  } else if (is(metrics::Builtin::ContainerMemoryUsage)) {
    usage.memory_bytes = value;
  } else if (is(metrics::Builtin::ContainerMemoryLimit)) {
    usage.memory_limit_bytes = value > 0 ? std::optional(value) : std::nullopt;
  } else if (is(metrics::Builtin::GpuUtilization)) {
    usage.gpu = value;
  } else if (name == "user.step") {
    usage.step = value;
  } else if (name == "user.step.max") {
    usage.steps_max = value;
  } else if (name == "user.step.rate") {
    usage.steps_per_second = value;
  }
}

JobWatch::JobWatch(Deps deps, Options options)
    : deps_(std::move(deps)),
      job_id_(options.job_id),
      who_(std::move(options.who)),
      job_(deps_.make_plan),
      connection_({.loop = deps_.loop, .transport = deps_.transport, .locate = deps_.locate},
                  {.job_id = std::move(options.job_id),
                   .secret = options.secret,
                   .patience = options.patience}) {}

void JobWatch::start(std::function<void()> changed) {
  changed_ = std::move(changed);
  connection_.start({.opened =
                         [this] {
                           wire::ClientHello hello;
                           hello.who = who_;
                           hello.follow_facts = true;
                           hello.from_index = job_.next_index();
                           connection_.send(hello);
                           connection_.send(wire::FollowMetrics{.on = true});
                         },
                     .frame = [this](std::string_view bytes) { on_frame(bytes); },
                     .silent = [](const std::string&, Duration) { return true; },
                     .given_up = [this](const std::string& error) { lose(error); }});
}

void JobWatch::on_frame(std::string_view bytes) {
  const Result<wire::ClientEvent> event = wire::decode_client_event(bytes);
  if (!event) {
    lose("the master sent something that this version does not understand: " +
         event.error().message);
    return;
  }
  std::visit([this](const auto& inner) { on_event(inner); }, *event);
}

void JobWatch::on_event(const wire::ClientWelcome& welcome) {
  const Result<bool> first = job_.begin(welcome);
  if (!first) {
    lose(first.error().message);
  } else if (*first) {
    changed_();
  }
}

void JobWatch::on_event(const wire::FactLogged& logged) {
  if (job_.take(logged)) {
    changed_();
  }
}

void JobWatch::on_event(const wire::MetricsPushed& pushed) {
  const Result<metrics::Block> block = metrics::decode(pushed.block);
  if (block) {
    take(*block);
  }
  sampled_ = true;
  changed_();
}

void JobWatch::take(const metrics::Block& block) {
  if (block.times != 1) {
    return;
  }
  for (size_t at = 0; at < block.subjects.size(); ++at) {
    const metrics::Subject& subject = block.subjects[at];
    if (subject.is_host()) {
      continue;
    }
    Now& now = tasks_[{subject.role, subject.index}];
    if (subject.attempt < now.attempt) {
      continue;  // An earlier attempt that has just ended.
    }
    if (subject.attempt > now.attempt) {
      now = {};
      now.attempt = subject.attempt;
    }
    now.usage = {};
    for (const metrics::Column& column : block.columns) {
      if (at < column.values.size() && column.present[at]) {
        put_usage(now.usage, column.metric, column.values[at]);
      }
    }
    now.cpu.push_back(now.usage.cpu.value_or(0));
    if (now.cpu.size() > kHistorySeconds) {
      now.cpu.pop_front();
    }
  }
}

TopTask JobWatch::show(const job::RolePlan& role, const job::Task& task) const {
  TopTask shown;
  shown.index = task.id.index;
  shown.state = to_string(task.state);
  if (!task.attempts.empty()) {
    shown.host = task.attempts.back().host.value;
    shown.attempt = task.attempts.back().number;
  }
  const auto now = tasks_.find({role.name, task.id.index});
  // An ended task uses nothing, but how far it came is still of interest.
  if (now != tasks_.end() && now->second.attempt == shown.attempt) {
    shown.usage = now->second.usage;
    shown.cpu_history.assign(now->second.cpu.begin(), now->second.cpu.end());
    if (task.state != job::TaskState::Active) {
      shown.usage.cpu.reset();
      shown.usage.memory_bytes.reset();
      shown.usage.gpu.reset();
      shown.usage.steps_per_second.reset();
    }
  }
  return shown;
}

std::optional<TopJob> JobWatch::show() const {
  const job::Machine* const machine = job_.machine();
  if (machine == nullptr) {
    return std::nullopt;
  }
  TopJob job;
  job.id = job_id_;
  const job::State& state = machine->state();
  job.phase = to_string(state.phase);
  const std::vector<job::RolePlan>& roles = machine->plan().roles;
  for (size_t role = 0; role < roles.size() && role < state.tasks.size(); ++role) {
    TopRole& shown = job.roles.emplace_back();
    shown.name = roles[role].name;
    for (const job::Task& task : state.tasks[role]) {
      shown.tasks.push_back(show(roles[role], task));
    }
  }
  return job;
}

void JobWatch::lose(std::string why) {
  if (over_.empty()) {
    over_ = std::move(why);
    changed_();
  }
}

}  // namespace muster::client
