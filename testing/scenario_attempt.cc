#include "testing/scenario_words.h"
#include "testing/scenario_world.h"

#include <fmt/format.h>

/// What scenarios say about attempts: joined, started, ended, reported.
namespace muster::testing {

using namespace job;

Exit stopped_exit() {
  return {.signal = 15, .failure = Failure{.class_name = "stopped", .kind = FailureKind::Stopped}};
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
      MUSTER_TRY(const uint32_t port, read_number(words[3].substr(colon + 1)));
      address.port = static_cast<uint16_t>(port);
    }
    tell(AttemptJoined{id, address});
  } else if (what == "attempt-started") {
    starts_.erase(id);
    tell(AttemptStarted{id, 1000});
  } else if (what == "ended") {
    return ended(words);
  } else if (what == "stalled") {
    return stalled(words, id);
  } else if (what == "commit") {
    MUSTER_TRY(const uint32_t generation, read_number(words.size() > 2 ? words[2] : ""));
    tell(CheckpointCommitted{id, Generation(generation), "ckpt-1"});
  } else if (what == "session") {
    tell(SessionOpened{id, "alice", "10.0.0.7", "exec", "nvidia-smi"});
  } else if (what == "detached") {
    tell(SessionDetached{id, "alice", "10.0.0.7", "shell 1"});
  } else {
    tell(EndpointPublished{id, "tensorboard", "http://" + words[1]});
  }
  return {};
}

// "stalled worker:1", "stalled worker:1 certain", "stalled worker:1 moves"
Status ScenarioWorld::stalled(const Words& words, AttemptId id) {
  AttemptStalled stalled{.attempt = id, .silent = std::chrono::minutes(10)};
  const std::string sure = words.size() > 2 ? words[2] : "sign";
  if (sure == "moves") {
    stalled.silent = Duration::zero();
  } else {
    using enum Sureness;
    MUSTER_TRY(stalled.sure, read_enum(sure, {Sign, Unsure, Likely, Certain}));
    stalled.place = "read (train.py:31)";
  }
  tell(stalled);
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
    MUSTER_TRY(const uint32_t signal, read_number(words.size() > 3 ? words[3] : ""));
    exit.signal = static_cast<int32_t>(signal);
  } else {
    MUSTER_TRY(const uint32_t code, read_number(how));
    exit.exit_code = static_cast<int32_t>(code);
  }
  if (const std::string age = option_of(words, "age"); !age.empty()) {
    MUSTER_TRY(exit.age, read_duration(age));
  }
  exit.over_memory = words.back() == "over-memory";
  if (!exit.succeeded()) {
    exit.failure = Failure{.class_name = "exit.code"};
    if (const std::string kind = option_of(words, "kind"); !kind.empty()) {
      using enum FailureKind;
      MUSTER_TRY(exit.failure->kind,
                 read_enum(kind, {User, Program, PeerLoss, Resource, Infrastructure, Stopped}));
      exit.failure->class_name = kind;
    }
    if (const std::string remedy = option_of(words, "remedy"); !remedy.empty()) {
      using enum Remedy;
      MUSTER_TRY(exit.failure->remedy, read_enum(remedy, {Restart, NewPorts, Elsewhere, GiveUp}));
    }
    if (const std::string name = option_of(words, "class"); !name.empty()) {
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
                       .generation = machine_.state().view.generation};
  if (const std::string generation = option_of(words, "generation"); !generation.empty()) {
    MUSTER_TRY(const uint32_t number, read_number(generation));
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
      MUSTER_TRY(const uint32_t code, read_number(phase.substr(6)));
      attempt.phase = Ended;
      attempt.exit = Exit{.exit_code = static_cast<int32_t>(code)};
    } else {
      return wrong_word("phase of an attempt", words[i]);
    }
    report.attempts.push_back(attempt);
  }
  tell(report);
  return {};
}

// The same task on the same host has the same address, as when ports are kept.
Address ScenarioWorld::address_of(AttemptId id) const {
  const Attempt* attempt = machine_.state().find_attempt(id);
  return {.host = attempt == nullptr ? "nowhere" : attempt->host.value,
          .port = static_cast<uint16_t>(5000 + 100 * id.task.role.value + id.task.index)};
}

Result<AttemptId> ScenarioWorld::attempt_of(std::string_view name) const {
  const size_t hash = name.find('#');
  const std::optional<TaskId> task = parse_task(plan_, name.substr(0, hash));
  if (!task) {
    return wrong_word("task of this job", name);
  }
  if (hash == std::string_view::npos) {
    const std::vector<Attempt>& attempts = machine_.state().task(*task).attempts;
    return AttemptId{*task, attempts.empty() ? 0 : attempts.back().number};
  }
  MUSTER_TRY(const uint32_t number, read_number(name.substr(hash + 1)));
  return AttemptId{*task, number};
}

}  // namespace muster::testing
