#include "stacks/suspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <ranges>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::stacks {
namespace {

using job::Sureness;

constexpr size_t kEvidenceBytesMax = 4U << 10;
constexpr size_t kShownFramesMax = 12;

/// Stopped by a signal, or in a call that the kernel does not finish: no wait of a program's own.
bool is_held(const Subject& subject) {
  const Thread* thread = telling_of(subject.report).thread;
  return thread != nullptr && (thread->state == 'T' || thread->state == 'D');
}

/// Calls in which a server waits for its next request.
bool waits_for_events(const Thread& thread) {
  static constexpr std::array<std::string_view, 9> kCalls = {
      "accept", "accept4",  "epoll_pwait",     "epoll_wait", "poll",
      "ppoll",  "pselect6", "rt_sigtimedwait", "select"};
  return std::ranges::find(kCalls, thread.system_call) != kCalls.end();
}

/// A server that has nothing to do, or a program that sleeps until it is told to end.
bool is_idle(const Subject& subject) {
  static constexpr std::array<std::string_view, 6> kFiles = {
      "/asyncio/", "/gunicorn/", "/socketserver.py", "/tornado/", "/uvicorn/", "/werkzeug/"};
  const Telling telling = telling_of(subject.report);
  if (telling.thread == nullptr || telling.thread->state != 'S') {
    return false;
  }
  const Thread& thread = *telling.thread;
  if (thread.frames.empty()) {
    return !telling.process->python && (waits_for_events(thread) || thread.system_call == "pause" ||
                                        thread.system_call == "rt_sigsuspend");
  }
  return waits_for_events(thread) && std::ranges::any_of(thread.frames, [](const Frame& frame) {
           return std::ranges::any_of(kFiles, [&](std::string_view part) {
             return frame.file.find(part) != std::string::npos;
           });
         });
}

/// Sleeping for a time that the program chose ends by itself.
bool sleeps(const Subject& subject) {
  const Thread* thread = telling_of(subject.report).thread;
  return thread != nullptr &&
         (thread->system_call == "clock_nanosleep" || thread->system_call == "nanosleep");
}

/// Whether more is known than what the kernel says of a Python program, which is much the same
/// wherever it waits.
bool is_telling(const Subject& subject) {
  const Telling telling = telling_of(subject.report);
  return telling.thread != nullptr && (!telling.process->python || !telling.thread->frames.empty());
}

struct Choice {
  const Group* group = nullptr;
  Sureness sure = Sureness::Unsure;
};

/// Where nobody waits for anybody: the group that differs from the others.
Choice choose_odd(std::span<const Subject> subjects, const std::vector<const Group*>& rest) {
  const Subject& first = subjects[rest.front()->members.front()];
  if (subjects.size() == 1) {
    return {rest.front(),
            sleeps(first) || !is_telling(first) ? Sureness::Unsure : Sureness::Likely};
  }
  const bool differs = rest.size() > 1 && rest.front()->members.size() < rest[1]->members.size() &&
                       rest.front()->members.size() * 2 < subjects.size();
  return {rest.front(), differs && is_telling(first) ? Sureness::Likely : Sureness::Unsure};
}

/// The group in which the suspect is; none: there is nobody to suspect. `groups` are smallest
/// first.
Choice choose(std::span<const Subject> subjects, const std::vector<Group>& groups) {
  std::vector<const Group*> apart;  // Those that wait for nobody.
  std::vector<const Group*> waiting;
  bool any_read = false;
  for (const Group& each : groups) {
    any_read = any_read || each.read;
    if (each.read && !is_idle(subjects[each.members.front()])) {
      (each.waits_for_peers ? waiting : apart).push_back(&each);
    }
  }
  const auto held = std::ranges::find_if(
      apart, [&](const Group* each) { return is_held(subjects[each->members.front()]); });
  if (held != apart.end() &&
      ((*held)->members.size() * 2 <= subjects.size() || subjects.size() == 1)) {
    return {*held, (*held)->members.size() == 1 && subjects.size() > 1 ? Sureness::Certain
                                                                       : Sureness::Likely};
  }
  if (!apart.empty() && !waiting.empty()) {
    const bool alone = apart.size() == 1 && apart.front()->members.size() == 1;
    return {apart.front(), alone && waiting.size() == 1 ? Sureness::Certain : Sureness::Likely};
  }
  const std::vector<const Group*>& rest = apart.empty() ? waiting : apart;
  if (!rest.empty()) {
    return choose_odd(subjects, rest);
  }
  return {any_read ? nullptr : &groups.front(), Sureness::Unsure};
}

std::string line_of(std::span<const Subject> subjects, const Group& group, bool is_rest) {
  std::vector<std::string> names;
  std::ranges::transform(group.members, std::back_inserter(names),
                         [&](size_t member) { return subjects[member].task; });
  // They come in another order; "worker:9" is before "worker:10".
  std::ranges::sort(names, {},
                    [](const std::string& name) { return std::pair(name.size(), name); });
  const Report& report = subjects[group.members.front()].report;
  std::string what = group.read ? describe(telling_of(report), names.size() > 1)
                                : std::string("could not be read");
  if (is_rest && names.size() > 3) {
    return fmt::format("{} of {} tasks {}\n", names.size(), subjects.size(), what);
  }
  if (names.size() == 1) {
    what += describe_behind(telling_of(report), behind(report));
  }
  return fmt::format("{} {}\n", join_tasks(names), what);
}

void add_frames(const Thread& thread, std::string& text) {
  size_t shown = 0;
  for (const Frame& frame : thread.frames) {
    if (++shown <= kShownFramesMax) {
      text += fmt::format("  {}\n", to_string(frame));
    }
  }
}

std::string evidence_of(std::span<const Subject> subjects, const std::vector<Group>& groups,
                        const Choice& choice, size_t suspect) {
  std::string text = line_of(subjects, *choice.group, false);
  for (const Group& each : groups | std::views::reverse) {
    if (&each != choice.group && text.size() < kEvidenceBytesMax / 2) {
      text += line_of(subjects, each, true);
    }
  }
  const Telling telling = telling_of(subjects[suspect].report);
  if (telling.thread == nullptr) {
    return text;
  }
  add_frames(*telling.thread, text);
  for (const Telling& other : behind(subjects[suspect].report)) {
    text +=
        fmt::format("  {} of process {}:\n",
                    other.thread->name.empty() ? "thread" : other.thread->name, other.process->pid);
    add_frames(*other.thread, text);
  }
  if (telling.thread->frames.empty() && !telling.process->problem.empty()) {
    text += telling.process->problem + "\n";
  }
  return text;
}

}  // namespace

std::optional<Suspect> find_suspect(std::span<const Subject> subjects) {
  const std::vector<Group> groups = group(subjects);
  const Choice choice = choose(subjects, groups);
  if (choice.group == nullptr) {
    return std::nullopt;
  }
  Suspect suspect{
      .subject = choice.group->members.front(), .sure = choice.sure, .place = {}, .evidence = {}};
  if (const Thread* thread = telling_of(subjects[suspect.subject].report).thread) {
    const std::vector<Telling> stuck = behind(subjects[suspect.subject].report);
    suspect.place = place_of(stuck.empty() ? *thread : *stuck.front().thread);
  }
  suspect.evidence = evidence_of(subjects, groups, choice, suspect.subject);
  while (!suspect.evidence.empty() && suspect.evidence.back() == '\n') {
    suspect.evidence.pop_back();
  }
  suspect.evidence.resize(std::min(suspect.evidence.size(), kEvidenceBytesMax));
  return suspect;
}

namespace {

/// Whether one that is busy does nothing but wait, as far as its stacks tell.
bool waits_busily(std::span<const std::vector<Subject>> rounds, size_t subject) {
  const Thread* first = telling_of(rounds.front()[subject].report).thread;
  size_t computing = 0;
  for (const std::vector<Subject>& round : rounds) {
    const Thread* thread = telling_of(round[subject].report).thread;
    if (first == nullptr || thread == nullptr || !is_same_place(*first, *thread)) {
      return false;
    }
    computing += is_computing(*thread) ? 1 : 0;
  }
  return 2 * computing < rounds.size();
}

}  // namespace

std::optional<Suspect> find_busy_suspect(std::span<const std::vector<Subject>> rounds,
                                         std::span<const Pause> pauses) {
  for (size_t i = 0; i < pauses.size(); ++i) {
    if (!pauses[i].quiet && !waits_busily(rounds, i)) {
      return std::nullopt;
    }
  }
  std::optional<Suspect> suspect = find_suspect(rounds.back());
  if (!suspect || pauses[suspect->subject].quiet) {
    return suspect;
  }
  if (pauses.size() == 1 || suspect->sure == Sureness::Unsure) {
    // A loop that takes long looks the same: only missing steps speak against it.
    suspect->sure = Sureness::Unsure;
    return pauses[suspect->subject].reports ? suspect : std::nullopt;
  }
  suspect->sure = Sureness::Likely;
  return suspect;
}

}  // namespace muster::stacks
