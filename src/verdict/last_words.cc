#include "verdict/last_words.h"

#include "base/text.h"
#include "verdict/clean_text.h"
#include "verdict/foreign_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace muster::verdict {
namespace {

constexpr std::string_view kHeader = "Traceback (most recent call last):";
constexpr size_t kMessageLinesMax = 30;
/// A program survived a traceback that is this far from the end.
constexpr size_t kLinesAfterMax = 60;
constexpr size_t kLastLines = 6;
/// How many lines that look like an error are taken from before the last ones.
constexpr size_t kErrorLinesMax = 12;
/// What a library logs just before it gives up says why, so this many lines are kept.
constexpr size_t kLinesBeforeFatal = 3;
constexpr size_t kContextLinesMax = 10;
constexpr size_t kFrameLinesMax = 6;
/// How much is shown of the message below the frames; its point often comes last ("Last error:
/// ..."). A long message takes the place of frames, so that a summary has room for both.
constexpr size_t kMessageShownMax = 6;
constexpr size_t kMessageLong = 3;
constexpr size_t kFrameLinesBesideLong = 4;
constexpr size_t kEvidenceLineMax = 300;

using Lines = std::vector<std::string>;

/// One traceback: lines [begin, message) are header and frames, [message, end) the exception.
struct Traceback {
  size_t begin = 0;
  size_t message = 0;
  size_t end = 0;
};

size_t indent_of(std::string_view line) {
  const size_t indent = line.find_first_not_of(' ');
  return indent == std::string_view::npos ? line.size() : indent;
}

/// Returns whether the line begins an exception: "ValueError: text", or a bare "KeyboardInterrupt".
bool starts_exception(std::string_view line) {
  size_t at = 0;
  while (at < line.size() && (std::isalnum(static_cast<unsigned char>(line[at])) != 0 ||
                              line[at] == '_' || line[at] == '.')) {
    ++at;
  }
  const bool named = at > 0 && std::isdigit(static_cast<unsigned char>(line[0])) == 0;
  return named && (at == line.size() || line[at] == ':');
}

bool links_tracebacks(std::string_view line) {
  return line.starts_with("The above exception was the direct cause") ||
         line.starts_with("During handling of the above exception");
}

bool ends_message(std::string_view line) { return trim(line) == kHeader || links_tracebacks(line); }

/// Returns whether the line begins an uncaught C++ exception, a fatal error of the interpreter, or
/// a fatal log message.
bool starts_fatal(std::string_view line) {
  const bool glog =
      line.size() > 6 && line[0] == 'F' && line[5] == ' ' &&
      std::ranges::all_of(line.substr(1, 4), [](char c) { return c >= '0' && c <= '9'; });
  return glog || line.starts_with("terminate called ") || line.starts_with("Fatal Python error");
}

/// Returns whether the line is a shell's remark about a child that died of a signal.
bool is_shell_remark(std::string_view line) {
  constexpr auto kRemarks = std::to_array<std::string_view>(
      {"Aborted", "Killed", "Terminated", "Segmentation fault", "Bus error", "Illegal instruction",
       "Floating point exception", "CPU time limit exceeded"});
  return std::ranges::any_of(kRemarks, [&](std::string_view remark) {
    return line == remark || line == fmt::format("{} (core dumped)", remark);
  });
}

Traceback read_traceback(const Lines& lines, size_t header) {
  Traceback found{.begin = header, .message = lines.size(), .end = lines.size()};
  const size_t indent = indent_of(lines[header]);
  size_t at = header + 1;
  while (at < lines.size() && trim(lines[at]) != kHeader) {
    const bool frame = indent_of(lines[at]) > indent;
    if (!frame && starts_exception(std::string_view(lines[at]).substr(indent_of(lines[at])))) {
      break;
    }
    ++at;
  }
  found.message = at;
  found.end = at;
  while (found.end < lines.size() && found.end - at < kMessageLinesMax &&
         (found.end == at || !ends_message(lines[found.end]))) {
    ++found.end;
  }
  return found;
}

std::vector<Traceback> find_tracebacks(const Lines& lines) {
  std::vector<Traceback> found;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (trim(lines[i]) != kHeader) {
      continue;
    }
    const Traceback one = read_traceback(lines, i);
    if (one.message < lines.size() && trim(lines[one.message]) != kHeader) {
      found.push_back(one);
    }
  }
  return found;
}

/// Removes what Python only reports: "Exception ignored in: ..." and the traceback below it. If
/// nothing else was said, it stays.
void drop_ignored(Lines& lines) {
  constexpr std::string_view kIgnored = "Exception ignored in";
  Lines kept;
  for (size_t i = 0; i < lines.size();) {
    if (!lines[i].starts_with(kIgnored)) {
      kept.push_back(lines[i]);
      ++i;
      continue;
    }
    ++i;
    if (i < lines.size() && trim(lines[i]) == kHeader) {
      const size_t message = read_traceback(lines, i).message;
      i = message < lines.size() && trim(lines[message]) != kHeader ? message + 1 : message;
    }
  }
  const auto says = [](const std::string& line) { return !is_stack_noise(line); };
  if (kept.size() < lines.size() && std::ranges::any_of(kept, says)) {
    lines = std::move(kept);
  }
}

std::string text_of(const Lines& lines, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    text += lines[i];
    text += '\n';
  }
  return text;
}

/// Returns whether an error only passes on that something else failed.
bool wraps_another(std::string_view message) {
  constexpr auto kWrappers =
      std::to_array<std::string_view>({"ChildFailedError", "CalledProcessError",
                                       "DatasetGenerationError", "ProcessRaisedException"});
  const std::string_view name = message.substr(0, message.find(':'));
  return std::ranges::any_of(kWrappers,
                             [&](std::string_view wrapper) { return name.ends_with(wrapper); });
}

bool is_linked(const Lines& lines, const Traceback& earlier, const Traceback& later) {
  return wraps_another(lines[later.message]) ||
         std::any_of(lines.begin() + static_cast<ptrdiff_t>(earlier.message),
                     lines.begin() + static_cast<ptrdiff_t>(later.begin), links_tracebacks);
}

bool is_own_frame(std::string_view line) {
  return trim(line).starts_with("File \"") && line.find("-packages/") == std::string_view::npos &&
         line.find("/lib/python") == std::string_view::npos &&
         line.find("<frozen ") == std::string_view::npos;
}

/// Adds the innermost frames, `lines_max` lines; if a library's frames hide the program's own
/// innermost one, puts that before them.
void add_frames(const Lines& lines, const Traceback& last, size_t lines_max, Lines& context) {
  Lines frames;
  for (size_t i = last.begin + 1; i < last.message; ++i) {
    if (!is_stack_noise(lines[i])) {
      frames.push_back(lines[i]);
    }
  }
  size_t skipped = frames.size() - std::min(frames.size(), lines_max);
  const auto own = std::find_if(frames.rbegin(), frames.rend(), is_own_frame);
  if (own != frames.rend() && static_cast<size_t>(frames.rend() - own) <= skipped) {
    const auto at = static_cast<size_t>(frames.rend() - own) - 1;
    context.insert(context.end(), frames.begin() + static_cast<ptrdiff_t>(at),
                   frames.begin() + static_cast<ptrdiff_t>(at + 2));
    skipped = frames.size() - lines_max + 2;
  }
  context.insert(context.end(), frames.begin() + static_cast<ptrdiff_t>(skipped), frames.end());
}

/// Returns the last lines before `end` that look like an error.
std::string error_lines(const Lines& lines, size_t begin, size_t end) {
  Lines found;
  for (size_t i = end; i > begin && found.size() < kErrorLinesMax && end - i < kLinesAfterMax;
       --i) {
    if (looks_like_error(lines[i - 1]) && !is_stack_noise(lines[i - 1])) {
      found.push_back(lines[i - 1]);
    }
  }
  std::ranges::reverse(found);
  return text_of(found, 0, found.size());
}

/// Fills in the errors from the last traceback; false if there is none that ended the program.
bool read_python(const Lines& lines, LastWords& words) {
  const std::vector<Traceback> found = find_tracebacks(lines);
  if (found.empty()) {
    return false;
  }
  const Traceback& last = found.back();
  const auto after =
      std::count_if(lines.begin() + static_cast<ptrdiff_t>(last.message), lines.end(),
                    [](const std::string& line) { return !is_stack_noise(line); });
  if (static_cast<size_t>(after) > kLinesAfterMax) {
    return false;
  }
  words.uncaught = true;
  words.final_error = text_of(lines, last.message, last.end);
  words.errors = words.final_error;
  for (size_t i = found.size() - 1; i > 0 && is_linked(lines, found[i - 1], found[i]); --i) {
    words.errors = text_of(lines, found[i - 1].message, found[i - 1].end) + words.errors;
  }
  if (wraps_another(lines[last.message])) {
    words.errors = error_lines(lines, 0, last.begin) + words.errors;
    words.final_error = words.errors;
  }
  Lines message;
  for (size_t i = last.message; i < last.end && message.size() < kMessageShownMax; ++i) {
    if (!is_stack_noise(lines[i])) {
      message.push_back(lines[i]);
    }
  }
  add_frames(lines, last, message.size() < kMessageLong ? kFrameLinesMax : kFrameLinesBesideLong,
             words.context);
  words.context.insert(words.context.end(), message.begin(), message.end());
  return true;
}

/// Fills in the errors from the JVM's stack traces; false if there are none.
bool read_jvm(const Lines& lines, LastWords& words) {
  const std::vector<std::string> errors = find_jvm_errors(lines);
  if (errors.empty()) {
    return false;
  }
  words.final_error = errors.back() + "\n";
  words.errors = error_lines(lines, 0, lines.size()) + text_of(errors, 0, errors.size());
  words.context = errors;
  return true;
}

/// Returns where the last words begin: at a fatal line, at an exception's name, or else kLastLines
/// from the end.
size_t begin_of_error(const Lines& kept) {
  const auto near_end = kept.end() - static_cast<ptrdiff_t>(std::min(kept.size(), kLinesAfterMax));
  const auto fatal = std::find_if(near_end, kept.end(), starts_fatal);
  if (fatal != kept.end()) {
    const auto at = static_cast<size_t>(fatal - kept.begin());
    return at - std::min(at, kLinesBeforeFatal);
  }
  for (size_t at = kept.size(); at > 0 && kept.size() - at < kMessageLinesMax; --at) {
    if (names_exception(kept[at - 1])) {
      return at - 1;
    }
  }
  return kept.size() - std::min(kept.size(), kLastLines);
}

/// Fills in the errors from a fatal line, an exception's name, or else from the last lines.
void read_plain(const Lines& lines, LastWords& words) {
  Lines kept;
  std::ranges::copy_if(lines, std::back_inserter(kept),
                       [](const std::string& line) { return !is_stack_noise(line); });
  const size_t begin = begin_of_error(kept);
  const size_t end = std::min(kept.size(), begin + kMessageLinesMax);
  words.final_error = text_of(kept, begin, end);
  words.errors = error_lines(kept, 0, begin) + words.final_error;
  const size_t shown = std::min(end, begin + kContextLinesMax);
  words.context.assign(kept.begin() + static_cast<ptrdiff_t>(begin),
                       kept.begin() + static_cast<ptrdiff_t>(shown));
}

/// Returns the line that says most if no rule pointed at one.
std::string_view headline_of(const LastWords& words) {
  const std::vector<std::string_view> lines = split(words.final_error, '\n');
  if (words.uncaught) {
    return lines[0];
  }
  const auto fatal = std::ranges::find_if(
      lines, [](std::string_view line) { return line.starts_with("Fatal Python error"); });
  if (fatal != lines.end()) {
    return *fatal;
  }
  const auto what = std::ranges::find_if(
      lines, [](std::string_view line) { return trim(line).starts_with("what():"); });
  if (what != lines.end()) {
    return *what;
  }
  if (!lines.empty() && names_exception(lines[0])) {
    return lines[0];
  }
  const auto says = [](std::string_view line) {
    return !trim(line).empty() && !is_shell_remark(line) && line != "Execution halted";
  };
  const auto error = std::find_if(lines.rbegin(), lines.rend(), [&](std::string_view line) {
    return says(line) && looks_like_error(line);
  });
  if (error != lines.rend()) {
    return *error;
  }
  const auto last = std::find_if(lines.rbegin(), lines.rend(), says);
  if (last != lines.rend()) {
    return *last;
  }
  return lines.empty() ? std::string_view{} : lines[0];
}

}  // namespace

LastWords read_last_words(std::string_view stdout_tail, std::string_view stderr_tail) {
  Lines out = clean_lines(stdout_tail, kTailBytesMax);
  Lines err = clean_lines(stderr_tail, kTailBytesMax);
  strip_prefixes(out);
  strip_prefixes(err);
  drop_ignored(out);
  drop_ignored(err);
  LastWords words;
  words.output = text_of(out, 0, out.size()) + text_of(err, 0, err.size());
  if (read_python(err, words) || read_python(out, words) || read_jvm(err, words) ||
      read_jvm(out, words)) {
    return words;
  }
  const bool said = std::ranges::any_of(
      err, [](const std::string& line) { return !is_stack_noise(line) && !is_shell_remark(line); });
  read_plain(said || out.empty() ? err : out, words);
  return words;
}

std::string evidence_of(const LastWords& words, std::string_view headline) {
  const std::string_view first = trim(headline.empty() ? headline_of(words) : headline);
  std::string evidence = clip(first, kEvidenceLineMax);
  for (const std::string& line : words.context) {
    if (trim(line) == first) {
      continue;
    }
    const std::string clipped = clip(line, kEvidenceLineMax);
    if (evidence.size() + 1 + clipped.size() > kEvidenceBytesMax) {
      break;
    }
    evidence += '\n';
    evidence += clipped;
  }
  return evidence;
}

}  // namespace muster::verdict
