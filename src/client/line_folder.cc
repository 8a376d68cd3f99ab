#include "client/line_folder.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

constexpr Duration kLossWindow = std::chrono::seconds(1);

}  // namespace

LineFolder::LineFolder(const job::Plan& plan, Duration window) : plan_(plan), window_(window) {}

std::vector<ShownLine> LineFolder::feed(job::TaskId task, bool is_err, std::string_view bytes,
                                        HostTime now) {
  std::vector<ShownLine> ready;
  Partial& partial = partials_[{task, is_err}];
  while (!bytes.empty()) {
    const size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (!piece.empty()) {
      if (partial.returned) {
        partial = Partial{};
      }
      if (partial.text.empty()) {
        partial.since = now;
      }
      const size_t room = kLineMax - std::min(kLineMax, partial.text.size());
      partial.text += piece.substr(0, room);
      partial.cut += piece.size() - std::min(room, piece.size());
    }
    if (end == std::string_view::npos) {
      break;
    }
    if (bytes[end] == '\r') {
      partial.returned = true;
    } else {
      line_done(task, is_err, partial, now, ready);
    }
    bytes.remove_prefix(end + 1);
  }
  close_due(now, ready);
  return ready;
}

std::vector<ShownLine> LineFolder::dropped(job::TaskId task, bool is_err, uint64_t bytes,
                                           HostTime now) {
  std::vector<ShownLine> ready;
  Partial& partial = partials_[{task, is_err}];
  if (!partial.text.empty()) {
    line_done(task, is_err, partial, now, ready);
  }
  Loss& loss = losses_[{task, is_err}];
  if (loss.bytes == 0) {
    loss.tell_at = now + kLossWindow;
  }
  loss.bytes += bytes;
  return ready;
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
  for (auto& [key, partial] : partials_) {
    if (!partial.text.empty() && now - partial.since >= window_) {
      line_done(key.first, key.second, partial, now, ready);
    }
  }
  close_due(now, ready);
  tell_losses(now, ready);
  return ready;
}

std::vector<ShownLine> LineFolder::finish() {
  std::vector<ShownLine> ready;
  for (auto& [key, partial] : partials_) {
    if (!partial.text.empty()) {
      line_done(key.first, key.second, partial, HostTime{}, ready);
    }
  }
  close_due(HostTime::max(), ready);
  tell_losses(HostTime::max(), ready);
  return ready;
}

HostTime LineFolder::due() const {
  HostTime earliest = HostTime::max();
  for (const auto& [key, partial] : partials_) {
    if (!partial.text.empty()) {
      earliest = std::min(earliest, partial.since + window_);
    }
  }
  for (const auto& [text, fold] : folds_) {
    earliest = std::min(earliest, fold.closes);
  }
  for (const auto& [key, loss] : losses_) {
    if (loss.bytes > 0) {
      earliest = std::min(earliest, loss.tell_at);
    }
  }
  return earliest;
}

void LineFolder::line_done(job::TaskId task, bool is_err, Partial& partial, HostTime now,
                           std::vector<ShownLine>& ready) {
  std::string text = std::move(partial.text);
  if (partial.cut > 0) {
    text +=
        fmt::format(" ... ({} more in this line; the log has it all)", format_bytes(partial.cut));
  }
  partial = Partial{};
  // Empty lines are layout, not messages: folding them would only stir the order.
  if (text.empty()) {
    ready.push_back(ShownLine{to_string(plan_, task), task, is_err, {}});
    return;
  }
  const auto found = folds_.find(text);
  if (found != folds_.end() && found->second.is_err == is_err) {
    found->second.others.push_back(task);
    return;
  }
  ready.push_back(ShownLine{to_string(plan_, task), task, is_err, text});
  folds_.insert_or_assign(std::move(text), Fold{task, is_err, {}, now + window_});
}

ShownLine LineFolder::show_fold(const std::string& text, const Fold& fold) const {
  ShownLine line{name_tasks(plan_, fold.others), fold.first, fold.is_err, {}};
  constexpr size_t kReminder = 40;
  std::string reminder = text.size() <= kReminder ? text : text.substr(0, kReminder) + "...";
  line.text = fmt::format("(the same, {} more: {})", fold.others.size(), reminder);
  return line;
}

void LineFolder::close_due(HostTime now, std::vector<ShownLine>& ready) {
  std::vector<std::pair<HostTime, std::string>> closing;
  for (const auto& [text, fold] : folds_) {
    if (fold.closes <= now) {
      closing.emplace_back(fold.closes, text);
    }
  }
  // The table is unordered; what people see is in the order in which the lines were first said.
  std::sort(closing.begin(), closing.end());
  for (const auto& [closes, text] : closing) {
    const auto fold = folds_.find(text);
    if (fold->second.others.size() == 1) {
      const job::TaskId other = fold->second.others.front();
      ready.push_back(ShownLine{to_string(plan_, other), other, fold->second.is_err, text});
    } else if (!fold->second.others.empty()) {
      ready.push_back(show_fold(text, fold->second));
    }
    folds_.erase(fold);
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
