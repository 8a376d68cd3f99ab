#include "sim/core/master_model.h"

#include "base/overloaded.h"

#include <algorithm>
#include <variant>

namespace muster::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

HostTime host_time(Time now) { return HostTime{now.time_since_epoch()}; }

}  // namespace

MasterModel::MasterModel(Around around) : around_(std::move(around)) {}

void MasterModel::start() {
  machine_.emplace(around_.plan);
  liveness_.emplace(around_.plan.liveness);
  alive_ = true;
  feed(job::JobStarted{});
  judge_later();
}

void MasterModel::feed(job::Fact fact) {
  if (!alive_) {
    return;
  }
  inbox_.push_back(std::move(fact));
  if (!turn_due_) {
    turn_due_ = true;
    const Duration soon =
        around_.world.random().between(Duration::zero(), Duration(microseconds(500)));
    const Time when = std::max(around_.world.now() + soon, stalled_until_);
    around_.world.at(when, [this, life = life_] {
      if (life == life_) {
        turn();
      }
    });
  }
}

void MasterModel::turn() {
  turn_due_ = false;
  if (around_.world.now() < stalled_until_) {
    turn_due_ = true;
    around_.world.at(stalled_until_, [this, life = life_] {
      if (life == life_) {
        turn();
      }
    });
    return;
  }
  while (!inbox_.empty()) {
    const job::Fact fact = std::move(inbox_.front());
    inbox_.pop_front();
    apply(fact);
  }
  write_batch();
}

void MasterModel::apply(const job::Fact& fact) {
  const Time now = around_.world.now();
  ++facts_;
  std::vector<job::Action> actions = machine_->apply(now, fact);
  around_.applied(fact, actions, *machine_);
  const uint64_t digest = machine_->digest();
  around_.world.note(digest);
  if (const auto* joined = std::get_if<job::AgentJoined>(&fact)) {
    liveness_->watch(joined->container, host_time(now));
  } else if (const auto* reported = std::get_if<job::AgentReported>(&fact)) {
    liveness_->watch(reported->container, host_time(now));
  } else if (const auto* ended = std::get_if<job::ContainerEnded>(&fact)) {
    liveness_->forget(ended->container);
  }
  unlogged_.push_back({{now, fact, digest}, std::move(actions)});
}

void MasterModel::write_batch() {
  if (writing_ || unlogged_.empty()) {
    return;
  }
  writing_ = true;
  const size_t count = unlogged_.size();
  const Duration takes =
      around_.world.random().between(Duration(microseconds(20)), Duration(milliseconds(2)));
  const Time when = std::max(around_.world.now() + takes, log_back_at_);
  around_.world.at(when, [this, life = life_, count] {
    if (life == life_) {
      writing_ = false;
      release(count);
      write_batch();
    }
  });
}

void MasterModel::release(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Pending pending = std::move(unlogged_.front());
    unlogged_.pop_front();
    log_.push_back(std::move(pending.logged));
    for (const job::Action& action : pending.actions) {
      perform(action);
    }
  }
}

void MasterModel::perform(const job::Action& action) {
  std::visit(
      Overloaded{[&](const job::SetDeadline& set) { set_deadline(set); },
                 [&](const job::ClearDeadline& clear) { deadlines_.erase(clear.deadline); },
                 [&](const job::Finish&) { finished_ = true; },
                 // The world does these.
                 [](const OneOf<job::RequestContainer, job::CancelRequest, job::LaunchAgent,
                                job::ReleaseContainer, job::PrepareAttempt, job::StartAttempt,
                                job::StopAttempt, job::Reconcile> auto&) {}},
      action);
  around_.act(epoch_, action);
}

void MasterModel::set_deadline(const job::SetDeadline& set) {
  deadlines_[set.deadline] = set.at;
  around_.world.at(set.at, [this, life = life_, id = set.deadline, at = set.at] {
    const auto found = deadlines_.find(id);
    if (life == life_ && found != deadlines_.end() && found->second == at) {
      deadlines_.erase(found);
      feed(job::DeadlinePassed{id});
    }
  });
}

void MasterModel::judge_later() {
  const HostTime due = liveness_->due();
  const Time now = around_.world.now();
  const Time when = due == HostTime::max() ? now + seconds(1)
                                           : std::clamp(Time{due.time_since_epoch()},
                                                        now + milliseconds(1), now + seconds(1));
  around_.world.at(std::max(when, stalled_until_), [this, life = life_] {
    if (life != life_ || !alive_) {
      return;
    }
    const HostTime judged = host_time(around_.world.now());
    for (const auto& [id, container] : machine_->state().containers) {
      if (container.state == job::ContainerState::Ready && around_.hears(id)) {
        if (liveness_->beat(id, judged)) {
          around_.ask_report(id);
        }
      }
    }
    for (job::Fact& fact : liveness_->judge(judged)) {
      feed(std::move(fact));
    }
    judge_later();
  });
}

void MasterModel::crash() {
  if (!alive_ || finished_) {
    return;
  }
  alive_ = false;
  ++life_;
  // Part of the batch under way may have reached the log; its actions never happen.
  const size_t written = writing_ ? around_.world.random().below(unlogged_.size() + 1) : 0;
  for (size_t i = 0; i < written; ++i) {
    log_.push_back(std::move(unlogged_[i].logged));
  }
  unlogged_.clear();
  inbox_.clear();
  deadlines_.clear();
  turn_due_ = writing_ = false;
  around_.crashed();
  const Duration gap =
      around_.world.random().between(Duration(milliseconds(50)), Duration(seconds(8)));
  around_.world.after(gap, [this] { recover(); });
}

void MasterModel::recover() {
  machine_.emplace(around_.plan);
  liveness_.emplace(around_.plan.liveness);
  for (const Logged& logged : log_) {
    (void)machine_->apply(logged.at, logged.fact);
  }
  if (!log_.empty() && machine_->digest() != log_.back().digest) {
    around_.broken("the replayed machine differs from the one that wrote the log");
  }
  around_.recovered(*machine_);
  epoch_ = job::Epoch{epoch_.value + 1};
  alive_ = true;
  if (log_.empty()) {
    feed(job::JobStarted{});
  }
  feed(job::MasterRecovered{epoch_});
  judge_later();
}

void MasterModel::stall(Duration duration) {
  stalled_until_ = std::max(stalled_until_, around_.world.now() + duration);
}

void MasterModel::lose_log(Duration duration) {
  log_back_at_ = std::max(log_back_at_, around_.world.now() + duration);
}

void MasterModel::check_replay(const Step& replayed) {
  job::Machine again(around_.plan);
  for (size_t i = 0; i < log_.size(); ++i) {
    const std::vector<job::Action> actions = again.apply(log_[i].at, log_[i].fact);
    replayed(log_[i].at, log_[i].fact, actions, again);
    if (again.digest() != log_[i].digest) {
      around_.broken("replaying the first " + std::to_string(i + 1) + " facts gives another state");
      return;
    }
  }
}

}  // namespace muster::sim
