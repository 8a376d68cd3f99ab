#include "stacks/stack_report.h"

#include "base/text.h"
#include "stacks/debug_words.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace muster::stacks {
namespace {

namespace json = boost::json;

std::string cut(std::string_view text) {
  return printable(text.size() > kTextBytesMax ? text.substr(0, kTextBytesMax) : text);
}

std::string text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : cut(std::string_view(text->data(), text->size()));
}

template <class Number>
Number number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  boost::system::error_code failed;
  const Number number = value == nullptr ? Number{} : value->to_number<Number>(failed);
  return failed ? Number{} : number;
}

bool is_true(const json::object& object, std::string_view key, bool unless_told = false) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() ? value->get_bool() : unless_told;
}

const json::array* array_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value == nullptr ? nullptr : value->if_array();
}

std::optional<json::value> parse(std::string_view text) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed, {}, {.max_depth = 8});
  return failed ? std::nullopt : std::optional(std::move(value));
}

json::array frames_json(const std::vector<Frame>& frames) {
  json::array list;
  for (const Frame& frame : frames) {
    list.push_back(json::array{frame.function, frame.file, frame.line});
  }
  return list;
}

std::vector<Frame> frames_of(const json::array& list) {
  std::vector<Frame> frames;
  for (const json::value& value : list) {
    const json::array* frame = value.if_array();
    if (frame == nullptr || frame->size() != 3 || !(*frame)[0].is_string() ||
        !(*frame)[1].is_string() || frames.size() >= kFramesMax) {
      continue;
    }
    boost::system::error_code failed;
    const auto line = (*frame)[2].to_number<uint32_t>(failed);
    frames.push_back({.function = cut((*frame)[0].get_string()),
                      .file = cut((*frame)[1].get_string()),
                      .line = failed ? 0 : line});
  }
  return frames;
}

std::vector<EndedChild> ended_of(const json::object& object) {
  std::vector<EndedChild> ended;
  const json::array* const list = array_of(object, "ended");
  for (const json::value& value : list == nullptr ? json::array() : *list) {
    const json::object* const child = value.if_object();
    if (child != nullptr && ended.size() < kEndedMax) {
      ended.push_back({.pid = number_of<int32_t>(*child, "pid"),
                       .code = number_of<int32_t>(*child, "code"),
                       .signal = number_of<int32_t>(*child, "signal")});
    }
  }
  return ended;
}

std::optional<Process> process_of(const json::object& object) {
  Process process;
  process.pid = number_of<int32_t>(object, "pid");
  process.parent = number_of<int32_t>(object, "parent");
  process.command = text_of(object, "command");
  process.python = is_true(object, "python");
  process.java = is_true(object, "java");
  process.reachable = is_true(object, "reachable", true);
  process.ended = ended_of(object);
  const json::array* threads = array_of(object, "threads");
  if (process.pid <= 0 || threads == nullptr) {
    return std::nullopt;
  }
  for (const json::value& value : *threads) {
    const json::object* thread = value.if_object();
    if (thread == nullptr || process.threads.size() >= kThreadsMax) {
      continue;
    }
    const std::string state = text_of(*thread, "state");
    process.threads.push_back(
        {.id = number_of<int32_t>(*thread, "id"),
         .name = text_of(*thread, "name"),
         .state = state.empty() ? '?' : state[0],
         .wait_channel = text_of(*thread, "wait_channel"),
         .system_call = text_of(*thread, "system_call"),
         .target = text_of(*thread, "target"),
         .fed = is_true(*thread, "fed"),
         .takes = is_true(*thread, "takes"),
         .input = is_true(*thread, "input"),
         .timed = is_true(*thread, "timed"),
         .brief = is_true(*thread, "brief"),
         .awaits = number_of<int32_t>(*thread, "awaits"),
         .holds_gil = false,
         .sleeps_s = thread->contains("sleeps_s")
                         ? std::optional(number_of<uint32_t>(*thread, "sleeps_s"))
                         : std::nullopt,
         .variables = 0,
         .frames = {}});
  }
  return process;
}

std::vector<Collectives> collectives_of(const json::array& groups) {
  std::vector<Collectives> found;
  for (const json::value& value : groups) {
    const json::object* const group = value.if_object();
    if (group != nullptr && found.size() < kCollectivesMax) {
      found.push_back({.group = text_of(*group, "group"),
                       .entered = number_of<uint64_t>(*group, "entered"),
                       .completed = number_of<uint64_t>(*group, "completed"),
                       .call = text_of(*group, "call"),
                       .place = text_of(*group, "place"),
                       .sizes = text_of(*group, "sizes")});
    }
  }
  return found;
}

/// Makes a thread the main one, if it is one of them.
void put_first(Process& process, int32_t id) {
  const auto found = std::ranges::find(process.threads, id, &Thread::id);
  if (found != process.threads.end()) {
    std::rotate(process.threads.begin(), found, found + 1);
  }
}

Thread* thread_of(Process& process, int32_t id) {
  const auto found = std::ranges::find(process.threads, id, &Thread::id);
  return found == process.threads.end() ? nullptr : &*found;
}

/// Whatever program the agent is, even if it was replaced on the disk.
constexpr std::string_view kProgram = "/proc/self/exe";
constexpr std::string_view kVerb = "stack-probe";

}  // namespace

std::vector<std::string> debug_command() { return {std::string(kProgram), "debug-probe"}; }

std::vector<std::string> probe_command() { return {std::string(kProgram), std::string(kVerb)}; }

bool is_probe(std::string_view what) {
  return what.starts_with(fmt::format("{} {}", kProgram, kVerb));
}

std::string process_line(const Process& process) {
  json::array threads;
  for (const Thread& thread : process.threads) {
    json::object line{{"id", thread.id},
                      {"name", cut(thread.name)},
                      {"state", std::string(1, thread.state)},
                      {"wait_channel", cut(thread.wait_channel)},
                      {"system_call", cut(thread.system_call)},
                      {"target", cut(thread.target)},
                      {"fed", thread.fed},
                      {"takes", thread.takes},
                      {"input", thread.input},
                      {"timed", thread.timed},
                      {"brief", thread.brief},
                      {"awaits", thread.awaits}};
    if (thread.sleeps_s) {
      line["sleeps_s"] = *thread.sleeps_s;
    }
    threads.push_back(std::move(line));
  }
  json::array ended;
  for (const EndedChild& child : process.ended) {
    ended.push_back(
        json::object{{"pid", child.pid}, {"code", child.code}, {"signal", child.signal}});
  }
  const json::object line{{"pid", process.pid},
                          {"parent", process.parent},
                          {"command", cut(process.command)},
                          {"python", process.python},
                          {"java", process.java},
                          {"reachable", process.reachable},
                          {"threads", std::move(threads)},
                          {"ended", std::move(ended)}};
  return json::serialize(json::object{{"process", line}}) + "\n";
}

std::string frames_line(const Process& process) {
  json::array threads;
  for (const Thread& thread : process.threads) {
    if (!thread.frames.empty()) {
      threads.push_back(json::object{{"id", thread.id},
                                     {"name", cut(thread.name)},
                                     {"variables", thread.variables},
                                     {"holds_gil", thread.holds_gil},
                                     {"frames", frames_json(thread.frames)}});
    }
  }
  const json::object line{{"pid", process.pid},
                          {"main", process.threads.empty() ? 0 : process.threads.front().id},
                          {"command", cut(process.command)},
                          {"misses_py_spy", process.misses_py_spy},
                          {"problem", printable(process.problem.substr(0, 4 * kTextBytesMax))},
                          {"threads", std::move(threads)}};
  return json::serialize(json::object{{"frames", line}}) + "\n";
}

std::string collectives_line(const std::vector<Collectives>& collectives) {
  json::array groups;
  for (const Collectives& each : collectives) {
    groups.push_back(json::object{{"group", cut(each.group)},
                                  {"entered", each.entered},
                                  {"completed", each.completed},
                                  {"call", cut(each.call)},
                                  {"place", cut(each.place)},
                                  {"sizes", cut(each.sizes)}});
  }
  return json::serialize(json::object{{"collectives", json::object{{"groups", groups}}}}) + "\n";
}

std::string end_line(uint32_t left_out) {
  return json::serialize(json::object{{"end", json::object{{"left_out", left_out}}}}) + "\n";
}

void ReportReader::take(std::string_view bytes) {
  for (const char byte : bytes) {
    if (++bytes_ > 2 * kReportBytesMax) {
      return;
    }
    if (byte != '\n') {
      rest_ += byte;
      continue;
    }
    dropped_ += take_line(std::exchange(rest_, {})) ? 0 : 1;
  }
}

bool ReportReader::take_line(std::string_view line) {
  const std::optional<json::value> value = parse(line);
  const json::object* object = value ? value->if_object() : nullptr;
  if (object == nullptr || object->size() != 1 || !object->begin()->value().is_object()) {
    return false;
  }
  const std::string_view kind = object->begin()->key();
  const json::object& body = object->begin()->value().get_object();
  if (kind == "end") {
    report_.left_out = number_of<uint32_t>(body, "left_out");
    report_.complete = true;
    return true;
  }
  if (kind == "process") {
    std::optional<Process> process = process_of(body);
    if (!process || report_.processes.size() >= kProcessesMax) {
      return false;
    }
    report_.processes.push_back(*std::move(process));
    return true;
  }
  if (kind == "collectives") {
    const json::array* const groups = array_of(body, "groups");
    report_.collectives = groups == nullptr ? std::vector<Collectives>() : collectives_of(*groups);
    return groups != nullptr;
  }
  const auto known =
      std::ranges::find(report_.processes, number_of<int32_t>(body, "pid"), &Process::pid);
  const json::array* threads = array_of(body, "threads");
  if (kind != "frames" || known == report_.processes.end() || threads == nullptr) {
    return false;
  }
  if (std::string command = text_of(body, "command"); !command.empty()) {
    known->command = std::move(command);
  }
  known->misses_py_spy = is_true(body, "misses_py_spy");
  const json::value* problem = body.if_contains("problem");
  if (problem != nullptr && problem->is_string()) {
    known->problem =
        printable(std::string_view(problem->get_string()).substr(0, 4 * kTextBytesMax));
  }
  for (const json::value& each : *threads) {
    const json::object* thread = each.if_object();
    const json::array* frames = thread == nullptr ? nullptr : array_of(*thread, "frames");
    Thread* const seen =
        frames == nullptr ? nullptr : thread_of(*known, number_of<int32_t>(*thread, "id"));
    if (seen != nullptr) {
      seen->frames = frames_of(*frames);
      seen->variables = number_of<uint64_t>(*thread, "variables");
      seen->holds_gil = is_true(*thread, "holds_gil");
      if (std::string name = text_of(*thread, "name"); !name.empty()) {
        seen->name = std::move(name);
      }
    }
  }
  put_first(*known, number_of<int32_t>(body, "main"));
  return true;
}

namespace {

/// FNV-1a, continued from `hash`.
uint64_t mix(uint64_t hash, std::string_view text) {
  for (const char byte : text) {
    hash = (hash ^ static_cast<uint8_t>(byte)) * 0x100000001b3ULL;
  }
  return hash;
}

/// Continues `hash` over the variables of one frame, as py-spy prints them.
uint64_t mix_variables(uint64_t hash, const json::object& frame) {
  const json::array* const variables = array_of(frame, "locals");
  if (variables == nullptr) {
    return hash;
  }
  for (const json::value& each : *variables) {
    const json::object* const variable = each.if_object();
    const json::value* const shown = variable == nullptr ? nullptr : variable->if_contains("repr");
    if (shown != nullptr && shown->is_string()) {
      hash = mix(mix(hash, text_of(*variable, "name")), std::string_view(shown->get_string()));
    }
  }
  return hash;
}

}  // namespace

Status read_py_spy(std::string_view text, Process& process) {
  const std::optional<json::value> value = parse(text);
  const json::array* threads = value ? value->if_array() : nullptr;
  if (threads == nullptr) {
    return Error{Errc::Corrupt, Blame::Cluster, "py-spy printed something other than stacks"};
  }
  for (const json::value& each : *threads) {
    const json::object* object = each.if_object();
    const json::array* frames = object == nullptr ? nullptr : array_of(*object, "frames");
    if (frames == nullptr || process.threads.empty()) {
      continue;
    }
    const auto id = number_of<int32_t>(*object, "os_thread_id");
    const std::string name = text_of(*object, "thread_name");
    Thread* thread = id == 0 ? nullptr : thread_of(process, id);
    if (thread == nullptr && name == "MainThread") {
      thread = &process.threads.front();
    }
    if (thread == nullptr) {
      continue;
    }
    thread->name = name.empty() ? thread->name : name;
    thread->holds_gil = is_true(*object, "owns_gil");
    thread->frames.clear();
    uint64_t variables = 0;
    for (const json::value& one : *frames) {
      const json::object* frame = one.if_object();
      if (frame == nullptr || thread->frames.size() >= kFramesMax) {
        continue;
      }
      thread->frames.push_back({.function = text_of(*frame, "name"),
                                .file = text_of(*frame, "filename"),
                                .line = number_of<uint32_t>(*frame, "line")});
      variables = mix_variables(variables, *frame);
    }
    thread->variables = variables;
  }
  return {};
}

namespace {

std::optional<int32_t> number_in(std::string_view line, std::string_view before) {
  const size_t at = line.find(before);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  int32_t number = 0;
  const char* const first = line.data() + at + before.size();
  const auto [end, failed] = std::from_chars(first, line.data() + line.size(), number);
  return failed == std::errc() && end != first ? std::optional(number) : std::nullopt;
}

/// "#3  0x00007f in poll () from /lib/libc.so.6", "#3  poll (...) at poll.c:29",
/// "#3  0x00007f poll - /lib/libc.so.6".
std::optional<Frame> native_frame(std::string_view line) {
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  std::string_view rest = trim(line.substr(std::min(line.find(' '), line.size())));
  if (rest.starts_with("0x")) {
    rest = trim(rest.substr(std::min(rest.find(' '), rest.size())));
  }
  if (rest.starts_with("in ")) {
    rest = trim(rest.substr(3));
  }
  Frame frame;
  if (const size_t from = rest.rfind(" from "); from != std::string_view::npos) {
    frame.file = cut(rest.substr(from + 6));
  } else if (const size_t at = rest.rfind(" at "); at != std::string_view::npos) {
    const std::string_view place = rest.substr(at + 4);
    const size_t colon = place.rfind(':');
    frame.file = cut(place.substr(0, colon));
    frame.line = static_cast<uint32_t>(
        colon == std::string_view::npos ? 0 : number_in(place.substr(colon), ":").value_or(0));
  } else if (const size_t dash = rest.find(" - "); dash != std::string_view::npos) {
    frame.file = cut(rest.substr(dash + 3));
  }
  frame.function = cut(rest.substr(0, rest.find(' ')));
  return frame.function.empty() ? std::nullopt : std::optional(std::move(frame));
}

}  // namespace

void read_native(std::string_view text, Process& process) {
  Thread* thread = nullptr;
  for (const std::string_view line : split(text, '\n')) {
    std::optional<int32_t> id = number_in(line, "(LWP ");
    id = id || !line.starts_with("TID ") ? id : number_in(line, "TID ");
    if (id && (line.starts_with("Thread ") || line.starts_with("TID "))) {
      thread = thread_of(process, *id);
    } else if (std::optional<Frame> frame = native_frame(line);
               frame && thread != nullptr && thread->frames.size() < kFramesMax) {
      thread->frames.push_back(*std::move(frame));
    }
  }
}

}  // namespace muster::stacks
