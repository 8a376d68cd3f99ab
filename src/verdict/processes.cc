#include "verdict/processes.h"

#include "base/text.h"
#include "verdict/clean_text.h"
#include "verdict/last_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <optional>

namespace muster::verdict {
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last)";
/// A date may come before a mark.
constexpr size_t kMarkEndMax = 80;

struct Marked {
  std::string_view process;
  std::string_view text;
};

size_t digits_at(std::string_view text, size_t at) {
  const size_t end = text.find_first_not_of("0123456789", at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

/// "[rank1]: text", "[default1]:text".
std::optional<Marked> marked_by_torch(std::string_view line) {
  if (!line.starts_with('[')) {
    return std::nullopt;
  }
  size_t at = 1;
  while (at < line.size() &&
         (std::isalpha(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_')) {
    ++at;
  }
  const size_t digits = digits_at(line, at);
  if (at == 1 || digits == 0 || !line.substr(at + digits).starts_with("]:")) {
    return std::nullopt;
  }
  const std::string_view rest = line.substr(at + digits + 2);
  return Marked{line.substr(0, at + digits), rest.starts_with(' ') ? rest.substr(1) : rest};
}

/// "[1,2]<stderr>:text", "Mon Sep 25 16:52:57 2023[1]<stderr>:text".
std::optional<Marked> marked_by_mpi(std::string_view line) {
  for (const std::string_view stream : {"]<stderr>:", "]<stdout>:"}) {
    const size_t end = line.substr(0, kMarkEndMax).find(stream);
    const size_t begin = end == std::string_view::npos ? end : line.rfind('[', end);
    if (begin != std::string_view::npos) {
      return Marked{line.substr(begin, end - begin), line.substr(end + stream.size())};
    }
  }
  return std::nullopt;
}

/// "(Worker pid=7, ip=10.0.0.1) text".
std::optional<Marked> marked_by_ray(std::string_view line) {
  constexpr std::string_view kPid = " pid=";
  const size_t close = line.starts_with('(') ? line.find(") ") : std::string_view::npos;
  const size_t pid = line.substr(0, close).find(kPid);
  if (close == std::string_view::npos || pid == std::string_view::npos ||
      digits_at(line, pid + kPid.size()) == 0) {
    return std::nullopt;
  }
  return Marked{line.substr(0, close), line.substr(close + 2)};
}

std::optional<Marked> marked(std::string_view line) {
  for (const auto read : {marked_by_torch, marked_by_mpi, marked_by_ray}) {
    if (const std::optional<Marked> found = read(line)) {
      return found;
    }
  }
  return std::nullopt;
}

/// Returns the signal directly after the first `mark`, if the number there is one.
std::optional<FirstSignal> signal_after(std::string_view output, std::string_view mark) {
  const size_t at = output.find(mark);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  FirstSignal found{.signal = 0, .line = {}};
  const std::string_view rest = output.substr(at + mark.size());
  if (std::from_chars(rest.data(), rest.data() + rest.size(), found.signal).ec != std::errc{}) {
    return std::nullopt;
  }
  const size_t before = output.rfind('\n', at);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  found.line = output.substr(begin, output.find('\n', at) - begin);
  return found;
}

}  // namespace

std::vector<std::string> split_by_process(std::string_view tail) {
  struct Process {
    std::string_view name;
    std::string text;
    size_t failed_at = 0;
    bool raised = false;
  };
  tail = tail.substr(tail.size() - std::min(tail.size(), kTailBytesMax));
  std::vector<Process> processes;
  size_t number = 0;
  for (const std::string_view line : split(tail, '\n')) {
    ++number;
    const std::optional<Marked> found = marked(line);
    if (!found) {
      continue;
    }
    auto process = std::ranges::find(processes, found->process, &Process::name);
    if (process == processes.end()) {
      process = processes.insert(processes.end(), Process{.name = found->process, .text = {}});
    }
    process->text.append(found->text).append("\n");
    const bool raises = found->text.contains(kTraceback);
    if (raises || !process->raised) {
      process->failed_at = number;
      process->raised = raises;
    }
  }
  if (processes.size() < 2) {
    return {};
  }
  std::ranges::sort(processes, {}, &Process::failed_at);
  std::vector<std::string> texts;
  for (Process& process : processes) {
    texts.push_back(std::move(process.text));
  }
  return texts;
}

// torchrun names the first process that failed, and ends the others itself.
std::optional<FirstSignal> first_signal(std::string_view output) {
  for (const std::string_view mark : {"failed (exitcode: -", "exited on signal "}) {
    if (const std::optional<FirstSignal> found = signal_after(output, mark)) {
      return found;
    }
  }
  return std::nullopt;
}

}  // namespace muster::verdict
