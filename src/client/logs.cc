#include "client/logs.h"

#include "base/text.h"
#include "spec/duration_text.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <ctime>
#include <deque>

namespace muster::client {
namespace {

constexpr size_t kLineMax = 1U << 20;

}  // namespace

struct LogViewer::Pattern {
  Pattern(const std::string& text, const RE2::Options& options) : expression(text, options) {}
  RE2 expression;
};

struct LogViewer::View {
  LogCursor cursor;
  std::string partial;
  bool first_pass = true;  ///< Lines are held back for --tail.
  std::deque<std::string> held;
};

LogViewer::LogViewer(os::Files& files, Console& console, std::filesystem::path folder,
                     std::vector<std::string> roles, LogQuery query,
                     std::unique_ptr<Pattern> pattern)
    : files_(files),
      console_(console),
      folder_(std::move(folder)),
      roles_(std::move(roles)),
      query_(std::move(query)),
      pattern_(std::move(pattern)) {}

LogViewer::~LogViewer() = default;

Result<std::unique_ptr<LogViewer>> LogViewer::make(os::Files& files, Console& console,
                                                   std::filesystem::path folder,
                                                   std::vector<std::string> roles, LogQuery query) {
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
  return std::unique_ptr<LogViewer>(new LogViewer(
      files, console, std::move(folder), std::move(roles), std::move(query), std::move(pattern)));
}

Status LogViewer::find_streams() {
  MUSTER_TRY(const std::vector<LogStream> streams, list_logs(files_, folder_, roles_));
  for (const LogStream& stream : streams) {
    if (!query_.filter.admits(stream) || !known_.insert(stream.path).second) {
      continue;
    }
    auto view = std::make_unique<View>(View{LogCursor(files_, stream), {}, true, {}});
    if (query_.since) {
      view->cursor.skip_to(*query_.since);
    }
    views_.push_back(std::move(view));
  }
  return {};
}

Status LogViewer::show_new() {
  MUSTER_TRY_STATUS(find_streams());
  for (const std::unique_ptr<View>& view : views_) {
    while (!console_.out_failed()) {
      MUSTER_TRY(const std::string piece, view->cursor.read());
      if (piece.empty()) {
        break;
      }
      take(*view, piece);
    }
    if (view->first_pass) {
      view->first_pass = false;
      for (const std::string& line : view->held) {
        show(*view, line);
      }
      view->held.clear();
    }
  }
  return {};
}

void LogViewer::take(View& view, std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view piece = bytes.substr(0, end);
    const size_t room = kLineMax - std::min(kLineMax, view.partial.size());
    view.partial += piece.substr(0, room);
    if (end == std::string_view::npos) {
      return;
    }
    std::string line = std::move(view.partial);
    view.partial.clear();
    bytes.remove_prefix(end + 1);
    if (pattern_ && !RE2::PartialMatch(line, pattern_->expression)) {
      continue;
    }
    if (view.first_pass && query_.tail) {
      view.held.push_back(std::move(line));
      if (view.held.size() > *query_.tail) {
        view.held.pop_front();
      }
      continue;
    }
    show(view, line);
  }
}

void LogViewer::finish() {
  for (const std::unique_ptr<View>& view : views_) {
    if (!view->partial.empty() &&
        (!pattern_ || RE2::PartialMatch(view->partial, pattern_->expression))) {
      show(*view, view->partial);
    }
    view->partial.clear();
  }
}

void LogViewer::show(const View& view, std::string_view line) {
  const LogStream& stream = view.cursor.stream();
  if (query_.json) {
    console_.out(fmt::format(R"({{"task":"{}:{}","attempt":{},"stream":"{}","line":{}}})"
                             "\n",
                             stream.role, stream.index, stream.attempt,
                             stream.is_err ? "stderr" : "stdout", json_quote(line)));
    return;
  }
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  const std::string prefix = paint(fmt::format("{}:{}", stream.role, stream.index),
                                   stream.is_err ? "33" : "36", console_.screen().colour);
  console_.out(prefix + " | " + printable(line) + "\n");
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
    // Microseconds; further digits say nothing.
    for (Duration digit = std::chrono::milliseconds(100); *++rest >= '0' && *rest <= '9';
         digit /= 10) {
      fraction += digit * (*rest - '0');
    }
  }
  if (rest == nullptr || (*rest != '\0' && std::string_view(rest) != "Z")) {
    return user_error(fmt::format(
        "--since {}: neither a duration such as 10m nor a time such as 2026-11-21T09:30:00Z",
        printable(text)));
  }
  return WallTime(std::chrono::seconds(timegm(&parts)) + fraction);
}

}  // namespace muster::client
