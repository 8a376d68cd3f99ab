#include "client/follow/line_folder.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

constexpr Duration kLossWindow = std::chrono::seconds(1);

}  // namespace

LineFolder::LineFolder(const job::Plan& plan, Options options)
    : plan_(plan), options_(options), alone_(plan.task_count() <= 1) {}

std::vector<ShownLine> LineFolder::feed(job::TaskId task, bool is_err, std::string_view bytes,
                                        HostTime now) {
  std::vector<ShownLine> ready;
  const StreamKey from{task, is_err};
  Partial& partial = partials_[from];
  while (!bytes.empty()) {
    const size_t end = find_line_end(bytes);
    take(partial, from, bytes.substr(0, end), now, ready);
    if (end == std::string_view::npos) {
      break;
    }
    if (bytes[end] == '\r') {
      partial.returned = true;
    } else {
      line_done(from, partial, now, ready);
    }
    bytes.remove_prefix(end + 1);
  }
  close_due(now, ready);
  return ready;
}

/// Adds a piece without line ends to the unfinished line.
void LineFolder::take(Partial& partial, StreamKey from, std::string_view piece, HostTime now,
                      std::vector<ShownLine>& ready) {
  if (piece.empty()) {
    return;
  }
  if (partial.returned) {
    partial = Partial{};
  }
  while (!piece.empty()) {
    const size_t room = options_.line_max - std::min(options_.line_max, partial.text.size());
    if (room == 0 && !options_.whole) {
      partial.cut += piece.size();
      return;
    }
    if (room == 0) {
      line_done(from, partial, now, ready);
      continue;
    }
    partial.text += piece.substr(0, room);
    piece.remove_prefix(std::min(room, piece.size()));
  }
}

void LineFolder::dropped(job::TaskId task, bool is_err, uint64_t bytes, HostTime now) {
  const StreamKey from{task, is_err};
  // Without its end, a line says something else.
  const Partial partial = std::exchange(partials_[from], {});
  bytes += partial.text.size() + partial.cut;
  Loss& loss = losses_[from];
  if (loss.bytes == 0) {
    loss.tell_at = now + kLossWindow;
  }
  loss.bytes += bytes;
}

void LineFolder::tell_losses(HostTime now, std::vector<ShownLine>& ready) {
  for (auto& [key, loss] : losses_) {
    if (loss.bytes > 0 && loss.tell_at <= now) {
      ready.push_back(ShownLine{to_string(plan_, key.first), key.first, true,
                                fmt::format("({} of output not shown here; the log has it all)",
                                            format_bytes(loss.bytes))});
      loss.bytes = 0;
    }
  }
}

std::vector<ShownLine> LineFolder::flush(HostTime now) {
  std::vector<ShownLine> ready;
  close_due(now, ready);
  tell_losses(now, ready);
  return ready;
}

std::vector<ShownLine> LineFolder::finish() {
  std::vector<ShownLine> ready;
  for (auto& [from, partial] : partials_) {
    if (!partial.text.empty()) {
      line_done(from, partial, HostTime{}, ready);
    }
  }
  close_due(HostTime::max(), ready);
  tell_losses(HostTime::max(), ready);
  return ready;
}

HostTime LineFolder::due() const {
  HostTime earliest = folds_.empty() ? HostTime::max() : folds_.front().closes;
  for (const auto& [key, loss] : losses_) {
    if (loss.bytes > 0) {
      earliest = std::min(earliest, loss.tell_at);
    }
  }
  return earliest;
}

std::vector<ShownLine> LineFolder::unfinished(size_t count) const {
  std::vector<ShownLine> lines;
  for (const auto& [from, partial] : partials_) {
    if (!partial.text.empty() && lines.size() < count) {
      lines.push_back({to_string(plan_, from.first), from.first, from.second, partial.text});
    }
  }
  return lines;
}

void LineFolder::line_done(StreamKey from, Partial& partial, HostTime now,
                           std::vector<ShownLine>& ready) {
  const auto [task, is_err] = from;
  std::string text = std::move(partial.text);
  if (partial.cut > 0) {
    text +=
        fmt::format(" ... ({} more in this line; the log has it all)", format_bytes(partial.cut));
  }
  partial = Partial{};
  if (alone_) {
    ready.push_back({to_string(plan_, task), task, is_err, std::move(text)});
    return;
  }
  Place& place = places_[task];
  if (const uint64_t number = joinable(text, is_err, place.last); number != 0) {
    fold(number).others.push_back(task);
    place = {.last = number, .waits_in = number};
    return;
  }
  if (place.waits_in != 0) {
    close_through(place.waits_in, ready);
  }
  ready.push_back({to_string(plan_, task), task, is_err, text});
  place.last = first_ + folds_.size();
  numbers_.at(is_err)[text].push_back(place.last);
  folds_.push_back({std::move(text), is_err, {}, now + options_.window});
}

uint64_t LineFolder::joinable(const std::string& text, bool is_err, uint64_t behind) const {
  const auto found = numbers_.at(is_err).find(text);
  if (found == numbers_.at(is_err).end()) {
    return 0;
  }
  // Not from the front: a task that repeats itself leaves as many as it can say within the window.
  const auto next = std::ranges::upper_bound(found->second, behind);
  return next == found->second.end() ? 0 : *next;
}

void LineFolder::close_through(uint64_t number, std::vector<ShownLine>& ready) {
  for (; !folds_.empty() && first_ <= number; ++first_) {
    Fold closing = std::move(folds_.front());
    folds_.pop_front();
    auto& numbers = numbers_.at(closing.is_err);
    const auto same = numbers.find(closing.text);
    same->second.pop_front();
    if (same->second.empty()) {
      numbers.erase(same);
    }
    if (closing.others.empty()) {
      continue;
    }
    for (const job::TaskId task : closing.others) {
      Place& place = places_[task];
      place.waits_in = place.waits_in == first_ ? 0 : place.waits_in;
    }
    ready.push_back({name_tasks(plan_, closing.others), closing.others.front(), closing.is_err,
                     std::move(closing.text)});
  }
}

void LineFolder::close_due(HostTime now, std::vector<ShownLine>& ready) {
  while (!folds_.empty() && folds_.front().closes <= now) {
    close_through(first_, ready);
  }
}

std::string name_tasks(const job::Plan& plan, std::vector<job::TaskId> tasks) {
  std::sort(tasks.begin(), tasks.end());
  tasks.erase(std::unique(tasks.begin(), tasks.end()), tasks.end());
  std::string names;
  size_t i = 0;
  while (i < tasks.size()) {
    const job::RoleIndex role = tasks[i].role;
    names += names.empty() ? "" : " ";
    names += plan.role(role).name + ":";
    for (bool first = true; i < tasks.size() && tasks[i].role == role; first = false) {
      size_t last = i;
      while (last + 1 < tasks.size() && tasks[last + 1].role == role &&
             tasks[last + 1].index == tasks[last].index + 1) {
        ++last;
      }
      names += fmt::format("{}{}", first ? "" : ",", tasks[i].index);
      if (last > i) {
        names += fmt::format("-{}", tasks[last].index);
      }
      i = last + 1;
    }
  }
  return names;
}

}  // namespace muster::client
