#include "stacks/suspect.h"

#include "stacks/collective_suspect.h"
#include "stacks/servers.h"
#include "stacks/steps_apart.h"
#include "stacks/vain_wait.h"

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

/// Stopped by a signal, or in a call that the kernel does not finish; neither is a wait of the
/// program's own.
bool is_held(const Subject& subject) {
  const Thread* thread = telling_of(subject.report).thread;
  return thread != nullptr && (thread->state == 'T' || thread->state == 'D');
}

/// "sh -c while true; do sleep 3600; done", with any blanks.
bool is_loop_of_sleep(std::string_view command) {
  std::vector<std::string_view> words;
  for (size_t at = command.find("while "); at < command.size();) {
    const size_t end = std::min(command.find_first_of(" ;\n", at), command.size());
    if (end > at) {
      words.push_back(command.substr(at, end - at));
    }
    at = end + 1;
  }
  return words.size() == 6 && (words[1] == "true" || words[1] == ":") && words[2] == "do" &&
         words[3] == "sleep" && words[5] == "done";
}

/// Returns whether the task has no work of its own: it runs `sleep infinity`, `tail -f /dev/null`,
/// or `sleep 3600` again and again. One that sleeps for a given time waits for its end, and may
/// keep others waiting.
bool is_placeholder(const Subject& subject, const Telling& telling) {
  const std::string& name = telling.thread->name;
  const std::string_view command = telling.process->command;
  if (name == "sleep" && is_loop_of_sleep(subject.report.processes.front().command)) {
    return true;
  }
  return telling.process == &subject.report.processes.front() && telling.thread->frames.empty() &&
         (name == "tail" ||
          (name == "sleep" && (command.ends_with(" infinity") || command.ends_with(" inf"))));
}

/// Returns whether this is a server that has nothing to do, or a program that sleeps until it is
/// told to end. `alone`: it has no peers.
bool is_idle(const Subject& subject, bool alone) {
  const Telling telling = telling_of(subject.report);
  if (telling.thread == nullptr || telling.thread->state != 'S') {
    return false;
  }
  const Thread& thread = *telling.thread;
  const Process& process = *telling.process;
  const bool serves = server_of(process) != nullptr;
  if (thread.frames.empty()) {
    // Java's main thread only waits for another one; libraries for peers serve these.
    return !process.python && (waits_for_signal(thread) || is_placeholder(subject, telling) ||
                               (waits_for_events(thread) && process.reachable) ||
                               (alone && thread.system_call == "futex" && serves));
  }
  if (waits_for_signal(thread) || (is_serving(thread) && process.reachable)) {
    return true;
  }
  if (thread.system_call != "futex") {
    return false;
  }
  if (process.java) {
    return alone && serves;
  }
  // A main thread that waits for the server's own threads to end, or to be told to end.
  const std::vector<Telling> others = behind(subject.report);
  if (is_in_server(thread) && others.empty()) {
    return true;
  }
  const bool for_flag = waits_for_flag(thread);
  return serves && (for_flag || joins_thread(thread)) &&
         std::ranges::all_of(others, [for_flag](const Telling& other) {
           return is_serving(*other.thread) || (for_flag && is_in_library(*other.thread));
         });
}

/// A sleep for a time that the program chose ends by itself.
bool does_sleep(const Subject& subject) {
  const Thread* thread = telling_of(subject.report).thread;
  return thread != nullptr && is_asleep(*thread);
}

/// A program that sleeps for less asks again and again for something that does not come.
constexpr uint32_t kLongSleepS = 10;

/// "python3 -i", "sh": an interpreter that was given no program.
bool has_no_program(std::string_view command) {
  const size_t blank = command.find(' ');
  return blank == std::string_view::npos || command.substr(blank + 1) == "-i";
}

/// Returns whether a program has nothing to do, because its time has not come or nobody has told it
/// what to do, and, as far as can be seen, does not hang. One that has made progress before stands
/// still, unless it is told what to do line by line.
bool is_resting(const Subject& subject) {
  const Telling telling = telling_of(subject.report);
  if (telling.thread == nullptr || telling.thread->state != 'S') {
    return false;
  }
  const Thread& thread = *telling.thread;
  if (!behind(subject.report).empty()) {
    return false;
  }
  if (thread.sleeps_s.value_or(0) >= kLongSleepS) {
    return !subject.got_on;
  }
  if (!thread.frames.empty()) {
    return !subject.got_on &&
           waits_for_flag(thread);  // Perhaps for a signal: none of its own threads could set it.
  }
  const bool shell = thread.name == "sh" || thread.name == "bash" || thread.name == "dash";
  return (shell || telling.process->python) && is_reading(thread) &&
         telling.process->problem.empty() && has_no_program(telling.process->command);
}

/// Something outside the job that a task waits for.
enum class Outside : uint8_t { No, Input, Other };

Outside outside_of(const Subject& subject) {
  const Telling telling = telling_of(subject.report);
  if (telling.thread == nullptr) {
    return Outside::No;
  }
  const std::vector<Telling> others = behind(subject.report);
  const bool named = telling.thread->target.starts_with('/');
  if (others.empty() && is_awaiting_input(*telling.thread) &&
      ((telling.thread->input && named) || !subject.got_on)) {
    return Outside::Input;
  }
  if (subject.got_on) {
    return Outside::No;
  }
  const bool asks = others.empty() ? is_asking(*telling.process, *telling.thread)
                                   : std::ranges::all_of(others, [](const Telling& other) {
                                       return is_asking(*other.process, *other.thread);
                                     });
  return asks ? Outside::Other : Outside::No;
}

/// Returns what all of those that wait for nobody in the job wait for, if it is the same, in the
/// same function. Otherwise one of them may be what another one waits for.
Outside outside_of(std::span<const Subject> subjects, const std::vector<const Group*>& apart) {
  if (apart.empty()) {
    return Outside::No;
  }
  const Subject& first = subjects[apart.front()->members.front()];
  const Outside outside = outside_of(first);
  const bool all = std::ranges::all_of(apart, [&](const Group* each) {
    const Subject& other = subjects[each->members.front()];
    return outside_of(other) == outside &&
           is_same_function(*telling_of(first.report).thread, *telling_of(other.report).thread);
  });
  return all ? outside : Outside::No;
}

std::string_view words_of(Outside outside) {
  switch (outside) {
    case Outside::No:
      return "";
    case Outside::Input:
      return "; nobody has written there yet";
    case Outside::Other:
      return "; it keeps asking for something outside the job";
  }
  return "";
}

/// Returns whether more is known about a Python program than what the kernel says, which is much
/// the same wherever it waits.
bool is_telling(const Subject& subject) {
  const Telling telling = telling_of(subject.report);
  return telling.thread != nullptr && (!telling.process->python || !telling.thread->frames.empty());
}

struct Choice {
  const Group* group = nullptr;
  Sureness sure = Sureness::Unsure;
  Outside outside = Outside::No;
  bool mismatched = false;  ///< All wait for their peers, in calls that cannot meet.
};

/// Returns whether those groups are in different calls in which all ranks meet. A sender and a
/// receiver may well meet, and a rank that makes or leaves a group meets nobody yet.
bool are_mismatched(std::span<const Subject> subjects, const std::vector<const Group*>& waiting) {
  static constexpr std::array<std::string_view, 8> kMeetOthers = {"destroy_process_group",
                                                                  "init_process_group",
                                                                  "recv",
                                                                  "recv_object_list",
                                                                  "send",
                                                                  "send_object_list",
                                                                  "",
                                                                  "store_based_barrier"};
  std::string_view first;
  bool differ = false;
  for (const Group* group : waiting) {
    const std::string_view call =
        collective_in(*telling_of(subjects[group->members.front()].report).thread);
    if (std::ranges::find(kMeetOthers, call) != kMeetOthers.end()) {
      return false;
    }
    differ = differ || (!first.empty() && call != first);
    first = first.empty() ? call : first;
  }
  return differ;
}

/// If nobody waits for anybody: chooses the group that differs from the others.
Choice choose_odd(std::span<const Subject> subjects, const std::vector<const Group*>& rest) {
  const Subject& first = subjects[rest.front()->members.front()];
  if (subjects.size() == 1) {
    return {rest.front(),
            does_sleep(first) || !is_telling(first) ? Sureness::Unsure : Sureness::Likely};
  }
  const bool differs = rest.size() > 1 && rest.front()->members.size() < rest[1]->members.size() &&
                       rest.front()->members.size() * 2 < subjects.size();
  return {rest.front(), differs && is_telling(first) ? Sureness::Likely : Sureness::Unsure};
}

/// Chooses the group with the suspect; none if there is nobody to suspect. `groups` are sorted by
/// size, smallest first.
Choice choose(std::span<const Subject> subjects, const std::vector<Group>& groups) {
  std::vector<const Group*> apart;  // Those that wait for none of their peers.
  std::vector<const Group*> waiting;
  std::vector<const Group*> idle;
  bool any_read = false;
  for (const Group& each : groups) {
    const Subject& first = subjects[each.members.front()];
    any_read = any_read || each.read || !first.needed;
    if (!each.read || (!first.needed && !is_held(first))) {
      continue;
    }
    (is_idle(first, subjects.size() == 1) ? idle
     : each.waits_for_peers               ? waiting
                                          : apart)
        .push_back(&each);
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
  if (!idle.empty() && !waiting.empty()) {
    return {idle.front(), Sureness::Likely};
  }
  const bool all_rest = std::ranges::all_of(
      apart, [&](const Group* each) { return is_resting(subjects[each->members.front()]); });
  if (!apart.empty() && all_rest) {
    return {apart.front(), Sureness::Sign};
  }
  if (const Outside outside = outside_of(subjects, apart); outside != Outside::No) {
    return {apart.front(), Sureness::Sign, outside};
  }
  const std::vector<const Group*>& rest = apart.empty() ? waiting : apart;
  if (!rest.empty()) {
    Choice choice = choose_odd(subjects, rest);
    choice.mismatched = apart.empty() && are_mismatched(subjects, waiting);
    return choice;
  }
  return {any_read ? nullptr : &groups.front(), Sureness::Unsure};
}

const Group* group_with(const std::vector<Group>& groups, size_t subject) {
  return &*std::ranges::find_if(groups, [subject](const Group& each) {
    return std::ranges::find(each.members, subject) != each.members.end();
  });
}

std::string line_of(std::span<const Subject> subjects, const Group& group, bool is_rest) {
  const size_t count = group.members.size();
  const Report& report = subjects[group.members.front()].report;
  std::string what =
      group.read ? describe(telling_of(report), count > 1) : std::string("could not be read");
  if (count == 1) {
    what += describe_start(report) + describe_behind(telling_of(report), behind(report));
  }
  what += describe_vain_wait(subjects, group);
  if (is_rest && count > 3) {
    return fmt::format("{} of {} tasks {}\n", count, subjects.size(), what);
  }
  return fmt::format("{} {}\n", join_tasks(subjects, group.members), what);
}

void add_frames(const Thread& thread, std::string& text) {
  size_t shown = 0;
  for (const Frame& frame : thread.frames) {
    if (++shown <= kShownFramesMax) {
      text += fmt::format("  {}\n", to_string(frame));
    }
  }
}

/// Returns which task holds the file lock that this one waits for; nullopt if it waits for none, or
/// somebody else holds it.
std::optional<size_t> lock_holder_of(std::span<const Subject> subjects, size_t waiting) {
  const Subject& subject = subjects[waiting];
  const Thread* const thread = telling_of(subject.report).thread;
  if (thread == nullptr || thread->awaits == 0 || is_writing(*thread) || subject.host.empty()) {
    return std::nullopt;
  }
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (i != waiting && subjects[i].host == subject.host &&
        std::ranges::find(subjects[i].report.processes, thread->awaits, &Process::pid) !=
            subjects[i].report.processes.end()) {
      return i;
    }
  }
  return std::nullopt;
}

/// Returns the task at the end of the chain of those that wait for each other's file locks; in a
/// circle, one of it.
size_t follow_locks(std::span<const Subject> subjects, size_t from) {
  for (size_t i = 0; i < subjects.size(); ++i) {
    const std::optional<size_t> holder = lock_holder_of(subjects, from);
    if (!holder) {
      break;
    }
    from = *holder;
  }
  return from;
}

/// "; worker:1 holds the lock that worker:0, worker:2 wait for"; "" if nobody waits for one of it.
std::string describe_held_lock(std::span<const Subject> subjects, size_t holder) {
  std::vector<size_t> waiting;
  for (size_t i = 0; i < subjects.size(); ++i) {
    if (lock_holder_of(subjects, i) == holder) {
      waiting.push_back(i);
    }
  }
  return waiting.empty()
             ? std::string()
             : fmt::format("; {} holds the lock that {} {} for", subjects[holder].task,
                           join_tasks(subjects, waiting), waiting.size() == 1 ? "waits" : "wait");
}

std::string evidence_of(std::span<const Subject> subjects, const std::vector<Group>& groups,
                        const Choice& choice, size_t suspect) {
  std::string text = line_of(subjects, *choice.group, false);
  text.insert(text.size() - 1, words_of(choice.outside));
  text.insert(text.size() - 1, describe_held_lock(subjects, suspect));
  if (choice.mismatched) {
    text.insert(text.size() - 1,
                "; the others are in another call, and neither ends before all ranks of its "
                "process group make it");
  }
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
  Choice choice = choose(subjects, groups);
  if (choice.group == nullptr) {
    return std::nullopt;
  }
  Suspect suspect{
      .subject = choice.group->members.front(), .sure = choice.sure, .place = {}, .evidence = {}};
  // A record shows who is missing; stacks only show who is somewhere else, and all may be in calls
  // of the same name. The kernel's word outweighs both.
  const std::optional<Laggard> laggard = find_laggard(subjects);
  if (laggard && laggard->subject && !is_held(subjects[suspect.subject])) {
    const bool agreed = *laggard->subject == suspect.subject;
    suspect.subject = *laggard->subject;
    choice.outside = Outside::No;
    choice.mismatched = false;
    suspect.sure = agreed ? Sureness::Certain : std::max(suspect.sure, Sureness::Likely);
    choice.group = group_with(groups, *laggard->subject);
  }
  const size_t holder = follow_locks(subjects, suspect.subject);
  if (!laggard && holder != suspect.subject) {
    suspect.subject = holder;
    suspect.sure = suspect.sure == Sureness::Certain ? Sureness::Certain : Sureness::Likely;
    choice.group = group_with(groups, holder);
    choice.outside = Outside::No;
    choice.mismatched = false;
  }
  const std::optional<StepsApart> apart = find_steps_apart(subjects);
  // If all are at one place, their steps may show that one is missing there.
  const bool by_steps =
      apart && apart->odd && !laggard && groups.size() == 1 && groups.front().waits_for_peers;
  if (by_steps) {
    suspect.subject = *apart->odd;
    suspect.sure = Sureness::Likely;
  }
  if (const Thread* thread = telling_of(subjects[suspect.subject].report).thread) {
    const std::vector<Telling> stuck = behind(subjects[suspect.subject].report);
    const auto own = std::ranges::find_if(
        stuck, [](const Telling& other) { return is_in_own_code(*other.thread); });
    suspect.place = place_of(own == stuck.end() ? *thread : *own->thread);
  }
  suspect.evidence = laggard ? laggard->evidence + "\n" : "";
  std::string seen = evidence_of(subjects, groups, choice, suspect.subject);
  if (apart) {
    seen.insert(by_steps ? 0 : seen.find('\n') + 1, apart->line + "\n");
  }
  suspect.evidence += seen;
  while (!suspect.evidence.empty() && suspect.evidence.back() == '\n') {
    suspect.evidence.pop_back();
  }
  suspect.evidence.resize(std::min(suspect.evidence.size(), kEvidenceBytesMax));
  return suspect;
}

namespace {

/// Returns whether it was running both times and has changed a variable in between.
bool has_changed_something(const Thread& before, const Thread& now) {
  return before.state == 'R' && now.state == 'R' && before.variables != 0 &&
         before.variables != now.variables;
}

/// Returns in how many rounds a task that is always in the same place computes; nullopt if it is
/// not always there.
std::optional<size_t> rounds_computing(std::span<const std::vector<Subject>> rounds,
                                       size_t subject) {
  const Thread* first = telling_of(rounds.front()[subject].report).thread;
  const Thread* before = first;
  size_t computing = 0;
  for (const std::vector<Subject>& round : rounds) {
    const Thread* thread = telling_of(round[subject].report).thread;
    if (first == nullptr || thread == nullptr || !is_same_place(*first, *thread)) {
      return std::nullopt;
    }
    computing += is_computing(*thread) || has_changed_something(*before, *thread) ? 1 : 0;
    before = thread;
  }
  return computing;
}

/// Returns whether a busy task does nothing but wait, as far as its stacks show.
bool waits_busily(std::span<const std::vector<Subject>> rounds, size_t subject) {
  const std::optional<size_t> computing = rounds_computing(rounds, subject);
  return computing && 2 * *computing < rounds.size();
}

/// Returns whether a task waited for its GPU at each look.
bool only_waits_for_gpu(std::span<const std::vector<Subject>> rounds, size_t subject) {
  return std::ranges::all_of(rounds, [subject](const std::vector<Subject>& round) {
    const Thread* thread = telling_of(round[subject].report).thread;
    return thread != nullptr && waits_for_gpu(*thread);
  });
}

/// Returns whether a task was asleep in a system call, at the same place, at each look.
bool only_sleeps(std::span<const std::vector<Subject>> rounds, size_t subject) {
  return rounds_computing(rounds, subject) == 0 &&
         std::ranges::all_of(rounds, [subject](const std::vector<Subject>& round) {
           const Thread& thread = *telling_of(round[subject].report).thread;
           return thread.state == 'S' && !thread.system_call.empty();
         });
}

}  // namespace

bool is_any_fed(std::span<const Subject> subjects) {
  return std::ranges::any_of(subjects, [](const Subject& subject) {
    return subject.needed &&
           std::ranges::any_of(subject.report.processes, [](const Process& process) {
             return std::ranges::any_of(process.threads, &Thread::fed);
           });
  });
}

std::optional<Suspect> find_busy_suspect(std::span<const std::vector<Subject>> rounds,
                                         std::span<const Pause> pauses) {
  for (size_t i = 0; i < pauses.size(); ++i) {
    if (!pauses[i].quiet && rounds.back()[i].needed && !waits_busily(rounds, i)) {
      return std::nullopt;
    }
  }
  std::optional<Suspect> suspect = find_suspect(rounds.back());
  if (!suspect || std::ranges::all_of(pauses, &Pause::quiet)) {
    return suspect;
  }
  if (suspect->sure == Sureness::Sign) {
    return std::nullopt;  // Others are busy.
  }
  const Pause& own = pauses[suspect->subject];
  if (!own.quiet && suspect->sure != Sureness::Certain &&
      only_waits_for_gpu(rounds, suspect->subject)) {
    // Not a loop: it is one call, and the GPU's work does not end. In a gang, that may be
    // everybody's trouble.
    suspect->sure = pauses.size() == 1 ? Sureness::Likely : suspect->sure;
    return suspect;
  }
  if (pauses.size() == 1 || suspect->sure == Sureness::Unsure) {
    // A loop that takes long looks the same, and so do epochs that print the same lines again; only
    // missing steps speak against those.
    const bool reports = own.quiet ? std::ranges::any_of(pauses, &Pause::reports) : own.reports;
    suspect->sure = Sureness::Unsure;
    return reports ? suspect : std::nullopt;
  }
  if (!own.quiet && !only_sleeps(rounds, suspect->subject)) {
    suspect->sure = Sureness::Likely;
  }
  return suspect;
}

}  // namespace muster::stacks
