#include "testing/scenario_action.h"

#include <fmt/format.h>

#include <sstream>

namespace muster::testing {

namespace {

std::string hosts(const std::vector<job::HostName>& names) {
  std::string text;
  for (const job::HostName& name : names) {
    text += (text.empty() ? "" : ",") + name.value;
  }
  return text.empty() ? "none" : text;
}

/// Puts each kind of action into words.
struct Wording {
  const job::Plan& plan;
  Time now;

  ActionText operator()(const job::RequestContainer& ask) const {
    ActionText text;
    text.head = fmt::format("request r{} {}", ask.request.value, plan.role(ask.role).name);
    text.details["avoid"] = hosts(ask.avoid);
    text.details["prefer"] = hosts(ask.prefer);
    text.details["memory"] = fmt::format("{}m", ask.resources.memory_bytes >> 20);
    text.details["vcores"] = fmt::to_string(ask.resources.vcores);
    text.details["gpus"] = fmt::to_string(ask.resources.gpus);
    text.details["label"] = ask.node_label;
    return text;
  }
  ActionText operator()(const job::CancelRequest& cancel) const {
    return {.head = fmt::format("cancel r{}", cancel.request.value), .details = {}};
  }
  ActionText operator()(const job::LaunchAgent& launch) const {
    return {.head = "launch " + launch.container.value, .details = {}};
  }
  ActionText operator()(const job::ReleaseContainer& release) const {
    return {.head = "release " + release.container.value, .details = {}};
  }
  ActionText operator()(const job::PrepareAttempt& prepare) const {
    ActionText text;
    text.head = "prepare " + to_string(plan, prepare.attempt);
    text.details["on"] = prepare.container.value;
    text.details["slot"] = fmt::to_string(prepare.slot);
    text.details["restore"] = prepare.restore ? "yes" : "no";
    text.details["keep-port"] = fmt::to_string(prepare.keep_port);
    text.details["restarts"] = fmt::to_string(prepare.restarts);
    return text;
  }
  ActionText operator()(const job::StartAttempt& start) const {
    ActionText text;
    text.head = "start " + to_string(plan, start.attempt);
    text.details["on"] = start.container.value;
    text.details["generation"] = fmt::to_string(start.generation.value);
    return text;
  }
  ActionText operator()(const job::StopAttempt& stop) const {
    ActionText text;
    text.head = "stop " + to_string(plan, stop.attempt);
    text.details["on"] = stop.container.value;
    text.details["grace"] = write_duration(stop.grace);
    text.details["reason"] = to_string(stop.reason);
    if (stop.interrupt > Duration::zero()) {
      text.details["interrupt"] = write_duration(stop.interrupt);
    }
    return text;
  }
  ActionText operator()(const job::SetDeadline& deadline) const {
    ActionText text;
    text.head = fmt::format("deadline {}", to_string(deadline.kind));
    text.details["in"] = write_duration(deadline.at - now);
    return text;
  }
  ActionText operator()(const job::ClearDeadline&) const {
    return {.head = "clear", .details = {}};
  }
  ActionText operator()(const job::Reconcile&) const {
    return {.head = "reconcile", .details = {}};
  }
  ActionText operator()(const job::Finish& finish) const {
    ActionText text;
    text.head = fmt::format("finish {}", to_string(finish.outcome.result));
    text.details["reason"] = to_string(finish.outcome.reason);
    text.details["class"] = finish.outcome.class_name;
    return text;
  }
};

}  // namespace

ActionText describe_action(const job::Plan& plan, const job::Action& action, Time now) {
  return std::visit(Wording{plan, now}, action);
}

bool ActionText::matches(std::string_view expected) const {
  std::string plain;
  for (const std::string& word : words_of(expected)) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) {
      plain += (plain.empty() ? "" : " ") + word;
      continue;
    }
    const auto detail = details.find(word.substr(0, equals));
    if (detail == details.end() || detail->second != word.substr(equals + 1)) {
      return false;
    }
  }
  return plain == head;
}

std::string ActionText::full() const {
  std::string text = head;
  for (const auto& [key, value] : details) {
    text += fmt::format(" {}={}", key, value);
  }
  return text;
}

std::string write_duration(Duration duration) {
  const auto us = duration.count();
  constexpr int64_t kSecond = 1'000'000;
  if (us % (3600 * kSecond) == 0 && us != 0) {
    return fmt::format("{}h", us / (3600 * kSecond));
  }
  if (us % (60 * kSecond) == 0 && us != 0) {
    return fmt::format("{}m", us / (60 * kSecond));
  }
  if (us % kSecond == 0) {
    return fmt::format("{}s", us / kSecond);
  }
  return fmt::format("{}ms", us / 1000);
}

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream in{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    words.push_back(std::move(word));
  }
  return words;
}

}  // namespace muster::testing
