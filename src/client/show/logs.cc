#include "client/show/logs.h"

#include "base/text.h"
#include "spec/duration_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <ctime>
#include <deque>
#include <iterator>
#include <utility>

namespace muster::client {
namespace {

constexpr size_t kLineMax = 1U << 20;

}  // namespace

struct LogViewer::Pattern {
  Pattern(const std::string& text, const RE2::Options& options) : expression(text, options) {}
  RE2 expression;
};

/// One stream of an attempt, and its lines that have been read but not yet shown.
struct LogViewer::View {
  View(os::Files& files, const cluster::LogStream& stream) : cursor(files, stream) {}

  cluster::LogCursor cursor;
  cluster::LogTimes times = {};
  std::string text = {};           ///< Has been read; valid from `begin` on.
  size_t begin = 0;                ///< In `text`.
  uint64_t offset = 0;             ///< Of the byte at `begin`, in the stream.
  size_t searched = 0;             ///< There is no newline in `text` before this.
  std::optional<size_t> end = {};  ///< In `text`: the next line's newline, or where it is cut off.

  [[nodiscard]] std::optional<WallTime> time() const { return times.at(offset); }
};

struct LogViewer::Attempt {
  uint32_t number = 0;
  std::vector<std::unique_ptr<View>> views = {};  ///< stdout first.
};

struct LogViewer::Task {
  std::string role;
  uint32_t index = 0;
  std::vector<Attempt> attempts = {};
  bool first_pass = true;  ///< Lines are held back for --tail.
  std::deque<std::string> held = {};
};

LogViewer::LogViewer(os::Files& files, Console& console, cluster::Outputs& outputs, LogQuery query,
                     std::unique_ptr<Pattern> pattern)
    : files_(files),
      console_(console),
      outputs_(outputs),
      query_(std::move(query)),
      pattern_(std::move(pattern)) {}

LogViewer::~LogViewer() = default;

Result<std::unique_ptr<LogViewer>> LogViewer::make(os::Files& files, Console& console,
                                                   cluster::Outputs& outputs, LogQuery query) {
  std::unique_ptr<Pattern> pattern;
  if (!query.grep.empty()) {
    RE2::Options options;
    options.set_log_errors(false);
    pattern = std::make_unique<Pattern>(query.grep, options);
    if (!pattern->expression.ok()) {
      return user_error(fmt::format("--grep {}: {} (the syntax is RE2's)", printable(query.grep),
                                    pattern->expression.error()));
    }
  }
  return std::unique_ptr<LogViewer>(
      new LogViewer(files, console, outputs, std::move(query), std::move(pattern)));
}

Status LogViewer::find_streams() {
  MUSTER_TRY(const std::vector<cluster::LogStream> streams, outputs_.streams());
  for (const cluster::LogStream& stream : streams) {
    if (!known_.insert(stream.path).second) {
      continue;
    }
    auto task = std::ranges::find_if(tasks_, [&](const std::unique_ptr<Task>& each) {
      return each->role == stream.role && each->index == stream.index;
    });
    if (task == tasks_.end()) {
      tasks_.push_back(std::make_unique<Task>(Task{.role = stream.role, .index = stream.index}));
      task = std::prev(tasks_.end());
    }
    std::vector<Attempt>& attempts = (*task)->attempts;
    if (attempts.empty() || attempts.back().number != stream.attempt) {
      attempts.push_back({.number = stream.attempt});
    }
    auto view = std::make_unique<View>(files_, stream);
    if (query_.since) {
      view->cursor.skip_to(*query_.since);
    }
    attempts.back().views.push_back(std::move(view));
  }
  return {};
}

Status LogViewer::show_new(bool last) {
  MUSTER_TRY_STATUS(find_streams());
  for (const std::unique_ptr<Task>& task : tasks_) {
    for (Attempt& attempt : task->attempts) {
      MUSTER_TRY_STATUS(show_new_of(*task, attempt, last));
    }
    task->first_pass = false;
    for (const std::string& line : std::exchange(task->held, {})) {
      show(line);
    }
  }
  return {};
}

Status LogViewer::fill(View& view) {
  while (!view.end) {
    const size_t newline = view.text.find('\n', view.searched);
    view.searched = std::min(newline, view.text.size());
    if (newline != std::string::npos || view.text.size() - view.begin >= kLineMax) {
      view.end = std::min(newline, view.begin + kLineMax);
      return {};
    }
    MUSTER_TRY(const cluster::LogRange piece, view.cursor.read());
    if (piece.bytes.empty()) {
      return {};
    }
    view.text.erase(0, std::exchange(view.begin, 0));
    view.searched = view.text.size();
    view.offset = piece.offset - view.text.size();
    view.text += piece.bytes;
    if (!view.times.reaches_beyond(piece.offset)) {
      view.times = cluster::LogTimes::read(files_, view.cursor.stream());
    }
  }
  return {};
}

/// Merges the streams of an attempt by the times of their lines; stdout comes first if the times
/// are equal.
Status LogViewer::show_new_of(Task& task, Attempt& attempt, bool last) {
  while (!console_.out_failed()) {
    View* first = nullptr;
    for (const std::unique_ptr<View>& view : attempt.views) {
      MUSTER_TRY_STATUS(fill(*view));
      if (view->end && (first == nullptr || view->time() < first->time())) {
        first = view.get();
      }
    }
    if (first == nullptr) {
      break;
    }
    const size_t end = *first->end;
    take(task, *first, std::string_view(first->text).substr(first->begin, end - first->begin));
    const size_t after = end + (end < first->text.size() && first->text[end] == '\n' ? 1 : 0);
    first->offset += after - first->begin;
    first->begin = after;
    first->searched = after;
    first->end.reset();
  }
  for (const std::unique_ptr<View>& view : attempt.views) {
    if (last && view->begin < view->text.size()) {
      take(task, *view, std::string_view(view->text).substr(view->begin));
      view->begin = view->text.size();
    }
  }
  return {};
}

void LogViewer::take(Task& task, const View& view, std::string_view line) {
  if (pattern_ && !RE2::PartialMatch(line, pattern_->expression)) {
    return;
  }
  std::string shown = render(view, line);
  if (!task.first_pass || !query_.tail) {
    show(shown);
    return;
  }
  task.held.push_back(std::move(shown));
  if (task.held.size() > *query_.tail) {
    task.held.pop_front();
  }
}

void LogViewer::show(std::string_view line) { console_.out(line); }

std::string LogViewer::render(const View& view, std::string_view line) const {
  const cluster::LogStream& stream = view.cursor.stream();
  const std::optional<WallTime> time = view.time();
  if (query_.json) {
    return fmt::format(R"({{"task":"{}:{}","attempt":{},"stream":"{}","time":{},"line":{}}})"
                       "\n",
                       stream.role, stream.index, stream.attempt,
                       stream.is_err ? "stderr" : "stdout",
                       time ? json_quote(format_iso(*time)) : "null", json_quote(line));
  }
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  const std::string stamp =
      !query_.timestamps ? "" : (time ? format_iso(*time) : "(no time)") + " ";
  const std::string prefix = paint(fmt::format("{}:{}", stream.role, stream.index),
                                   stream.is_err ? "33" : "36", console_.screen().colour);
  return stamp + prefix + " | " + printable(line) + "\n";
}

Result<WallTime> parse_since(std::string_view text, WallTime now) {
  if (const auto back = spec::parse_duration(text); back) {
    return now - *back;
  }
  std::tm parts{};
  const std::string copy(text);
  const char* rest = strptime(copy.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) {
    rest = strptime(copy.c_str(), "%Y-%m-%d", &parts);
  }
  Duration fraction{};
  if (rest != nullptr && *rest == '.') {
    // Microseconds; further digits are ignored.
    ++rest;
    for (Duration digit = std::chrono::milliseconds(100); *rest >= '0' && *rest <= '9';
         digit /= 10, ++rest) {
      fraction += digit * (*rest - '0');
    }
  }
  if (rest == nullptr || (*rest != '\0' && std::string_view(rest) != "Z")) {
    return user_error(fmt::format(
        "--since {}: must be a duration such as 10m or a time such as 2026-11-21T09:30:00Z",
        printable(text)));
  }
  return WallTime(std::chrono::seconds(timegm(&parts)) + fraction);
}

}  // namespace muster::client
