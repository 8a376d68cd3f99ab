#include "eventlog/events.h"

#include "eventlog/json_text.h"
#include "job/describe.h"

#include <chrono>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

namespace muster::eventlog {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

int64_t milliseconds_of(WallTime when) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
}

std::string name_of_attempt(const job::Plan& plan, job::AttemptId id) {
  return fmt::format("{}, attempt {}", to_string(plan, id.task), id.number);
}

std::string end_words(const job::Exit& exit) {
  std::string text = exit.signal ? fmt::format("signal {}", *exit.signal)
                                 : fmt::format("exit code {}", exit.exit_code.value_or(-1));
  if (exit.failure && !exit.succeeded()) {
    text += " (" + exit.failure->class_name + ")";
  }
  return text;
}

std::string with_reason(std::string text, std::string_view reason) {
  return reason.empty() ? text : fmt::format("{}: {}", text, reason);
}

std::string stall_sentence(const job::Plan& plan, const job::AttemptStalled& stalled) {
  const std::string name = name_of_attempt(plan, stalled.attempt);
  if (stalled.silent == Duration::zero()) {
    return name + " is making progress again";
  }
  const std::string where = stalled.place.empty() ? "" : " in " + stalled.place;
  switch (stalled.sure) {
    case job::Sureness::Sign:
      return fmt::format("{} is idle{}", name, where);
    case job::Sureness::Unsure:
      return fmt::format("{} may hang{}", name, where);
    case job::Sureness::Likely:
    case job::Sureness::Certain:
      break;
  }
  return fmt::format("{} hangs{} ({})", name, where, to_string(stalled.sure));
}

/// Says what happened to an attempt.
std::string attempt_sentence(const job::Plan& plan, const job::Fact& fact) {
  return std::visit(Overloaded{
                        [&](const job::AttemptJoined& f) {
                          return name_of_attempt(plan, f.attempt) + " is ready to start";
                        },
                        [&](const job::AttemptStarted& f) {
                          return name_of_attempt(plan, f.attempt) + " started";
                        },
                        [&](const job::AttemptEnded& f) {
                          return name_of_attempt(plan, f.attempt) + " ended: " + end_words(f.exit);
                        },
                        [&](const job::AttemptStalled& f) { return stall_sentence(plan, f); },
                        [&](const job::CheckpointCommitted& f) {
                          return fmt::format("{} committed checkpoint {}",
                                             name_of_attempt(plan, f.attempt), f.name);
                        },
                        [&](const job::EndpointPublished& f) {
                          return fmt::format("{} serves {}", name_of_attempt(plan, f.attempt),
                                             f.name);
                        },
                        [&](const job::SessionDetached& f) {
                          return fmt::format("{} detached from {} in {}", f.who, f.what,
                                             name_of_attempt(plan, f.attempt));
                        },
                        [&](const job::SessionOpened& f) {
                          if (f.verb == job::kJoinVerb) {
                            return fmt::format("{} joined {} in {}", f.who, f.what,
                                               name_of_attempt(plan, f.attempt));
                          }
                          return fmt::format("{} opened {} in {}: {}", f.who, f.verb,
                                             name_of_attempt(plan, f.attempt), f.what);
                        },
                        [&](const auto&) { return job::describe(plan, fact); },
                    },
                    fact);
}

/// Says what happened to a container or a host.
std::string place_sentence(const job::Plan& plan, const job::Fact& fact) {
  return std::visit(
      Overloaded{
          [&](const job::ContainerGranted& f) {
            return fmt::format("container {} was granted on {}", f.container.value, f.host.value);
          },
          [&](const job::RequestRefused& f) {
            return with_reason("the cluster refused a container", f.reason);
          },
          [&](const job::LaunchFailed& f) {
            return with_reason("container " + f.container.value + " could not be started",
                               f.reason);
          },
          [&](const job::AgentJoined& f) {
            return fmt::format("the agent of container {} joined", f.container.value);
          },
          [&](const job::AgentReported& f) {
            return fmt::format("the agent of container {} reported {}", f.container.value,
                               job::count_of(f.attempts.size(), "attempt"));
          },
          [&](const job::AgentSuspected& f) {
            return fmt::format("the agent of container {} is silent", f.container.value);
          },
          [&](const job::AgentLost& f) {
            return fmt::format("the agent of container {} is lost ({})", f.container.value,
                               to_string(f.reason));
          },
          [&](const job::ContainerEnded& f) {
            return with_reason(
                fmt::format("container {} ended ({})", f.container.value, to_string(f.kind)),
                f.diagnostics);
          },
          [&](const job::HostReported& f) {
            return fmt::format("host {} is {}", f.host.value, to_string(f.health));
          },
          [&](const job::PreemptionNoticed& f) {
            return fmt::format("the cluster will take back container {}", f.container.value);
          },
          [&](const auto&) { return attempt_sentence(plan, fact); },
      },
      fact);
}

std::string sentence(const job::Plan& plan, const job::Fact& fact) {
  return std::visit(
      Overloaded{
          [](const job::JobStarted&) -> std::string { return "the job started"; },
          [](const job::HeadroomReported& f) {
            const std::string hosts = job::count_of(f.hosts, "host");
            return f.memory_bytes == UINT64_MAX
                       ? "the cluster sets no limit on " + hosts
                       : fmt::format("the cluster has room for {} MiB, {} on {}",
                                     f.memory_bytes >> 20U, job::count_of(f.vcores, "core"), hosts);
          },
          [](const job::DeadlinePassed&) -> std::string { return "a deadline passed"; },
          [](const job::NoticeTold& f) { return job::sentence(f); },
          [](const job::StopAsked& f) {
            return (f.how == job::StopHow::Interrupt ? "interrupt requested by "
                                                     : "stop requested by ") +
                   f.by;
          },
          [](const job::MasterRecovered& f) {
            return fmt::format("master {} took over", f.epoch.value);
          },
          [&](const auto&) { return place_sentence(plan, fact); },
      },
      fact);
}

template <class Fact>
concept OfAttempt = requires(const Fact& fact) {
  { fact.attempt } -> std::convertible_to<job::AttemptId>;
};

void add_attempt(JsonObject& object, const job::Plan& plan, const job::State& state,
                 const Record& record, job::AttemptId id) {
  object.text("task", to_string(plan, id.task)).number("attempt", id.number);
  const job::Attempt* const attempt = state.find_attempt(id);
  if (attempt == nullptr) {
    return;
  }
  object.text_or_null("host", attempt->host.value)
      .text_or_null("container", attempt->container.value)
      .number("generation", attempt->generation.value)
      .number("placed", milliseconds_of(record.wall - (record.at - attempt->placed)))
      .text_or_null("part", attempt->part ? to_string(*attempt->part) : std::string_view());
}

void add_details(JsonObject& object, const job::Fact& fact) {
  std::visit(Overloaded{
                 [&](const job::AttemptEnded& ended) {
                   const bool failed = ended.exit.failure && !ended.exit.succeeded();
                   object.number("exit_code", ended.exit.exit_code)
                       .number("signal", ended.exit.signal)
                       .text_or_null("class", failed ? ended.exit.failure->class_name : "");
                 },
                 [&](const job::CheckpointCommitted& commit) { object.text("name", commit.name); },
                 [](const auto&) {},
             },
             fact);
}

}  // namespace

std::string event_json(const job::Plan& plan, const job::State& state, const Record& record) {
  JsonObject object;
  object.number("n", record.index)
      .number("ms", milliseconds_of(record.wall))
      .text("type", job::name_of(record.fact))
      .text("text", sentence(plan, record.fact));
  std::visit(
      [&](const auto& fact) {
        if constexpr (OfAttempt<std::decay_t<decltype(fact)>>) {
          add_attempt(object, plan, state, record, fact.attempt);
        }
      },
      record.fact);
  add_details(object, record.fact);
  return object.str();
}

}  // namespace muster::eventlog
