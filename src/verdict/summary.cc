#include "verdict/summary.h"

#include "base/text.h"
#include "verdict/clean_text.h"
#include "verdict/failure_class.h"
#include "verdict/signal_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::verdict {
namespace {

constexpr size_t kLabelWidth = 14;
constexpr size_t kColumnsMin = 60;
constexpr size_t kEvidenceLinesMax = 9;
constexpr size_t kWrappedLinesMax = 3;

using Lines = std::vector<std::string>;

/// Breaks at blanks so that no line is longer than `width`, except for single longer words; cuts
/// off everything after `lines_max` lines.
Lines wrap(std::string_view text, size_t width, size_t lines_max) {
  Lines lines(1);
  for (const std::string_view word : split(text, ' ')) {
    const bool fits = lines.back().empty() || lines.back().size() + 1 + word.size() <= width;
    if (!fits && lines.size() == lines_max) {
      lines.back() = clip(lines.back() + "....", std::max(width, lines.back().size()));
      break;
    }
    if (!fits) {
      lines.emplace_back();
    }
    lines.back() += lines.back().empty() ? "" : " ";
    lines.back() += word;
  }
  return lines;
}

/// A label and its lines, aligned.
struct Row {
  std::string_view label;
  Lines lines;
};

std::string how_it_ended(const job::FirstCause& cause) {
  if (cause.signal) {
    return "signal " + signal_name(*cause.signal);
  }
  if (!cause.exit_code) {
    return cause.failure.class_name == "deadline.join" ? "nothing: it had not started"
                                                       : "lost with its container";
  }
  const job::Exit exit{.exit_code = cause.exit_code, .signal = {}, .failure = {}};
  const auto behind = signal_behind(exit);
  return behind ? fmt::format("exit code {}, as a shell reports {}", *cause.exit_code,
                              signal_name(*behind))
                : fmt::format("exit code {}", *cause.exit_code);
}

Lines evidence_lines(const job::Failure& failure, size_t width) {
  Lines lines;
  for (const std::string_view line : split(failure.evidence, '\n')) {
    if (lines.size() == kEvidenceLinesMax) {
      break;
    }
    lines.push_back(clip(printable(line), width));
  }
  return lines;
}

std::string victims_line(uint32_t victims) {
  return victims == 1 ? "1 other task ended because of it"
                      : fmt::format("{} other tasks ended because of it", victims);
}

/// A task that got no container in time has no attempt to name.
std::string who(const job::Plan& plan, const job::FirstCause& cause) {
  const std::string task = to_string(plan, cause.attempt.task);
  return cause.host.value.empty()
             ? task
             : fmt::format("{}, attempt {} on {}", task, cause.attempt.number, cause.host.value);
}

std::vector<Row> rows_of(const job::Plan& plan, const job::FirstCause& cause,
                         const SummaryStyle& style, size_t width) {
  std::vector<Row> rows;
  rows.push_back({"first cause", {who(plan, cause)}});
  rows.push_back({"ended by", wrap(how_it_ended(cause), width, 2)});
  rows.push_back({"class", wrap(class_line(cause.failure), width, 2)});
  if (!cause.failure.evidence.empty()) {
    rows.push_back({"last words", evidence_lines(cause.failure, width)});
  }
  if (cause.victims > 0) {
    rows.push_back({"victims", wrap(victims_line(cause.victims), width, 2)});
  }
  if (const std::string hint = advice_on(cause.failure); !hint.empty()) {
    rows.push_back({"what to do", wrap(printable(hint), width, kWrappedLinesMax)});
  }
  if (!style.log_path.empty()) {
    rows.push_back({"log", {printable(style.log_path)}});
  }
  return rows;
}

std::string painted(std::string_view text, std::string_view code, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string_view colour_of(job::JobResult result) {
  switch (result) {
    case job::JobResult::Succeeded:
      return "32";
    case job::JobResult::Failed:
      return "1;31";
    case job::JobResult::Stopped:
      return "33";
  }
  return "0";
}

/// The evidence is shortened if everything together would be too long.
void shorten(std::vector<Row>& rows, size_t lines_max) {
  size_t count = 0;
  for (const Row& row : rows) {
    count += row.lines.size();
  }
  for (Row& row : rows) {
    const size_t over = count - std::min(count, lines_max);
    if (row.label == "last words" && over > 0) {
      row.lines.resize(row.lines.size() - std::min(over, row.lines.size() - 1));
    }
  }
}

std::string headline_of(const job::Plan& plan, const job::Outcome& outcome) {
  std::string line = fmt::format("{} {}", plan.job.value, to_string(outcome.result));
  if (!outcome.message.empty()) {
    line += ": " + printable(outcome.message);
  }
  return line;
}

/// A job that failed without an attempt to blame (it was refused, or took too long) still has a
/// class.
std::vector<Row> rows_of(std::string_view class_name, size_t width) {
  const job::Failure failure{
      .class_name = std::string(class_name), .kind = {}, .remedy = {}, .evidence = {}, .hint = {}};
  std::vector<Row> rows;
  rows.push_back({"class", wrap(class_line(failure), width, 2)});
  if (const std::string advice = advice_on(failure); !advice.empty()) {
    rows.push_back({"what to do", wrap(advice, width, kWrappedLinesMax)});
  }
  return rows;
}

}  // namespace

std::string class_line(const job::Failure& failure) {
  const std::string_view meaning = find_class(failure.class_name).meaning;
  return meaning.empty() ? failure.class_name : fmt::format("{}: {}", failure.class_name, meaning);
}

std::string advice_on(const job::Failure& failure) {
  const std::string_view general = find_class(failure.class_name).hint;
  if (!failure.hint.empty() || general.find("{}") == std::string_view::npos) {
    return failure.hint.empty() ? std::string(general) : failure.hint;
  }
  return {};
}

std::string render_summary(const job::Plan& plan, const job::Outcome& outcome,
                           const SummaryStyle& style) {
  const size_t columns = std::max(style.columns, kColumnsMin);
  const Lines head = wrap(headline_of(plan, outcome), columns, kWrappedLinesMax);
  std::string text;
  for (const std::string& line : head) {
    text += painted(line, colour_of(outcome.result), style.colour) + "\n";
  }
  const size_t width = columns - kLabelWidth;
  std::vector<Row> rows;
  if (outcome.first_cause) {
    rows = rows_of(plan, *outcome.first_cause, style, width);
  } else if (outcome.result == job::JobResult::Failed && !outcome.class_name.empty()) {
    rows = rows_of(outcome.class_name, width);
  }
  shorten(rows, kSummaryLinesMax - head.size());
  for (const Row& row : rows) {
    std::string label = fmt::format("  {:<{}}", row.label, kLabelWidth - 2);
    for (const std::string& line : row.lines) {
      text += painted(label, "1", style.colour) + line + "\n";
      label.assign(kLabelWidth, ' ');
    }
  }
  return text;
}

}  // namespace muster::verdict
