#include "eventlog/summary.h"

#include "base/check.h"
#include "eventlog/json_text.h"

#include <boost/json.hpp>

#include <map>
#include <utility>

namespace muster::eventlog {
namespace json = boost::json;
namespace {

constexpr std::string_view kSummarySchema = "muster.summary/1";
constexpr size_t kHostBytesMax = 255;

uint64_t restarts_of(const job::State& state) {
  uint64_t restarts = 0;
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      restarts += task.attempts.empty() ? 0 : task.attempts.size() - 1;
    }
  }
  return restarts;
}

Error damaged_summary(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster, fmt::format("summary.json is damaged: {}", what)};
}

/// Reads members into a Summary and remembers the first missing one.
class Members {
 public:
  explicit Members(const json::object& object) : object_(object) {}

  void text(std::string_view key, std::string& value) {
    const json::value* member = object_.if_contains(key);
    if (member != nullptr && member->is_string()) {
      value = std::string(member->get_string());
    } else if (member == nullptr || !member->is_null()) {
      miss(key);
    }
  }
  template <class Number>
  void number(std::string_view key, Number& value) {
    const json::value* member = object_.if_contains(key);
    boost::system::error_code error;
    if (member == nullptr || !member->is_number()) {
      miss(key);
      return;
    }
    value = member->to_number<Number>(error);
    if (error) {
      miss(key);
    }
  }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  void miss(std::string_view key) {
    if (missing_.empty()) {
      missing_ = std::string(key);
    }
  }
  const json::object& object_;
  std::string missing_;
};

std::string hosts_json(const job::State& state) {
  JsonArray rows;
  for (const HostShare& share : host_shares(state)) {
    rows.raw(JsonObject()
                 .text("host", share.host)
                 .number("attempts", share.attempts)
                 .number("failed", share.failed)
                 .str());
  }
  return rows.str();
}

/// Returns what can be read of it: files of earlier versions have none.
std::vector<HostShare> hosts_in(const json::object& document) {
  std::vector<HostShare> hosts;
  const json::value* const rows = document.if_contains("hosts");
  if (rows == nullptr || !rows->is_array()) {
    return hosts;
  }
  for (const json::value& row : rows->get_array()) {
    const json::object* const members = row.if_object();
    if (members == nullptr || hosts.size() == kSummaryHostsMax) {
      continue;
    }
    HostShare share;
    Members read(*members);
    read.text("host", share.host);
    read.number("attempts", share.attempts);
    read.number("failed", share.failed);
    if (read.missing().empty() && !share.host.empty() && share.host.size() <= kHostBytesMax) {
      hosts.push_back(std::move(share));
    }
  }
  return hosts;
}

}  // namespace

std::vector<HostShare> host_shares(const job::State& state) {
  std::map<std::string, HostShare> by_host;
  for (const auto& role : state.tasks) {
    for (const job::Task& task : role) {
      for (const job::Attempt& attempt : task.attempts) {
        HostShare& share = by_host[attempt.host.value];
        ++share.attempts;
        if (attempt.part == job::Part::Origin && attempt.exit && attempt.exit->failure) {
          ++share.failed;
        }
      }
    }
  }
  std::vector<HostShare> shares;
  for (auto& [host, share] : by_host) {
    if (!host.empty() && shares.size() < kSummaryHostsMax) {
      share.host = host;
      shares.push_back(std::move(share));
    }
  }
  return shares;
}

std::string summary_json(const job::Plan& plan, const job::State& state,
                         const StatusContext& context) {
  MUSTER_CHECK(state.outcome.has_value(), "only an ended job has a summary");
  const job::Outcome& outcome = *state.outcome;
  const Duration took = state.ended - state.started;
  return JsonObject()
             .text("schema", kSummarySchema)
             .text("job", plan.job.value)
             .text("name", plan.name)
             .text("on", context.on)
             .text("result", to_string(outcome.result))
             .text("reason", to_string(outcome.reason))
             .text_or_null("class", outcome.class_name)
             .text_or_null("message", outcome.message)
             .number("exit_status", job::exit_status(outcome.reason))
             .text("started", format_iso(context.started + state.started.time_since_epoch()))
             .text("ended", format_iso(context.started + state.ended.time_since_epoch()))
             .number("duration_ms",
                     std::chrono::duration_cast<std::chrono::milliseconds>(took).count())
             .number("tasks", plan.task_count())
             .number("restarts", restarts_of(state))
             .raw("hosts", hosts_json(state))
             .raw("outcome", outcome_json(plan, state, context))
             .raw("timeline", timeline_json(state))
             .str() +
         "\n";
}

Result<Summary> parse_summary(std::string_view text) {
  boost::system::error_code error;
  const json::value document = json::parse(text, error);
  if (error || !document.is_object()) {
    return damaged_summary("not valid JSON");
  }
  Members members(document.get_object());
  std::string schema;
  members.text("schema", schema);
  if (schema != kSummarySchema) {
    return damaged_summary(fmt::format("its schema is not \"{}\"", kSummarySchema));
  }
  Summary summary;
  members.text("job", summary.job);
  members.text("name", summary.name);
  members.text("on", summary.on);
  members.text("result", summary.result);
  members.text("reason", summary.reason);
  members.text("class", summary.class_name);
  members.text("message", summary.message);
  members.number("exit_status", summary.exit_status);
  members.text("started", summary.started);
  members.text("ended", summary.ended);
  members.number("duration_ms", summary.duration_ms);
  members.number("tasks", summary.tasks);
  members.number("restarts", summary.restarts);
  if (!members.missing().empty()) {
    return damaged_summary(fmt::format("\"{}\" is missing", members.missing()));
  }
  summary.hosts = hosts_in(document.get_object());
  return summary;
}

job::Outcome outcome_of(const Summary& summary) {
  job::Outcome outcome;
  if (summary.result == to_string(job::JobResult::Stopped)) {
    outcome.result = job::JobResult::Stopped;
    outcome.reason = job::OutcomeReason::StoppedByUser;
  } else if (summary.result != to_string(job::JobResult::Succeeded)) {
    outcome.result = job::JobResult::Failed;
    outcome.reason = job::OutcomeReason::ClusterFailed;
  }
  outcome.class_name = summary.class_name;
  outcome.message = summary.message;
  return outcome;
}

}  // namespace muster::eventlog
