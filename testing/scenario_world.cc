#include "testing/scenario_world.h"

#include "testing/scenario_words.h"
#include "verdict/classifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::testing {

namespace {

using namespace job;

Result<RequestId> request_of(std::string_view word) {
  if (!word.starts_with('r')) {
    return wrong_word("request (r1)", word);
  }
  MUSTER_TRY(const uint32_t number, read_number(word.substr(1)));
  return RequestId(number);
}

}  // namespace

void ScenarioWorld::tell(const Fact& fact) {
  log_.emplace_back(now_, fact);
  for (const Action& action : machine_.apply(now_, fact)) {
    note(action);
    issued_.push_back(describe_action(plan_, action, now_));
  }
}

void ScenarioWorld::note(const Action& action) {
  if (const auto* ask = std::get_if<RequestContainer>(&action)) {
    requests_.insert(ask->request);
  } else if (const auto* cancel = std::get_if<CancelRequest>(&action)) {
    requests_.erase(cancel->request);
  } else if (const auto* launch = std::get_if<LaunchAgent>(&action)) {
    launches_.insert(launch->container);
  } else if (const auto* release = std::get_if<ReleaseContainer>(&action)) {
    releases_.insert(release->container);
  } else if (const auto* prepare = std::get_if<PrepareAttempt>(&action)) {
    prepares_.insert(prepare->attempt);
  } else if (const auto* start = std::get_if<StartAttempt>(&action)) {
    starts_.insert(start->attempt);
  } else if (const auto* stop = std::get_if<StopAttempt>(&action)) {
    stops_.insert(stop->attempt);
  } else if (const auto* set = std::get_if<SetDeadline>(&action)) {
    deadlines_[set->deadline.value] = {set->kind, set->at, set->waits_for};
  } else if (const auto* clear = std::get_if<ClearDeadline>(&action)) {
    deadlines_.erase(clear->deadline.value);
  }
}

Status ScenarioWorld::happen(std::string_view fact) {
  MUSTER_TRY(const std::vector<std::string> expanded, expand_ranges(fact));
  for (const std::string& each : expanded) {
    const Words words = words_of(each);
    if (words.empty()) {
      return user_error("a fact is missing");
    }
    MUSTER_TRY_STATUS(say(words));
  }
  return {};
}

Status ScenarioWorld::say(const Words& words) {
  static const std::set<std::string_view> kOfJob = {
      "started",       "stop",     "interrupt", "recovered",       "headroom",
      "host-reported", "deadline", "after",     "everything-runs", "everything-ends"};
  static const std::set<std::string_view> kOfContainer = {
      "granted",   "refused", "launch-failed", "agent-joined",   "reported",
      "suspected", "lost",    "preemption",    "container-ended"};
  static const std::set<std::string_view> kOfAttempt = {
      "joined", "attempt-started", "ended", "stalled", "commit", "endpoint", "session", "detached"};
  if (kOfJob.contains(words[0])) {
    return say_of_job(words);
  }
  if (words.size() < 2) {
    return user_error(fmt::format("'{}' needs to say of what", words[0]));
  }
  if (kOfContainer.contains(words[0])) {
    return say_of_container(words);
  }
  if (kOfAttempt.contains(words[0])) {
    return say_of_attempt(words);
  }
  return wrong_word("fact of a scenario", words[0]);
}

Status ScenarioWorld::say_of_job(const Words& words) {
  const std::string& what = words[0];
  if (what == "started") {
    tell(JobStarted{});
  } else if (what == "stop") {
    tell(StopAsked{words.size() > 2 ? words[2] : "alice"});
  } else if (what == "interrupt") {
    tell(StopAsked{words.size() > 2 ? words[2] : "alice", StopHow::Interrupt});
  } else if (what == "recovered") {
    MUSTER_TRY(const uint32_t epoch, read_number(words.size() > 1 ? words[1] : "2"));
    deadlines_.clear();
    tell(MasterRecovered{Epoch(epoch)});
  } else if (what == "headroom") {
    HeadroomReported headroom{.memory_bytes = 1ULL << 40, .vcores = 1000, .gpus = 1000};
    for (const auto& [key, target] : {std::pair{"vcores", &headroom.vcores},
                                      {"gpus", &headroom.gpus},
                                      {"hosts", &headroom.hosts}}) {
      if (const std::string value = option_of(words, key); !value.empty()) {
        MUSTER_TRY(*target, read_number(value));
      }
    }
    tell(headroom);
  } else if (what == "host-reported" && words.size() > 2) {
    using enum HostHealth;
    MUSTER_TRY(const HostHealth health,
               read_enum(words[2], {Healthy, Unhealthy, Decommissioning, Lost}));
    tell(HostReported{HostName(words[1]), health});
  } else if (what == "deadline" && words.size() > 1) {
    return deadline(words);
  } else if (what == "after" && words.size() > 1) {
    return after(words[1]);
  } else if (what == "everything-runs") {
    run_everything();
  } else if (what == "everything-ends") {
    end_everything();
  } else {
    return user_error(fmt::format("'{}' says too little", what));
  }
  return {};
}

Status ScenarioWorld::say_of_container(const Words& words) {
  const std::string& what = words[0];
  const ContainerId container(words[1]);
  const std::string third = words.size() > 2 ? words[2] : "";
  if (what == "granted") {
    MUSTER_TRY(const RequestId request, request_of(words[1]));
    const std::string name = third.empty() ? "c" + words[1].substr(1) : third;
    const std::string host = words.size() > 4 && words[3] == "on" ? words[4] : "h" + name.substr(1);
    requests_.erase(request);
    tell(ContainerGranted{request, ContainerId(name), HostName(host)});
  } else if (what == "refused") {
    MUSTER_TRY(const RequestId request, request_of(words[1]));
    using enum RefusalKind;
    MUSTER_TRY(const RefusalKind kind, read_enum(third, {NeverFits, Forbidden, Transient}));
    requests_.erase(request);
    tell(RequestRefused{request, kind, words_from(words, 3)});
  } else if (what == "launch-failed") {
    launches_.erase(container);
    tell(LaunchFailed{container, words_from(words, 2)});
  } else if (what == "agent-joined") {
    launches_.erase(container);
    tell(AgentJoined{container, "agent-of-" + container.value});
  } else if (what == "reported") {
    return reported(words);
  } else if (what == "suspected") {
    tell(AgentSuspected{container});
  } else if (what == "lost") {
    using enum LossReason;
    MUSTER_TRY(const LossReason reason,
               read_enum(third.empty() ? "silent" : third, {Silent, Closed, Unreachable}));
    tell(AgentLost{container, reason});
  } else if (what == "preemption") {
    MUSTER_TRY(const Duration in, read_duration(words.size() > 3 ? words[3] : "10s"));
    tell(PreemptionNoticed{container, in});
  } else {
    using enum ContainerEndKind;
    MUSTER_TRY(const ContainerEndKind kind, read_enum(third.empty() ? "released" : third,
                                                      {Completed, Released, HostLost, Preempted,
                                                       OverMemory, LaunchFailed, Killed}));
    releases_.erase(container);
    ContainerEnded ended{.container = container, .kind = kind, .diagnostics = {}};
    ended.cluster_code = option_of(words, "code");
    MUSTER_TRY(const verdict::Classifier classifier, verdict::Classifier::make(plan_.spec.rules));
    ended.failure = classifier.judge_container(ended.cluster_code, ended.diagnostics);
    tell(ended);
  }
  return {};
}

// "deadline join", "deadline join worker:1 ...": lets the earliest deadline of the kind pass whose
// text contains the words.
Status ScenarioWorld::deadline(const Words& words) {
  const std::string text = words_from(words, 2) == "passes" ? "" : words_from(words, 2);
  auto found = deadlines_.end();
  for (auto each = deadlines_.begin(); each != deadlines_.end(); ++each) {
    if (to_string(each->second.kind) == words[1] &&
        each->second.waits_for.find(text) != std::string::npos &&
        (found == deadlines_.end() || each->second.at < found->second.at)) {
      found = each;
    }
  }
  if (found == deadlines_.end()) {
    return user_error(fmt::format("no deadline '{}' is set", words_from(words, 1)));
  }
  now_ = std::max(now_, found->second.at);
  const DeadlineId id(found->first);
  deadlines_.erase(found);
  tell(DeadlinePassed{id});
  return {};
}

Status ScenarioWorld::after(std::string_view duration) {
  MUSTER_TRY(const Duration passes, read_duration(duration));
  const Time until = now_ + passes;
  while (true) {
    const auto next = std::ranges::min_element(
        deadlines_, {}, [](const auto& each) { return std::pair(each.second.at, each.first); });
    if (next == deadlines_.end() || next->second.at > until) {
      break;
    }
    now_ = std::max(now_, next->second.at);
    const DeadlineId id(next->first);
    deadlines_.erase(next);
    tell(DeadlinePassed{id});
  }
  now_ = until;
  return {};
}

// Grants every request, and lets every agent and attempt join and every start work, until nothing
// is open.
void ScenarioWorld::run_everything() {
  const auto name = [&](RequestId request) {
    std::string id = fmt::format("c{}", request.value);
    while (machine_.state().containers.contains(ContainerId(id))) {
      id += "x";
    }
    return id;
  };
  while (true) {
    if (!requests_.empty()) {
      const RequestId request = *requests_.begin();
      requests_.erase(requests_.begin());
      const std::string id = name(request);
      tell(ContainerGranted{request, ContainerId(id), HostName("h" + id.substr(1))});
    } else if (!launches_.empty()) {
      const ContainerId container = *launches_.begin();
      launches_.erase(launches_.begin());
      tell(AgentJoined{container, "agent-of-" + container.value});
    } else if (!prepares_.empty()) {
      const AttemptId id = *prepares_.begin();
      prepares_.erase(prepares_.begin());
      tell(AttemptJoined{id, address_of(id)});
    } else if (!starts_.empty()) {
      const AttemptId id = *starts_.begin();
      starts_.erase(starts_.begin());
      tell(AttemptStarted{id, 1000});
    } else {
      return;
    }
  }
}

// Obeys every stop and confirms every release, until nothing is open.
void ScenarioWorld::end_everything() {
  while (true) {
    if (!stops_.empty()) {
      const AttemptId id = *stops_.begin();
      stops_.erase(stops_.begin());
      tell(AttemptEnded{id, stopped_exit()});
    } else if (!releases_.empty()) {
      const ContainerId container = *releases_.begin();
      releases_.erase(releases_.begin());
      tell(ContainerEnded{.container = container, .kind = ContainerEndKind::Released});
    } else {
      return;
    }
  }
}

Status ScenarioWorld::replay() const {
  Machine again(plan_);
  for (const auto& [at, fact] : log_) {
    (void)again.apply(at, fact);
  }
  if (again.digest() != machine_.digest()) {
    return user_error("a replay of the log leads to another state");
  }
  return {};
}

Result<std::vector<std::string>> expand_ranges(std::string_view item) {
  struct Range {
    size_t word;
    std::string before, after;
    uint32_t from, to;
  };
  std::vector<std::string> words = words_of(item);
  std::vector<Range> ranges;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const size_t dash = word.find('-');
    const size_t start = word.find_last_not_of("0123456789", dash == 0 ? 0 : dash - 1) + 1;
    if (dash == std::string::npos || start == 0 || start >= dash || word.find('=') < dash) {
      continue;
    }
    const size_t end = std::min(word.size(), word.find_first_not_of("0123456789", dash + 1));
    const Result<uint32_t> from = read_number(std::string_view(word).substr(start, dash - start));
    const Result<uint32_t> to =
        read_number(std::string_view(word).substr(dash + 1, end - dash - 1));
    if (!from || !to || *to < *from) {
      continue;
    }
    ranges.push_back({i, word.substr(0, start), word.substr(end), *from, *to});
  }
  if (ranges.empty()) {
    return std::vector<std::string>{std::string(item)};
  }
  std::vector<std::string> items;
  for (uint32_t nth = 0; nth <= ranges[0].to - ranges[0].from; ++nth) {
    for (const Range& range : ranges) {
      if (range.to - range.from != ranges[0].to - ranges[0].from) {
        return user_error(fmt::format("the ranges of '{}' differ in length", item));
      }
      words[range.word] = fmt::format("{}{}{}", range.before, range.from + nth, range.after);
    }
    items.push_back(words_from(words, 0));
  }
  return items;
}

}  // namespace muster::testing
