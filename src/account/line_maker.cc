#include "account/line_maker.h"

#include <algorithm>
#include <utility>

namespace muster::account {
namespace {

/// Adds a span unless it is empty, joining it with the previous one if that is of the same class.
void add_span(std::vector<Span>& spans, Time from, Time to, Class what) {
  if (from >= to) {
    return;
  }
  if (!spans.empty() && spans.back().what == what && spans.back().to == from) {
    spans.back().to = to;
    return;
  }
  spans.push_back({.from = from, .to = to, .what = what});
}

/// Gives the mark's class to the part of `spans` that is work and lies within `mark`.
void paint(std::vector<Span>& spans, const Span& mark) {
  if (mark.from >= mark.to) {
    return;
  }
  std::vector<Span> painted;
  for (const Span& span : spans) {
    if (span.what != Class::Productive || mark.from >= span.to || mark.to <= span.from) {
      add_span(painted, span.from, span.to, span.what);
      continue;
    }
    add_span(painted, span.from, std::max(span.from, mark.from), span.what);
    add_span(painted, std::max(span.from, mark.from), std::min(span.to, mark.to), mark.what);
    add_span(painted, std::min(span.to, mark.to), span.to, span.what);
  }
  spans = std::move(painted);
}

bool ended(const job::Attempt& attempt) { return attempt.state == job::AttemptState::Ended; }

bool succeeded(const job::Attempt& attempt) { return attempt.exit && attempt.exit->succeeded(); }

}  // namespace

LineMaker::LineMaker(const Deps& deps) : deps_(deps) {
  for (const std::vector<job::Task>& role : deps.state.tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        stays_[{attempt.container, attempt.slot}].push_back(
            {.id = {task.id, attempt.number}, .attempt = &attempt, .lost = false, .kept = {}});
      }
    }
  }
  for (auto& [place, stays] : stays_) {
    std::ranges::sort(stays, {},
                      [](const Stay& stay) { return std::pair(stay.attempt->placed, stay.id); });
  }
  note_reached_together();
  note_lost();
}

std::vector<Line> LineMaker::make() const {
  std::vector<Line> lines;
  for (const auto& [id, held] : deps_.journal.held) {
    const auto container = deps_.state.containers.find(id);
    uint32_t slots = 1;
    if (container != deps_.state.containers.end()) {
      slots = std::max<uint32_t>(1, static_cast<uint32_t>(container->second.tasks.size()));
    }
    // A used place counts even if the container has other tasks by now.
    for (auto stay = stays_.lower_bound({id, 0}); stay != stays_.end() && stay->first.first == id;
         ++stay) {
      slots = std::max(slots, stay->first.second + 1);
    }
    for (uint32_t slot = 0; slot < slots; ++slot) {
      lines.push_back(make(id, slot, slots));
    }
  }
  return lines;
}

Line LineMaker::make(const job::ContainerId& id, uint32_t slot, uint32_t slots) const {
  Line line{.container = id, .host = {}, .role = {}, .slot = slot, .slots = slots, .spans = {}};
  const Journal::Held& held = deps_.journal.held.at(id);
  const auto container = deps_.state.containers.find(id);
  if (container != deps_.state.containers.end()) {
    line.host = container->second.host;
    if (!container->second.tasks.empty()) {
      line.role = container->second.role;
    }
  }
  const Time end = std::min(deps_.end, held.gone.value_or(deps_.end));
  Time at = std::min(held.granted, end);
  Class idle = Class::Gathering;
  const auto stays = stays_.find({id, slot});
  for (const Stay& stay : stays == stays_.end() ? std::vector<Stay>() : stays->second) {
    line.role = stay.id.task.role;
    const Time placed = std::clamp(stay.attempt->placed, at, end);
    add_idle(held, idle, at, placed, line.spans);
    const Time until = ended(*stay.attempt) ? std::clamp(stay.attempt->ended, placed, end) : end;
    std::vector<Span> own;
    add_stay(stay, until, own);
    if (stay.lost && deps_.plan.spec.checkpoint.resume != spec::Resume::Never && !stay.kept) {
      for (const Span& span : own) {
        line.guessed += span.what == Class::Repeated ? span.to - span.from : Duration::zero();
      }
    }
    // Whatever the log says, an attempt begins where the previous one in this place has ended.
    for (const Span& span : own) {
      add_span(line.spans, std::max(span.from, placed), span.to, span.what);
    }
    at = until;
    idle = succeeded(*stay.attempt) ? Class::Waiting : Class::Gathering;
  }
  add_idle(held, idle, at, end, line.spans);
  return line;
}

// placed ─gathering─► started ─starting─► first sign ─productive─► told to stop ─ending─► ended
void LineMaker::add_stay(const Stay& stay, Time until, std::vector<Span>& spans) const {
  const job::Attempt& attempt = *stay.attempt;
  const Time placed = std::min(attempt.placed, until);
  const bool ran = attempt.started > Time{};
  const auto told = deps_.journal.stops.find(stay.id);
  const Time stop =
      std::clamp(told == deps_.journal.stops.end() ? until : told->second, placed, until);
  const Time started = ran ? std::clamp(attempt.started, placed, stop) : stop;
  add_span(spans, placed, started, Class::Gathering);
  Time first = started;
  if (const auto signs = deps_.signs.find(stay.id); signs != deps_.signs.end() && ran) {
    const std::optional<Time> sign =
        signs->second.first_step ? signs->second.first_step : signs->second.first_output;
    first = std::clamp(sign.value_or(started), started, stop);
  }
  add_span(spans, started, first, Class::Starting);
  add_work(stay, first, stop, spans);
  add_stop(stay, stop, until, spans);
}

void LineMaker::add_work(const Stay& stay, Time from, Time to, std::vector<Span>& spans) const {
  std::vector<Span> work;
  add_span(work, from, to, Class::Productive);
  if (const auto signs = deps_.signs.find(stay.id); signs != deps_.signs.end()) {
    for (const Span& mark : signs->second.marks) {
      paint(work, mark);
    }
  }
  if (const auto stalls = deps_.journal.stalls.find(stay.id);
      stalls != deps_.journal.stalls.end()) {
    for (const Journal::Stall& stall : stalls->second) {
      // An attempt that succeeds in the end has moved again, but nobody knows when.
      const Time until = stall.over ? *stall.over : succeeded(*stay.attempt) ? stall.told : to;
      paint(work, {.from = stall.from, .to = until, .what = Class::Stalled});
    }
  }
  add_waits(stay, work);
  if (stay.lost) {
    paint(work,
          {.from = std::max(from, stay.kept.value_or(from)), .to = to, .what = Class::Repeated});
  }
  for (const Span& span : work) {
    add_span(spans, span.from, span.to, span.what);
  }
}

// While one task hangs, those that depend on it can do nothing either.
void LineMaker::add_waits(const Stay& stay, std::vector<Span>& work) const {
  if (!works_with_others(stay.id)) {
    return;
  }
  for (const auto& [id, stalls] : deps_.journal.stalls) {
    const job::Attempt* const attempt = deps_.state.find_attempt(id);
    if (id == stay.id || attempt == nullptr || !works_with_others(id)) {
      continue;
    }
    const Time end = ended(*attempt) ? attempt->ended : deps_.end;
    for (const Journal::Stall& stall : stalls) {
      if (stall.for_all) {
        paint(work, {.from = stall.from, .to = stall.over.value_or(end), .what = Class::Waiting});
      }
    }
  }
}

// A program that is told to stop may save first: that lasts until the resulting commit.
void LineMaker::add_stop(const Stay& stay, Time from, Time to, std::vector<Span>& spans) const {
  if (from >= to) {
    return;
  }
  Time saved = from;
  for (const Commit& commit : deps_.journal.commits) {
    if (commit.attempt == stay.id && commit.at > from && commit.at <= to) {
      saved = commit.at;
    }
  }
  add_span(spans, from, saved, Class::Saving);
  add_span(spans, saved, to, Class::Ending);
}

void LineMaker::add_idle(const Journal::Held& held, Class what, Time from, Time to,
                         std::vector<Span>& spans) const {
  Time cut = to;
  if (held.released) {
    cut = std::min(cut, *held.released);
  }
  if (deps_.journal.stopping) {
    cut = std::min(cut, *deps_.journal.stopping);
  }
  cut = std::clamp(cut, from, std::max(from, to));
  add_span(spans, from, cut, what);
  add_span(spans, cut, to, Class::Ending);
}

bool LineMaker::is_lost(const Stay& stay) const {
  const job::Task& task = deps_.state.task(stay.id.task);
  if (task.attempts.back().number != stay.id.number) {
    return true;
  }
  if (!ended(*stay.attempt) || succeeded(*stay.attempt)) {
    return false;
  }
  const std::optional<job::Outcome>& outcome = deps_.state.outcome;
  if (task.state == job::TaskState::Failed ||
      (outcome && outcome->result == job::JobResult::Failed)) {
    return true;
  }
  // It is waiting for its next attempt.
  return !outcome && task.state == job::TaskState::Waiting;
}

// What the next attempt says about itself is the truth, whoever keeps its checkpoints.
std::optional<Time> LineMaker::kept_until(const Stay& stay) const {
  const std::optional<Time> reached = reached_again(stay);
  if (reached) {
    return reached;
  }
  const auto together = together_.find(stay.attempt->generation);
  return together != together_.end() && works_with_others(stay.id) ? together->second
                                                                   : last_commit_for(stay);
}

std::optional<Time> LineMaker::reached_again(const Stay& stay) const {
  const auto signs = deps_.signs.find(stay.id);
  if (signs == deps_.signs.end() || signs->second.steps.empty()) {
    return std::nullopt;
  }
  const std::vector<Step>& steps = signs->second.steps;
  for (const job::Attempt& next : deps_.state.task(stay.id.task).attempts) {
    const auto later = deps_.signs.find({stay.id.task, next.number});
    if (next.number <= stay.id.number || later == deps_.signs.end() ||
        later->second.steps.empty()) {
      continue;
    }
    const double begun = later->second.steps.front().number;
    const auto reached =
        std::ranges::find_if(steps, [&](const Step& step) { return step.number >= begun; });
    return reached == steps.end() ? stay.attempt->ended : reached->at;
  }
  return std::nullopt;
}

bool LineMaker::works_with_others(job::AttemptId id) const {
  return deps_.plan.role(id.task.role).membership != spec::Membership::Independent;
}

void LineMaker::note_reached_together() {
  for (const auto& [place, stays] : stays_) {
    for (const Stay& stay : stays) {
      const std::optional<Time> own =
          ended(*stay.attempt) && works_with_others(stay.id) ? reached_again(stay) : std::nullopt;
      if (own) {
        Time& reached = together_.try_emplace(stay.attempt->generation, *own).first->second;
        reached = std::min(reached, *own);
      }
    }
  }
}

void LineMaker::note_lost() {
  for (auto& [place, stays] : stays_) {
    for (Stay& stay : stays) {
      stay.lost = is_lost(stay);
      stay.kept = stay.lost ? kept_until(stay) : std::nullopt;
    }
  }
}

std::optional<Time> LineMaker::last_commit_for(const Stay& stay) const {
  const spec::Checkpoint& rules = deps_.plan.spec.checkpoint;
  if (rules.resume == spec::Resume::Never) {
    return std::nullopt;
  }
  const std::vector<Commit>& commits = deps_.journal.commits;
  const auto last = std::find_if(commits.rbegin(), commits.rend(), [&](const Commit& commit) {
    const bool counts =
        rules.by == spec::CheckpointBy::Chief || commit.attempt.task == stay.id.task;
    return counts && (!ended(*stay.attempt) || commit.at <= stay.attempt->ended);
  });
  return last == commits.rend() ? std::nullopt : std::optional(last->at);
}

}  // namespace muster::account
