#include "master/decider.h"

#include "wire/frame.h"

#include <utility>

namespace muster::master {

Decider::Decider(rt::Loop& loop, eventlog::SegmentStore& segments, const log::Logger& log,
                 Start start, OnReleased on_released)
    : loop_(loop),
      log_(log),
      machine_(std::move(start.machine)),
      clock_(start.clock),
      next_index_(start.next_index),
      on_released_(std::move(on_released)),
      writer_(loop, segments, log, [this](uint64_t next_index) { release(next_index); }) {
  writer_.begin(start.header);
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
  return index;
}

void Decider::release(uint64_t next_index) {
  while (!closed_ && !waiting_.empty() && waiting_.front().record.index < next_index) {
    const Released entry = std::move(waiting_.front());
    waiting_.pop_front();
    if (entry.view) {
      view_ = entry.view;
    }
    on_released_(entry);
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
