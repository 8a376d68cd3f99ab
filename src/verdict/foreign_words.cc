#include "verdict/foreign_words.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace muster::verdict {
namespace {

constexpr std::string_view kTracebackMark = "Traceback (most recent call last)";
constexpr size_t kJvmErrorsMax = 8;
/// Between an exception's name and its frames there may be a message of up to this many lines.
constexpr size_t kJvmMessageLinesMax = 8;
constexpr size_t kLinesBackMax = 400;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

char lowered(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

/// "at org.x.Y.z(Y.java:7)", even after a logger's prefix.
bool is_jvm_frame(std::string_view line) {
  std::string_view trimmed = trim(line);
  if (trimmed.starts_with('[')) {  // A logger's "[info]  ".
    trimmed = trim(trimmed.substr(trimmed.find(']') + 1));
  }
  if (trimmed.starts_with("... ") && trimmed.ends_with(" more")) {
    return true;
  }
  const size_t tab = line.find("\tat ");
  std::string_view rest = trimmed.starts_with("at ")      ? trimmed.substr(3)
                          : tab != std::string_view::npos ? line.substr(tab + 4)
                                                          : std::string_view{};
  const size_t open = rest.find('(');
  if (open == std::string_view::npos || open == 0) {
    return false;
  }
  const std::string_view name = rest.substr(0, open);
  return name.find('.') != std::string_view::npos &&
         name.find_first_of(" ,:") == std::string_view::npos;
}

/// "#3  0x7f69 in main", "@     0x7f2b (unknown)", "[bt] (2) libx.so", "prog  0048A3F0  Unknown".
bool is_native_frame(std::string_view trimmed) {
  constexpr std::string_view kDigits = "0123456789";
  if (trimmed.starts_with('#')) {
    const size_t end = trimmed.find_first_not_of(kDigits, 1);
    return end != 1 && end != std::string_view::npos && trim(trimmed.substr(end)).starts_with("0x");
  }
  if (trimmed.starts_with('@')) {
    return trim(trimmed.substr(1)).starts_with("0x");
  }
  return trimmed.starts_with("[bt] (") || trimmed.ends_with("Unknown  Unknown");
}

/// Rows of a tensor, a table, or a counter: only numbers, brackets and commas.
bool is_numbers(std::string_view line) {
  return line.find_first_of("0123456789") != std::string_view::npos &&
         line.find_first_not_of("0123456789.,+-eE[](){}|*: \t") == std::string_view::npos;
}

std::string masked(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, is_decimal, '0');
  return out;
}

}  // namespace

bool is_stack_noise(std::string_view line) {
  // Hydra adds this below every error of a program.
  constexpr std::string_view kHydraHint = "Set the environment variable HYDRA_FULL_ERROR=1";
  return line.starts_with(kHydraHint) || line.starts_with("frame #") ||
         is_native_frame(trim(line)) || is_jvm_frame(line) || is_numbers(line) ||
         trim(line).find_first_not_of("^~=*#+_-| ") == std::string_view::npos;
}

bool names_exception(std::string_view line) {
  const std::string_view trimmed = trim(line);
  size_t end = 0;
  while (end < trimmed.size() &&
         (std::isalnum(static_cast<unsigned char>(trimmed[end])) != 0 || trimmed[end] == '_' ||
          trimmed[end] == '.' || trimmed[end] == '$')) {
    ++end;
  }
  const std::string_view name = trimmed.substr(0, end);
  const bool typed = name.size() > 5 && (name.ends_with("Error") || name.ends_with("Exception") ||
                                         name.ends_with("Interrupt"));
  return typed && (end == trimmed.size() || trimmed[end] == ':');
}

bool looks_like_error(std::string_view line) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"error",        "exception",     "fatal",      "fail",          "cannot",
       "can't",        "could not",     "unable to",  "not found",     "no such",
       "denied",       "refused",       "killed",     "abort",         "signal",
       "panic",        "timed out",     "timeout",    "out of memory", "oom",
       "invalid",      "unauthorized",  "forbidden",  "not enough",    "exit code",
       "segmentation", "not permitted", "terminated", "illegal",       "exceed",
       "no route",     "unreachable",   "no space",   "segfault",      "sigsegv",
       "exit status"});
  std::string text(line);
  std::ranges::transform(text, text.begin(), lowered);
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return text.find(word) != std::string::npos; });
}

std::vector<std::string> find_jvm_errors(const std::vector<std::string>& lines) {
  std::vector<std::string> errors;
  const size_t first = lines.size() - std::min(lines.size(), kLinesBackMax);
  for (size_t i = first; i < lines.size(); ++i) {
    const bool caused = trim(lines[i]).starts_with("Caused by:");
    const bool heads =
        i + 1 < lines.size() && !is_jvm_frame(lines[i]) && is_jvm_frame(lines[i + 1]);
    if (!caused && !heads) {
      continue;
    }
    // The message may have several lines before the frames.
    size_t at = i;
    while (at > first && i - at < kJvmMessageLinesMax &&
           lines[at].find("Exception") == std::string::npos &&
           lines[at].find("Error") == std::string::npos) {
      --at;
    }
    if (lines[at].find("Exception") == std::string::npos &&
        lines[at].find("Error") == std::string::npos) {
      continue;
    }
    if (errors.empty() || errors.back() != lines[at]) {
      errors.push_back(lines[at]);
    }
  }
  if (errors.size() > kJvmErrorsMax) {
    errors.erase(errors.begin(), errors.end() - static_cast<ptrdiff_t>(kJvmErrorsMax));
  }
  return errors;
}

namespace {

/// Returns how much of the beginning of `line` is also at the beginning of the next line.
size_t shared_prefix(std::string_view line, std::string_view next) {
  const std::string mine = masked(line);
  const std::string other = masked(next);
  const auto [end, unused] = std::ranges::mismatch(mine, other);
  return static_cast<size_t>(end - mine.begin());
}

}  // namespace

void strip_prefixes(std::vector<std::string>& lines) {
  for (size_t i = 0; i < lines.size(); ++i) {
    const size_t at = lines[i].find(kTracebackMark);
    if (at == std::string::npos) {
      continue;
    }
    std::string prefix = lines[i].substr(0, at);
    std::string said;
    // For "PREFIX the call failed: Traceback ...", the prefix ends where the next line's does.
    if (const size_t shared = i + 1 < lines.size() ? shared_prefix(prefix, lines[i + 1]) : 0;
        shared > 0 && shared < at && !trim(prefix.substr(0, shared)).empty()) {
      said = prefix.substr(shared);
      prefix.resize(shared);
    }
    prefix = masked(prefix);
    lines[i] = std::string(trim(prefix).empty() ? prefix : "") + std::string(kTracebackMark) + ":";
    if (trim(prefix).empty()) {
      continue;
    }
    for (size_t next = i + 1; next < lines.size(); ++next) {
      if (lines[next].size() < prefix.size() ||
          masked(std::string_view(lines[next]).substr(0, prefix.size())) != prefix) {
        break;
      }
      lines[next].erase(0, prefix.size());
    }
    if (!said.empty()) {
      lines.insert(lines.begin() + static_cast<ptrdiff_t>(i), std::move(said));
      ++i;
    }
  }
}

}  // namespace muster::verdict
