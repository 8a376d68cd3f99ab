#include "base/text.h"
#include "testing/scenario.h"
#include "testing/scenario_world.h"

#include <fmt/format.h>

#include <algorithm>

/// Plays a scenario and compares what happens with what it expects.
namespace muster::testing {

namespace {

using PlayedWords = std::vector<std::string>;

/// Returns whether an action may be left out when it is issued: it follows from those beside it.
bool may_be_left_out(const ActionText& action) {
  return action.head == "clear" || action.head == "deadline stop" ||
         action.head == "deadline fence";
}

std::string list(const std::vector<ActionText>& actions) {
  std::string text;
  for (const ActionText& action : actions) {
    text += (text.empty() ? "" : "; ") + action.full();
  }
  return text.empty() ? "nothing" : text;
}

Status compare(const std::vector<std::string>& expected, const std::vector<ActionText>& issued) {
  size_t at = 0;
  for (const std::string& item : expected) {
    MUSTER_TRY(const std::vector<std::string> expanded, expand_ranges(item));
    for (const std::string& each : expanded) {
      while (at < issued.size() && !issued[at].matches(each) && may_be_left_out(issued[at])) {
        ++at;
      }
      if (at == issued.size() || !issued[at].matches(each)) {
        return user_error(fmt::format("expected '{}', but there was '{}'; all: {}", each,
                                      at == issued.size() ? "nothing more" : issued[at].full(),
                                      list(issued)));
      }
      ++at;
    }
  }
  for (; at < issued.size(); ++at) {
    if (!may_be_left_out(issued[at])) {
      return user_error(fmt::format("unexpected '{}'; all: {}", issued[at].full(), list(issued)));
    }
  }
  return {};
}

Status is_equal(std::string_view what, std::string_view is, std::string_view wanted) {
  if (is == wanted) {
    return {};
  }
  return user_error(fmt::format("{} is '{}', not '{}'", what, is, wanted));
}

/// Looks at the machine's state: "state worker:1 active", "phase running", ...
class StateCheck {
 public:
  explicit StateCheck(const ScenarioWorld& world)
      : world_(world), plan_(world.machine().plan()), state_(world.machine().state()) {}

  [[nodiscard]] Status check(const PlayedWords& words) const {
    const std::string& what = words[0];
    const std::string second = words.size() > 1 ? words[1] : "";
    if (what == "phase") {
      return is_equal(what, to_string(state_.phase), second);
    }
    if (what == "generation") {
      return is_equal(what, fmt::to_string(state_.view.generation.value), second);
    }
    if (what == "outcome") {
      return check_outcome(words);
    }
    if (what == "view") {
      return check_view(words);
    }
    if (what == "waits" || what == "message") {
      return check_text(words);
    }
    if (what == "container") {
      const auto found = state_.containers.find(job::ContainerId(second));
      return is_equal(second,
                      found == state_.containers.end() ? "none" : to_string(found->second.state),
                      words.size() > 2 ? words[2] : "");
    }
    if (what == "steps") {
      std::string steps;
      for (const job::Step& step : state_.chronicle.steps()) {
        steps += (steps.empty() ? "" : ",") + step.name;
      }
      std::ranges::replace(steps, ' ', '-');
      return is_equal(what, steps, second);
    }
    if (what == "endpoints") {
      return is_equal(what, fmt::to_string(state_.endpoints.size()), second);
    }
    return check_task(words);
  }

  [[nodiscard]] static bool knows(std::string_view word) {
    static constexpr std::string_view kWords[] = {
        "phase",     "generation", "outcome",   "view",  "waits", "message",
        "container", "steps",      "endpoints", "state", "part",  "attempts",
        "restarts",  "commit",     "host",      "stall"};
    return std::ranges::find(kWords, word) != std::end(kWords);
  }

 private:
  [[nodiscard]] Status check_task(const PlayedWords& words) const {
    const std::string& what = words[0];
    if (words.size() < 3) {
      return user_error(fmt::format("'{}' says too little", what));
    }
    if (what == "commit") {
      MUSTER_TRY(const job::AttemptId id, world_.attempt_of(words[2]));
      const bool allowed = world_.machine().may_commit(id, state_.view.generation);
      return is_equal("commit of " + words[2], allowed ? "allowed" : "refused", words[1]);
    }
    MUSTER_TRY(const job::AttemptId id, world_.attempt_of(words[1]));
    const job::Task& task = state_.task(id.task);
    if (what == "state") {
      return is_equal(words[1], to_string(task.state), words[2]);
    }
    if (what == "attempts") {
      return is_equal("attempts", fmt::to_string(task.attempts.size()), words[2]);
    }
    if (what == "restarts") {
      return is_equal("restarts", fmt::to_string(task.restarts), words[2]);
    }
    const job::Attempt* attempt = state_.find_attempt(id);
    if (attempt == nullptr) {
      return user_error(fmt::format("there is no attempt {}", words[1]));
    }
    if (what == "host") {
      return is_equal(what, attempt->host.value, words[2]);
    }
    if (what == "stall") {
      return is_equal(what, attempt->stall ? to_string(attempt->stall->sure) : "none", words[2]);
    }
    return is_equal("part of " + words[1], attempt->part ? to_string(*attempt->part) : "none",
                    words[2]);
  }

  [[nodiscard]] Status check_outcome(const PlayedWords& words) const {
    if (!state_.outcome) {
      return is_equal("outcome", "none", words.size() > 1 ? words[1] : "");
    }
    const job::Outcome& outcome = *state_.outcome;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      const std::string key = equals == std::string::npos ? "" : words[i].substr(0, equals);
      const std::string value = words[i].substr(equals == std::string::npos ? 0 : equals + 1);
      std::string is(to_string(outcome.result));
      if (key == "reason") {
        is = to_string(outcome.reason);
      } else if (key == "class") {
        is = outcome.class_name;
      } else if (key == "first") {
        is = outcome.first_cause ? to_string(plan_, outcome.first_cause->attempt) : "none";
      } else if (key == "victims") {
        is = fmt::to_string(outcome.first_cause ? outcome.first_cause->victims : 0);
      } else if (!key.empty()) {
        return user_error(fmt::format("an outcome has no '{}'", key));
      }
      MUSTER_TRY_STATUS(is_equal(key.empty() ? "outcome" : key, is, value));
    }
    return {};
  }

  [[nodiscard]] Status check_view(const PlayedWords& words) const {
    std::string is;
    for (const job::Member& member : state_.view.members) {
      is += fmt::format("{}{}", is.empty() ? "" : " ",
                        to_string(plan_, job::AttemptId{member.task, member.attempt}));
    }
    std::string wanted;
    for (size_t i = 1; i < words.size(); ++i) {
      wanted += (wanted.empty() ? "" : " ") + words[i];
    }
    return is_equal("view", is, wanted == "empty" ? "" : wanted);
  }

  [[nodiscard]] Status check_text(const PlayedWords& words) const {
    std::string wanted;
    for (size_t i = 1; i < words.size(); ++i) {
      wanted += (wanted.empty() ? "" : " ") + words[i];
    }
    const std::string text = words[0] == "waits" ? state_.chronicle.waits_for()
                             : state_.outcome    ? state_.outcome->message
                                                 : "";
    if (text.find(wanted) == std::string::npos) {
      return user_error(fmt::format("'{}' does not contain '{}'", text, wanted));
    }
    return {};
  }

  const ScenarioWorld& world_;
  const job::Plan& plan_;
  const job::State& state_;
};

Status play_step(ScenarioWorld& world, const ScenarioStep& step) {
  for (const std::string_view fact : split(step.when, ';')) {
    if (!trim(fact).empty()) {
      MUSTER_TRY_STATUS(world.happen(trim(fact)));
    }
  }
  const bool brings_along = step.when.find("everything-") != std::string::npos;
  if (!step.expects && !brings_along) {
    return user_error("'when' without 'expect'");
  }
  const std::vector<ActionText> issued = world.take_issued();
  std::vector<std::string> actions;
  for (const std::string& item : step.expected) {
    const PlayedWords words = words_of(item);
    if (StateCheck::knows(words[0])) {
      MUSTER_TRY(const std::vector<std::string> expanded, expand_ranges(item));
      for (const std::string& each : expanded) {
        MUSTER_TRY_STATUS(StateCheck(world).check(words_of(each)));
      }
    } else {
      actions.push_back(item);
    }
  }
  const bool compares = !step.when.empty() && step.expects && !brings_along;
  if (compares || !actions.empty()) {
    return compare(actions, issued);
  }
  return {};
}

}  // namespace

std::vector<std::string> play(const Scenario& scenario) {
  ScenarioWorld world(scenario.plan);
  for (const ScenarioStep& step : scenario.steps) {
    if (const Status played = play_step(world, step); !played) {
      return {fmt::format("{}:{}: {}", scenario.file, step.line, played.error().message)};
    }
  }
  if (const Status same = world.replay(); !same) {
    return {fmt::format("{}: {}", scenario.file, same.error().message)};
  }
  return {};
}

}  // namespace muster::testing
