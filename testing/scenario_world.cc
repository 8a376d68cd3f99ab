#include "testing/scenario_world.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace muster::testing {

namespace {

using namespace job;

Error wrong(std::string_view what, std::string_view word) {
  return user_error(fmt::format("'{}' is no {}", word, what));
}

Result<uint32_t> number_of(std::string_view text) {
  uint32_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) {
    return wrong("number", text);
  }
  return value;
}

Result<int64_t> seconds_of(std::string_view text) {
  static constexpr std::pair<std::string_view, int64_t> kUnits[] = {
      {"ms", 1'000}, {"s", 1'000'000}, {"m", 60'000'000}, {"h", 3'600'000'000}};
  for (const auto& [unit, us] : kUnits) {
    if (text.ends_with(unit)) {
      MUSTER_TRY(const uint32_t count, number_of(text.substr(0, text.size() - unit.size())));
      return count * us;
    }
  }
  return wrong("duration", text);
}

Result<RequestId> request_of(std::string_view word) {
  if (!word.starts_with('r')) {
    return wrong("request (r1)", word);
  }
  MUSTER_TRY(const uint32_t number, number_of(word.substr(1)));
  return RequestId(number);
}

template <class E>
Result<E> enum_of(std::string_view word, std::initializer_list<E> all) {
  for (const E value : all) {
    std::string name(to_string(value));
    std::ranges::replace(name, '_', '-');
    if (name == word) {
      return value;
    }
  }
  return wrong("value known here", word);
}

/// "key=value" among `words`, or "".
std::string option(const std::vector<std::string>& words, std::string_view key) {
  for (const std::string& word : words) {
    if (word.starts_with(key) && word.size() > key.size() && word[key.size()] == '=') {
      return word.substr(key.size() + 1);
    }
  }
  return "";
}

Exit stopped_exit() {
  return {.signal = 15, .failure = Failure{.class_name = "stopped", .kind = FailureKind::Stopped}};
}

std::string rest_of(const std::vector<std::string>& words, size_t from) {
  std::string text;
  for (size_t i = from; i < words.size(); ++i) {
    text += (text.empty() ? "" : " ") + words[i];
  }
  return text;
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
      "started",  "stop",  "recovered",       "headroom",       "host-reported",
      "deadline", "after", "everything-runs", "everything-ends"};
  static const std::set<std::string_view> kOfContainer = {
      "granted",   "refused", "launch-failed", "agent-joined",   "reported",
      "suspected", "lost",    "preemption",    "container-ended"};
  static const std::set<std::string_view> kOfAttempt = {"joined",  "attempt-started", "ended",
                                                        "stalled", "commit",          "endpoint"};
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
  return wrong("fact of a scenario", words[0]);
}

Status ScenarioWorld::say_of_job(const Words& words) {
  const std::string& what = words[0];
  if (what == "started") {
    tell(JobStarted{});
  } else if (what == "stop") {
    tell(StopAsked{words.size() > 2 ? words[2] : "alice"});
  } else if (what == "recovered") {
    MUSTER_TRY(const uint32_t epoch, number_of(words.size() > 1 ? words[1] : "2"));
    deadlines_.clear();
    tell(MasterRecovered{Epoch(epoch)});
  } else if (what == "headroom") {
    HeadroomReported headroom{.memory_bytes = 1ULL << 40, .vcores = 1000, .gpus = 1000};
    for (const auto& [key, target] : {std::pair{"vcores", &headroom.vcores},
                                      {"gpus", &headroom.gpus},
                                      {"hosts", &headroom.hosts}}) {
      if (const std::string value = option(words, key); !value.empty()) {
        MUSTER_TRY(*target, number_of(value));
      }
    }
    tell(headroom);
  } else if (what == "host-reported" && words.size() > 2) {
    using enum HostHealth;
    MUSTER_TRY(const HostHealth health,
               enum_of(words[2], {Healthy, Unhealthy, Decommissioning, Lost}));
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
    MUSTER_TRY(const RefusalKind kind, enum_of(third, {NeverFits, Forbidden, Transient}));
    requests_.erase(request);
    tell(RequestRefused{request, kind, rest_of(words, 3)});
  } else if (what == "launch-failed") {
    launches_.erase(container);
    tell(LaunchFailed{container, rest_of(words, 2)});
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
               enum_of(third.empty() ? "silent" : third, {Silent, Closed, Unreachable}));
    tell(AgentLost{container, reason});
  } else if (what == "preemption") {
    MUSTER_TRY(const int64_t in, seconds_of(words.size() > 3 ? words[3] : "10s"));
    tell(PreemptionNoticed{container, Duration(in)});
  } else {
    using enum ContainerEndKind;
    MUSTER_TRY(const ContainerEndKind kind, enum_of(third.empty() ? "released" : third,
                                                    {Completed, Released, HostLost, Preempted,
                                                     OverMemory, LaunchFailed, Killed}));
    releases_.erase(container);
    tell(ContainerEnded{.container = container, .kind = kind});
  }
  return {};
}

Status ScenarioWorld::say_of_attempt(const Words& words) {
  const std::string& what = words[0];
  MUSTER_TRY(const AttemptId id, attempt_of(words[1]));
  if (what == "joined") {
    prepares_.erase(id);
    Address address = address_of(id);
    if (words.size() > 3 && words[2] == "at") {
      const size_t colon = words[3].find(':');
      address.host = words[3].substr(0, colon);
      MUSTER_TRY(const uint32_t port, number_of(words[3].substr(colon + 1)));
      address.port = static_cast<uint16_t>(port);
    }
    tell(AttemptJoined{id, address});
  } else if (what == "attempt-started") {
    starts_.erase(id);
    tell(AttemptStarted{id, 1000});
  } else if (what == "ended") {
    return ended(words);
  } else if (what == "stalled") {
    tell(AttemptStalled{id, std::chrono::minutes(5)});
  } else if (what == "commit") {
    MUSTER_TRY(const uint32_t generation, number_of(words.size() > 2 ? words[2] : ""));
    tell(CheckpointCommitted{id, Generation(generation), "ckpt-1"});
  } else {
    tell(EndpointPublished{id, "tensorboard", "http://" + words[1]});
  }
  return {};
}

Status ScenarioWorld::ended(const Words& words) {
  MUSTER_TRY(const AttemptId id, attempt_of(words[1]));
  stops_.erase(id);
  starts_.erase(id);
  prepares_.erase(id);
  const std::string how = words.size() > 2 ? words[2] : "0";
  if (how == "stopped") {
    tell(AttemptEnded{id, stopped_exit()});
    return {};
  }
  Exit exit;
  if (how == "signal") {
    MUSTER_TRY(const uint32_t signal, number_of(words.size() > 3 ? words[3] : ""));
    exit.signal = static_cast<int32_t>(signal);
  } else {
    MUSTER_TRY(const uint32_t code, number_of(how));
    exit.exit_code = static_cast<int32_t>(code);
  }
  if (const std::string age = option(words, "age"); !age.empty()) {
    MUSTER_TRY(const int64_t us, seconds_of(age));
    exit.age = Duration(us);
  }
  if (!exit.succeeded()) {
    exit.failure = Failure{.class_name = "exit.code"};
    if (const std::string kind = option(words, "kind"); !kind.empty()) {
      using enum FailureKind;
      MUSTER_TRY(exit.failure->kind,
                 enum_of(kind, {User, Program, PeerLoss, Resource, Infrastructure, Stopped}));
      exit.failure->class_name = kind;
    }
    if (const std::string remedy = option(words, "remedy"); !remedy.empty()) {
      using enum Remedy;
      MUSTER_TRY(exit.failure->remedy, enum_of(remedy, {Restart, NewPorts, Elsewhere, GiveUp}));
    }
    if (const std::string name = option(words, "class"); !name.empty()) {
      exit.failure->class_name = name;
    }
  }
  tell(AttemptEnded{id, exit});
  return {};
}

// "reported c1 worker:0#1=running worker:1#1=ended:0 generation=2"
Status ScenarioWorld::reported(const Words& words) {
  AgentReported report{.container = ContainerId(words[1]),
                       .address = "agent-of-" + words[1],
                       .epoch = machine_.state().epoch,
                       .generation = machine_.state().generation};
  if (const std::string generation = option(words, "generation"); !generation.empty()) {
    MUSTER_TRY(const uint32_t number, number_of(generation));
    report.generation = Generation(number);
  }
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (name == "generation") {
      continue;
    }
    AttemptReport attempt;
    MUSTER_TRY(attempt.attempt, attempt_of(name));
    attempt.address = address_of(attempt.attempt);
    attempt.generation = report.generation;
    const std::string phase = equals == std::string::npos ? "" : words[i].substr(equals + 1);
    using enum AttemptReport::Phase;
    if (phase == "preparing" || phase == "joined" || phase == "running") {
      attempt.phase = phase == "preparing" ? Preparing : phase == "joined" ? Joined : Running;
    } else if (phase.starts_with("ended:")) {
      MUSTER_TRY(const uint32_t code, number_of(phase.substr(6)));
      attempt.phase = Ended;
      attempt.exit = Exit{.exit_code = static_cast<int32_t>(code)};
    } else {
      return wrong("phase of an attempt", words[i]);
    }
    report.attempts.push_back(attempt);
  }
  tell(report);
  return {};
}

// "deadline join", "deadline join worker:1 ...": the earliest of the kind whose text has the words
// passes.
Status ScenarioWorld::deadline(const Words& words) {
  const std::string text = rest_of(words, 2) == "passes" ? "" : rest_of(words, 2);
  auto found = deadlines_.end();
  for (auto each = deadlines_.begin(); each != deadlines_.end(); ++each) {
    if (to_string(each->second.kind) == words[1] &&
        each->second.waits_for.find(text) != std::string::npos &&
        (found == deadlines_.end() || each->second.at < found->second.at)) {
      found = each;
    }
  }
  if (found == deadlines_.end()) {
    return user_error(fmt::format("no deadline '{}' is set", rest_of(words, 1)));
  }
  now_ = std::max(now_, found->second.at);
  const DeadlineId id(found->first);
  deadlines_.erase(found);
  tell(DeadlinePassed{id});
  return {};
}

Status ScenarioWorld::after(std::string_view duration) {
  MUSTER_TRY(const int64_t us, seconds_of(duration));
  const Time until = now_ + Duration(us);
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

// Every ask is granted, every agent and attempt joins, every start works, until nothing is open.
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

// Every stop is obeyed and every release confirmed, until nothing is open.
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

// The same task on the same host has the same address, as with ports that are kept.
Address ScenarioWorld::address_of(AttemptId id) const {
  const Attempt* attempt = machine_.state().find_attempt(id);
  return {.host = attempt == nullptr ? "nowhere" : attempt->host.value,
          .port = static_cast<uint16_t>(5000 + 100 * id.task.role.value + id.task.index)};
}

Result<AttemptId> ScenarioWorld::attempt_of(std::string_view name) const {
  const size_t hash = name.find('#');
  const std::optional<TaskId> task = parse_task(plan_, name.substr(0, hash));
  if (!task) {
    return wrong("task of this job", name);
  }
  if (hash == std::string_view::npos) {
    const std::vector<Attempt>& attempts = machine_.state().task(*task).attempts;
    return AttemptId{*task, attempts.empty() ? 0 : attempts.back().number};
  }
  MUSTER_TRY(const uint32_t number, number_of(name.substr(hash + 1)));
  return AttemptId{*task, number};
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
    const Result<uint32_t> from = number_of(std::string_view(word).substr(start, dash - start));
    const Result<uint32_t> to = number_of(std::string_view(word).substr(dash + 1, end - dash - 1));
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
    items.push_back(rest_of(words, 0));
  }
  return items;
}

}  // namespace muster::testing
