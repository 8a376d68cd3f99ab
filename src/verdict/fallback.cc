#include "verdict/fallback.h"

#include "base/text.h"
#include "verdict/fallback_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <span>

namespace muster::verdict {
namespace {

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$';
}

bool names_error(std::string_view name) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({"Error", "Exception", "NotFound", "Timeout", "Interrupt",
                                       "Mismatch", "Unauthorized", "Forbidden", "TooManyRequests"});
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return name.ends_with(ending); });
}

std::optional<std::string_view> class_of_type(std::string_view type) {
  const auto row = std::ranges::find_if(
      kTypes, [&](const TypeClass& one) { return type.ends_with(one.ending); });
  return row == std::end(kTypes) ? std::nullopt : std::optional(row->class_name);
}

std::optional<int32_t> read_number(std::string_view text) {
  int32_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc{} ? std::optional(number) : std::nullopt;
}

/// Returns the number after "[Errno ", "errno: " or Rust's "os error ", or that of "EACCES: ", if
/// any.
std::optional<int32_t> errno_of(std::string_view text) {
  for (const std::string_view mark :
       {"[Errno ", "errno: ", "errno=", "(os error ", "Os { code: ", "repr: Os("}) {
    const size_t at = text.find(mark);
    if (at == std::string_view::npos) {
      continue;
    }
    if (const std::optional<int32_t> number = read_number(text.substr(at + mark.size()))) {
      return number;
    }
  }
  for (const NamedNumber& one : kErrorNames) {
    const size_t at = text.find(one.name);
    const std::string_view rest =
        at == std::string_view::npos ? std::string_view{} : text.substr(at + one.name.size());
    if ((rest.starts_with(':') || rest.starts_with(')') || rest.starts_with(' ')) &&
        (at == 0 || !is_name(text[at - 1]))) {
      return one.number;
    }
  }
  for (const NamedNumber& one : kErrorTexts) {
    if (text.find(one.name) != std::string_view::npos) {
      return one.number;
    }
  }
  return std::nullopt;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

/// Returns the number that begins within the first `near` characters of `text`.
std::optional<int32_t> number_near(std::string_view text, size_t near) {
  const size_t digits = text.substr(0, near + 1).find_first_of("-0123456789");
  return digits == std::string_view::npos ? std::nullopt : read_number(text.substr(digits));
}

/// Judges what a launcher says about how the program that it started ended: "exit status (137)".
std::optional<std::string_view> class_of_status(std::string_view text) {
  constexpr int32_t kShell = 128;
  constexpr int32_t kNotExecutable = 126;
  constexpr int32_t kNotFound = 127;
  std::optional<std::string_view> found;
  for (const std::string_view mark :
       {"exit code", "exit status", "return code", "exitcode", "got signal", "<signals.sig"}) {
    const bool is_signal = mark.find("sig") != std::string_view::npos;
    for (size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark, at + 1)) {
      constexpr size_t kNear = 12;
      const int64_t number = number_near(text.substr(at + mark.size()), kNear).value_or(0);
      if (!is_signal && (number == kNotFound || number == kNotExecutable)) {
        found = number == kNotFound ? "user.command_not_found" : "user.not_executable";
      }
      const int64_t behind = number > kShell ? number - kShell : -number;
      const std::string_view by_signal =
          class_of_signal(static_cast<int32_t>(is_signal ? number : behind));
      if (!by_signal.empty()) {
        found = by_signal;
      }
    }
  }
  return found;
}

/// Judges what a server answered: "returned error: 404", "status code 503".
std::optional<std::string_view> class_of_answer(std::string_view text) {
  for (const std::string_view mark : {"returned error", "status code", "response code",
                                      "http status", "http error", "http/1.1", "http code"}) {
    const size_t at = text.find(mark);
    if (at == std::string_view::npos) {
      continue;
    }
    constexpr size_t kNear = 4;
    const auto row = std::ranges::find(
        kHttpAnswers, number_near(text.substr(at + mark.size()), kNear).value_or(0),
        &NumberedClass::number);
    if (row != std::end(kHttpAnswers)) {
      return row->class_name;
    }
  }
  return std::nullopt;
}

/// "UNAVAILABLE: text", "StatusCode.UNAVAILABLE".
std::optional<std::string_view> class_of_code(std::string_view text) {
  for (const WordedClass& one : kStatusCodes) {
    const size_t at = text.find(one.words);
    const std::string_view rest =
        at == std::string_view::npos ? std::string_view{} : text.substr(at + one.words.size());
    const bool coded = at != std::string_view::npos && text.substr(0, at).ends_with("StatusCode.");
    if (coded || (rest.starts_with(": ") && (at == 0 || !is_name(text[at - 1])))) {
      return one.class_name;
    }
  }
  return std::nullopt;
}

/// Returns "ValueError" for "a.b.ValueError: text", even after "Caused by: " or a thread's name; of
/// several ("LoadError: MethodError: text"), the first one that is known, else the last one. Empty
/// if the line has no such name.
std::string_view type_of(std::string_view line) {
  std::string_view found;
  for (size_t begin = 0; begin < line.size();) {
    if (!is_name(line[begin])) {
      ++begin;
      continue;
    }
    size_t end = begin;
    while (end < line.size() && is_name(line[end])) {
      ++end;
    }
    std::string_view name = line.substr(begin, end - begin);
    name = name.substr(name.find_last_of(".$") + 1);
    const std::string_view rest = line.substr(end);
    const bool stands = rest.starts_with(':') || rest.starts_with("):") || rest.starts_with('(') ||
                        trim(rest).empty();
    if (stands && names_error(name)) {
      found = name;
      if (class_of_type(name)) {
        return name;
      }
    }
    begin = end;
  }
  return found;
}

/// Returns the package that raised a Python error ("torch"); empty for the program's own code, or
/// if it is unknown.
std::string_view package_of(const LastWords& words) {
  std::string_view package;
  for (const std::string& line : words.context) {
    if (!trim(line).starts_with("File ")) {
      continue;
    }
    constexpr std::string_view kFolder = "-packages/";
    const size_t at = line.rfind(kFolder);
    package = {};
    if (at != std::string::npos) {
      package = std::string_view(line).substr(at + kFolder.size());
      package = package.substr(0, package.find_first_of("/\"."));
    }
  }
  return package;
}

std::optional<Fallback> by_phrase(std::span<const WordedClass> phrases, std::string_view text) {
  const auto row = std::ranges::find_if(phrases, [&](const WordedClass& one) {
    return text.find(one.words) != std::string_view::npos;
  });
  return row == phrases.end()
             ? std::nullopt
             : std::optional(Fallback{row->class_name, fmt::format("by \"{}\"", trim(row->words))});
}

}  // namespace

std::string_view class_of_signal(int32_t signal) {
  const auto row = std::ranges::find(kSignals, signal, &NumberedClass::number);
  return row == std::end(kSignals) ? std::string_view{} : row->class_name;
}

std::optional<Fallback> fall_back(const LastWords& words) {
  const std::string said = lower_case(words.final_error);
  for (const std::string_view text :
       {std::string_view(words.final_error), std::string_view(words.errors)}) {
    if (const std::optional<int32_t> number = errno_of(text)) {
      const auto row = std::ranges::find(kErrors, *number, &NumberedClass::number);
      if (row != std::end(kErrors)) {
        return Fallback{row->class_name, fmt::format("by error number {}", *number)};
      }
    }
  }
  for (const std::string& text : {said, lower_case(words.errors)}) {
    if (const std::optional<std::string_view> ended = class_of_status(text)) {
      return Fallback{*ended, "by what its launcher says"};
    }
  }
  if (const std::optional<std::string_view> coded = class_of_code(words.final_error)) {
    return Fallback{*coded, "by its status code"};
  }
  if (const std::optional<std::string_view> answer = class_of_answer(said)) {
    return Fallback{*answer, "by what a server answered"};
  }
  std::string_view type;
  for (const std::string_view line : split(words.final_error, '\n')) {
    const std::string_view found = type_of(line);
    if (!found.empty() && (class_of_type(found) || !class_of_type(type))) {
      type = found;
    }
  }
  if (const std::optional<std::string_view> known = class_of_type(type); known && !type.empty()) {
    return Fallback{*known, fmt::format("by the type {}", type)};
  }
  if (const std::optional<Fallback> told = by_phrase(kPhrases, said)) {
    return told;
  }
  // A launcher's error says nothing about the program that it started.
  const bool launched = type == "ChildFailedError" || type == "CalledProcessError";
  const std::string_view package = package_of(words);
  if (words.uncaught && !package.empty() && !launched) {
    return Fallback{"user.traceback", fmt::format("raised by {}", package)};
  }
  if (type == "RuntimeError" && !words.uncaught) {
    return Fallback{"user.traceback", "by the type RuntimeError"};
  }
  if (words.uncaught) {
    return std::nullopt;
  }
  if (const std::optional<Fallback> reported = by_phrase(kReports, said)) {
    return reported;
  }
  if (!type.empty()) {
    return Fallback{"program.exception", fmt::format("by the type {}", type)};
  }
  // The last lines may be a launcher's advice; what it met comes before them.
  return by_phrase(kPhrases, lower_case(words.errors));
}

}  // namespace muster::verdict
