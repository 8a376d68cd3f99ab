#include "eventlog/plan_file.h"

#include "base/text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace muster::eventlog {
namespace json = boost::json;
namespace {

constexpr std::string_view kPlanSchema = "muster.plan/1";

Error damaged_plan(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster, fmt::format("plan.json is damaged: {}", what)};
}

Result<std::string> text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) {
    return damaged_plan(fmt::format("it has no string \"{}\"", key));
  }
  return std::string(value->get_string());
}

Result<uint64_t> number_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value != nullptr && value->is_uint64()) {
    return value->get_uint64();
  }
  if (value != nullptr && value->is_int64() && value->get_int64() >= 0) {
    return static_cast<uint64_t>(value->get_int64());
  }
  return damaged_plan(fmt::format("it has no number \"{}\"", key));
}

}  // namespace

std::string to_text(const PlanFile& file) {
  // The spec stays the text that spec::to_json made: parsing and printing it again could change it.
  return fmt::format(
      "{{\"schema\":\"{}\",\"job\":{},\"seed\":{},\"submitted_us\":{},\"on\":{},\"user\":{},"
      "\"working_folder\":{},"
      "\"python\":{},\n\"spec\":{}}}\n",
      kPlanSchema, json_quote(file.job_id), file.seed, file.submitted.time_since_epoch().count(),
      json_quote(file.on), json_quote(file.user), json_quote(file.working_folder),
      json_quote(file.python), file.spec_json);
}

Result<PlanFile> parse_plan_file(std::string_view text) {
  boost::system::error_code error;
  const json::value document = json::parse(text, error);
  if (error || !document.is_object()) {
    return damaged_plan("not valid JSON");
  }
  const json::object& object = document.get_object();
  PlanFile file;
  MUSTER_TRY(const std::string schema, text_of(object, "schema"));
  if (schema != kPlanSchema) {
    return damaged_plan(
        fmt::format("its schema is \"{}\" instead of \"{}\"", printable(schema), kPlanSchema));
  }
  MUSTER_TRY(file.job_id, text_of(object, "job"));
  MUSTER_TRY(file.seed, number_of(object, "seed"));
  MUSTER_TRY(const uint64_t submitted, number_of(object, "submitted_us"));
  file.submitted = WallTime(Duration(static_cast<Duration::rep>(submitted)));
  MUSTER_TRY(file.on, text_of(object, "on"));
  MUSTER_TRY(file.user, text_of(object, "user"));
  MUSTER_TRY(file.working_folder, text_of(object, "working_folder"));
  MUSTER_TRY(file.python, text_of(object, "python"));
  const json::value* spec = object.if_contains("spec");
  if (spec == nullptr || !spec->is_object()) {
    return damaged_plan("it has no \"spec\"");
  }
  const size_t at = text.find("\n\"spec\":");
  if (at == std::string_view::npos) {
    file.spec_json = json::serialize(*spec);
    return file;
  }
  std::string_view rest = trim(text.substr(at + std::string_view("\n\"spec\":").size()));
  rest.remove_suffix(1);
  file.spec_json = std::string(rest);
  return file;
}

}  // namespace muster::eventlog
