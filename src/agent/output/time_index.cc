#include "agent/output/time_index.h"

#include <fmt/format.h>

#include <utility>

namespace muster::agent {

TimeIndex::TimeIndex(os::Files& files, std::filesystem::path path)
    : files_(files), path_(std::move(path)) {}

void TimeIndex::note(uint64_t offset, WallTime at, bool turned) {
  if (!entries_.empty()) {
    const Duration passed = at - entries_.back().at;
    // A clock that was set back counts, too.
    if (passed >= Duration::zero() && passed < (turned ? kTurnResolution : kResolution)) {
      return;
    }
  }
  add({.offset = offset, .at = at, .begins_part = entries_.empty()});
}

void TimeIndex::begin_part(uint64_t offset, WallTime at, uint32_t parts) {
  uint32_t seen = 1;
  auto first = entries_.end();
  while (first != entries_.begin() && seen < parts) {
    --first;
    seen += first->begins_part ? 1U : 0U;
  }
  if (first != entries_.begin()) {
    entries_.erase(entries_.begin(), first);
    file_.reset();
  }
  add({.offset = offset, .at = at, .begins_part = true});
}

void TimeIndex::add(Entry entry) {
  entries_.push_back(entry);
  if (entries_.size() > kEntriesMax) {
    thin();
  }
  if (file_ && file_->append(line_of(entry)).has_value()) {
    return;
  }
  file_.reset();
  std::string text;
  for (const Entry& each : entries_) {
    text += line_of(each);
  }
  if (!files_.write(path_, text).has_value()) {
    return;
  }
  if (auto opened = files_.open_append(path_); opened.has_value()) {
    file_ = std::move(*opened);
  }
}

void TimeIndex::thin() {
  std::vector<Entry> kept;
  const size_t older = entries_.size() / 2;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i >= older || i % 2 == 0 || entries_[i].begins_part) {
      kept.push_back(entries_[i]);
    }
  }
  entries_ = std::move(kept);
  file_.reset();
}

std::string TimeIndex::line_of(const Entry& entry) {
  return fmt::format("{} {}{}\n", entry.offset, entry.at.time_since_epoch().count(),
                     entry.begins_part ? " part" : "");
}

}  // namespace muster::agent
