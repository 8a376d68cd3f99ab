#include "base/text.h"
#include "stacks/stack_groups.h"
#include "stacks/stack_report.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::stacks {
namespace {

std::string shown(std::string_view text) { return printable(text.substr(0, kTextBytesMax)); }

uint32_t line_number(std::string_view text) {
  uint32_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  return parsed.ec == std::errc() ? number : 0;
}

Thread* java_thread_of(Process& process, int32_t id) {
  const auto found = std::ranges::find(process.threads, id, &Thread::id);
  return found == process.threads.end() ? nullptr : &*found;
}

/// `"main" #1 prio=5 ... nid=0x1a waiting on condition`, where a thread begins. Its number is
/// hexadecimal up to Java 19.
struct JavaThread {
  int32_t id = 0;
  std::string name;
  bool daemon = false;  ///< The program's end does not wait for it.
};

std::optional<JavaThread> java_thread(std::string_view line) {
  constexpr std::string_view kNumber = " nid=";
  const size_t at = line.rfind(kNumber);
  const size_t quote = line.substr(0, at).rfind('"');
  if (!line.starts_with('"') || at == std::string_view::npos || quote == 0) {
    return std::nullopt;
  }
  std::string_view number = line.substr(at + kNumber.size());
  const int base = number.starts_with("0x") ? 16 : 10;
  number.remove_prefix(base == 16 ? 2 : 0);
  JavaThread thread{
      .name = shown(line.substr(1, quote - 1)),
      .daemon = line.substr(quote, at - quote).find(" daemon ") != std::string_view::npos};
  const auto parsed =
      std::from_chars(number.data(), number.data() + number.size(), thread.id, base);
  return parsed.ec == std::errc() ? std::optional(std::move(thread)) : std::nullopt;
}

/// "at a.b.C.run(java.base@17.0.9/C.java:12)", "at a.b.C.run(Native Method)".
std::optional<Frame> java_frame(std::string_view line) {
  line = trim(line);
  const size_t open = line.find('(');
  if (!line.starts_with("at ") || open == std::string_view::npos || !line.ends_with(')')) {
    return std::nullopt;
  }
  std::string_view place = line.substr(open + 1, line.size() - open - 2);
  place.remove_prefix(place.find('/') == std::string_view::npos ? 0 : place.find('/') + 1);
  const size_t colon = place.rfind(':');
  Frame frame{.function = shown(trim(line.substr(3, open - 3)))};
  if (colon != std::string_view::npos) {
    frame.file = shown(place.substr(0, colon));
    frame.line = line_number(place.substr(colon + 1));
  }
  return frame;
}

}  // namespace

Status read_java(std::string_view text, Process& process) {
  Thread* thread = nullptr;
  int32_t main = 0;
  std::vector<int32_t> others;  // Those that must end before the program does.
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with('"')) {
      const std::optional<JavaThread> begun = java_thread(line);
      thread = begun ? java_thread_of(process, begun->id) : nullptr;
      if (thread != nullptr) {
        thread->name = begun->name;
        thread->frames.clear();
        main = begun->name == "main" && main == 0 ? begun->id : main;
        if (!begun->daemon) {
          others.push_back(begun->id);
        }
      }
    } else if (std::optional<Frame> frame = java_frame(line);
               frame && thread != nullptr && thread->frames.size() < kFramesMax) {
      thread->frames.push_back(*std::move(frame));
    }
  }
  std::erase_if(others, [&](int32_t id) { return java_thread_of(process, id)->frames.empty(); });
  const auto own = std::ranges::find_if(
      others, [&](int32_t id) { return is_in_own_code(*java_thread_of(process, id)); });
  if (main == 0 && !others.empty()) {
    main = own == others.end() ? others.front() : *own;
  }
  if (main == 0) {
    return Error{Errc::Corrupt, Blame::Cluster,
                 "the Java virtual machine printed something other than stacks"};
  }
  const auto first = std::ranges::find(process.threads, main, &Thread::id);
  std::rotate(process.threads.begin(), first, first + 1);
  return {};
}

}  // namespace muster::stacks
