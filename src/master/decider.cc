#include "master/decider.h"

#include "wire/frame.h"

#include <utility>

namespace muster::master {
namespace {

constexpr Duration kStuckLook = std::chrono::milliseconds(500);

bool begins_something(const job::Action& action) {
  return std::holds_alternative<job::RequestContainer>(action) ||
         std::holds_alternative<job::LaunchAgent>(action) ||
         std::holds_alternative<job::PrepareAttempt>(action) ||
         std::holds_alternative<job::StartAttempt>(action);
}

}  // namespace

Decider::Decider(rt::Loop& loop, eventlog::SegmentStore& segments, const log::Logger& log,
                 Start start, Handlers handlers)
    : loop_(loop),
      log_(log),
      machine_(std::move(start.machine)),
      clock_(start.clock),
      next_index_(start.next_index),
      header_(std::move(start.header)),
      handlers_(std::move(handlers)),
      writer_(
          loop, segments, log, [this](uint64_t next_index) { release(next_index); },
          [this] { on_log_changed(); }) {
  writer_.begin(header_);
  view_ = new_view();
}

uint64_t Decider::enter(job::Fact fact) {
  if (closed_) {
    return next_index_;
  }
  Released entry;
  entry.record = {next_index_++, clock_.now(), loop_.wall_now(), std::move(fact)};
  entry.actions = machine_.apply(entry.record.at, entry.record.fact);
  entry.view = new_view();
  writer_.append(entry.record);
  log_.debug("fact.entered",
             {{"index", entry.record.index}, {"fact", job::name_of(entry.record.fact)}});
  const uint64_t index = entry.record.index;
  waiting_.push_back(std::move(entry));
  if (!writer_.trouble().empty() && stuck_timer_ == rt::TimerId{}) {
    watch_stuck_end();
  }
  return index;
}

void Decider::release(uint64_t next_index) {
  while (!closed_ && !waiting_.empty() && waiting_.front().record.index < next_index) {
    release_first();
  }
}

void Decider::release_first() {
  const Released entry = std::move(waiting_.front());
  waiting_.pop_front();
  if (entry.view) {
    view_ = entry.view;
  }
  handlers_.released(entry);
}

void Decider::on_log_changed() {
  if (closed_) {
    return;
  }
  handlers_.log_changed();
  if (!writer_.trouble().empty()) {
    handlers_.check_fence();
  }
  watch_stuck_end();
}

/// Looks repeatedly while the job is ending and its log cannot be written.
void Decider::watch_stuck_end() {
  loop_.cancel(std::exchange(stuck_timer_, {}));
  const job::State& state = machine_.state();
  const bool ending = state.phase == job::JobPhase::Stopping || state.phase == job::JobPhase::Ended;
  if (closed_ || writer_.trouble().empty() || !ending) {
    stuck_since_.reset();
    return;
  }
  if (!stuck_since_) {
    stuck_since_ = loop_.now();
    handlers_.make_room();
    writer_.retry_now();
  }
  const Duration stuck = loop_.now() - *stuck_since_;
  const bool stopped = stuck >= kStopPatience && !state.stop_asked_by.empty();
  if (stopped || stuck >= kEndPatience) {
    handlers_.check_fence();
  }
  if (closed_) {
    return;
  }
  if (stuck >= kEndPatience) {
    end_without_log();
  } else if (stopped) {
    stop_tasks();
  }
  if (!closed_) {
    stuck_timer_ = loop_.call_after(kStuckLook, [this] {
      stuck_timer_ = {};
      watch_stuck_end();
    });
  }
}

void Decider::stop_tasks() {
  for (Released& entry : waiting_) {
    std::vector<job::Action> rest;
    for (job::Action& action : entry.actions) {
      if (std::holds_alternative<job::StopAttempt>(action)) {
        handlers_.ahead(action);
      } else {
        rest.push_back(std::move(action));
      }
    }
    entry.actions = std::move(rest);
  }
}

/// Goes on without the log. The writer still has the facts, and may manage to write them before
/// this process ends.
void Decider::end_without_log() {
  if (!std::exchange(gave_up_, true)) {
    log_.error("log.given_up", {{"reason", writer_.trouble()}, {"facts", waiting_.size()}});
  }
  while (!closed_ && !waiting_.empty()) {
    std::erase_if(waiting_.front().actions, begins_something);
    release_first();
  }
}

std::shared_ptr<const std::string> Decider::new_view() {
  const job::View& view = machine_.state().view;
  if (view.generation == viewed_) {
    return nullptr;
  }
  viewed_ = view.generation;
  const wire::MasterFrame frame = wire::ViewPushed{view};
  return std::make_shared<const std::string>(wire::encode(frame));
}

}  // namespace muster::master
