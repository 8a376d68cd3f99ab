#include "tracking/mlflow.h"

#include "base/redaction.h"
#include "base/text.h"
#include "job/describe.h"
#include "tracking/command_options.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>

namespace muster::tracking {
namespace {

namespace json = boost::json;

// MLflow's own limits, or below them.
constexpr size_t kParamBytesMax = 500;
constexpr size_t kTagBytesMax = 4000;
constexpr size_t kItemsMax = 90;
constexpr size_t kPointsMax = 500;

constexpr std::string_view kLoggedTag = "muster.logged_until";

std::string fit(std::string_view text, const Context& context, size_t bytes_max) {
  std::string out = printable(redact(text, context.secrets));
  if (out.size() > bytes_max) {
    out.resize(bytes_max - 3);
    while (const auto bad = find_invalid_utf8(out)) {
      out.resize(*bad);
    }
    out += "...";
  }
  return out;
}

/// Gathers items without empty or repeated ones.
class Items {
 public:
  Items(const Context& context, size_t bytes_max) : context_(context), bytes_max_(bytes_max) {}
  void add(std::string_view key, std::string_view value) {
    const std::string name = plain_key(key);
    if (!value.empty() && !name.empty() &&
        std::ranges::find(items_, name, &Item::key) == items_.end()) {
      items_.push_back({name, fit(value, context_, bytes_max_)});
    }
  }
  [[nodiscard]] std::vector<Item> take() { return std::move(items_); }

 private:
  const Context& context_;
  size_t bytes_max_;
  std::vector<Item> items_;
};

void add_role(const job::Plan& plan, const job::RolePlan& role, Items& items) {
  const std::string at = "roles." + role.name + ".";
  items.add(at + "tasks", std::to_string(role.tasks));
  if (role.resources.memory_bytes != 0) {
    items.add(at + "memory", format_bytes(role.resources.memory_bytes));
  }
  if (role.resources.vcores != 0) {
    items.add(at + "cores", std::to_string(role.resources.vcores));
  }
  if (role.resources.gpus != 0) {
    items.add(at + "gpus", std::to_string(role.resources.gpus));
  }
  const spec::Role* const asked = spec::find_role(plan.spec, role.name);
  if (asked == nullptr) {
    return;
  }
  for (const auto& [name, value] : command_options(spec::settings_of(plan.spec, *asked).command)) {
    if (!sounds_secret(name)) {
      items.add(name, value);
    }
  }
}

json::array items_json(const std::vector<Item>& items, size_t from, size_t count) {
  json::array out;
  for (size_t i = from; i < std::min(items.size(), from + count); ++i) {
    out.push_back(json::object{{"key", items[i].key}, {"value", items[i].value}});
  }
  return out;
}

json::value number_json(double value) {
  if (std::isfinite(value)) {
    return value;
  }
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

json::array points_json(const std::vector<CurvePoint>& points, size_t from, size_t count) {
  json::array out;
  for (size_t i = from; i < std::min(points.size(), from + count); ++i) {
    const CurvePoint& point = points[i];
    out.push_back(json::object{{"key", point.key},
                               {"value", number_json(point.value)},
                               {"timestamp", point.time_s * 1000},
                               {"step", point.step}});
  }
  return out;
}

int64_t ms_of(WallTime time) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Error unexpected(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster,
               fmt::format("the MLflow server's answer has no {}", what)};
}

const json::value* member(const json::value* of, std::string_view name) {
  return of != nullptr && of->is_object() ? of->get_object().if_contains(name) : nullptr;
}

int64_t logged_in(const json::value* tags) {
  if (tags == nullptr || !tags->is_array()) {
    return 0;
  }
  for (const json::value& tag : tags->get_array()) {
    const json::value* const key = member(&tag, "key");
    const json::value* const value = member(&tag, "value");
    if (key != nullptr && key->is_string() && key->get_string() == kLoggedTag && value != nullptr &&
        value->is_string()) {
      const json::string& text = value->get_string();
      int64_t seconds = 0;
      (void)std::from_chars(text.data(), text.data() + text.size(), seconds);
      return std::max<int64_t>(seconds, 0);
    }
  }
  return 0;
}

}  // namespace

std::vector<Item> parameters(const job::Plan& plan, const Context& context) {
  Items items(context, kParamBytesMax);
  items.add("framework", plan.framework);
  for (const job::RolePlan& role : plan.roles) {
    add_role(plan, role, items);
  }
  return items.take();
}

std::vector<Item> tags(const job::Plan& plan, const Context& context) {
  Items items(context, kTagBytesMax);
  items.add("mlflow.user", context.user);
  items.add("mlflow.source.type", "JOB");
  items.add("mlflow.source.name", plan.name);
  items.add(kJobTag, plan.job.value);
  items.add("muster.cluster", context.on);
  items.add("muster.queue", plan.spec.yarn.queue);
  items.add("muster.application_id", context.application_id);
  items.add("muster.command", plan.spec.command.value_or(""));
  return items.take();
}

std::vector<Item> end_tags(const job::Plan& plan, const job::State& state, const Context& context) {
  Items items(context, kTagBytesMax);
  if (!state.outcome) {
    return {};
  }
  const job::Outcome& outcome = *state.outcome;
  items.add("muster.result", to_string(outcome.result));
  items.add("muster.class", outcome.class_name);
  items.add("muster.message", outcome.message);
  if (outcome.first_cause) {
    items.add(
        "muster.first_cause",
        fmt::format("{}, attempt {} on {}", to_string(plan, outcome.first_cause->attempt.task),
                    outcome.first_cause->attempt.number, outcome.first_cause->host.value));
    items.add("muster.evidence", outcome.first_cause->failure.evidence);
  }
  return items.take();
}

std::string experiment_body(const std::string& name) {
  return json::serialize(json::object{{"name", name}});
}

std::string search_body(const std::string& experiment_id, const job::JobId& job) {
  // Ids are lower-case letters, digits and hyphens: nothing to quote.
  return json::serialize(
      json::object{{"experiment_ids", json::array{experiment_id}},
                   {"filter", fmt::format("tags.`{}` = '{}'", kJobTag, job.value)},
                   {"max_results", 1}});
}

std::string create_body(const std::string& experiment_id, const job::Plan& plan,
                        const Context& context) {
  const std::vector<Item> marks = tags(plan, context);
  return json::serialize(json::object{{"experiment_id", experiment_id},
                                      {"user_id", context.user},
                                      {"run_name", plan.job.value},
                                      {"start_time", ms_of(context.submitted)},
                                      {"tags", items_json(marks, 0, marks.size())}});
}

std::vector<std::string> batch_bodies(const std::string& run_id, const std::vector<Item>& params,
                                      const std::vector<Item>& tags,
                                      const std::vector<CurvePoint>& points) {
  std::vector<std::string> bodies;
  const auto count = [](size_t size, size_t each) { return (size + each - 1) / each; };
  const size_t batches = std::max({count(params.size(), kItemsMax), count(tags.size(), kItemsMax),
                                   count(points.size(), kPointsMax)});
  for (size_t i = 0; i < batches; ++i) {
    // Tags last: what they say about the values before them is true by then.
    const bool last = i + 1 == batches;
    bodies.push_back(json::serialize(
        json::object{{"run_id", run_id},
                     {"params", items_json(params, i * kItemsMax, kItemsMax)},
                     {"metrics", points_json(points, i * kPointsMax, kPointsMax)},
                     {"tags", last ? items_json(tags, 0, kItemsMax) : json::array()}}));
  }
  return bodies;
}

std::string end_body(const std::string& run_id, job::JobResult result, WallTime end) {
  const std::string_view status = result == job::JobResult::Succeeded ? "FINISHED"
                                  : result == job::JobResult::Failed  ? "FAILED"
                                                                      : "KILLED";
  return json::serialize(
      json::object{{"run_id", run_id}, {"status", status}, {"end_time", ms_of(end)}});
}

Result<std::string> text_at(std::string_view document, const std::vector<std::string_view>& path) {
  boost::system::error_code error;
  const json::value parsed = json::parse(document, error);
  const json::value* at = error ? nullptr : &parsed;
  for (const std::string_view name : path) {
    at = member(at, name);
  }
  if (at == nullptr || !at->is_string() || at->get_string().empty()) {
    return unexpected(join(std::vector<std::string>(path.begin(), path.end()), "."));
  }
  return std::string(at->get_string());
}

Result<std::optional<FoundRun>> run_found(std::string_view document) {
  boost::system::error_code error;
  const json::value parsed = json::parse(document, error);
  if (error || !parsed.is_object()) {
    return unexpected("runs");
  }
  const json::value* const runs = member(&parsed, "runs");
  if (runs == nullptr || !runs->is_array() || runs->get_array().empty()) {
    return std::optional<FoundRun>();
  }
  const json::value& run = runs->get_array().front();
  const json::value* const id = member(member(&run, "info"), "run_id");
  if (id == nullptr || !id->is_string()) {
    return unexpected("run_id");
  }
  return std::optional(FoundRun{.id = std::string(id->get_string()),
                                .logged_s = logged_in(member(member(&run, "data"), "tags"))});
}

Item logged_tag(int64_t until_s) { return {std::string(kLoggedTag), std::to_string(until_s)}; }

}  // namespace muster::tracking
