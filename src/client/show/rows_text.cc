#include "base/text.h"
#include "client/show/job_rows.h"
#include "client/show/state_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

std::string state_word(const JobRow& row) { return row.result.empty() ? row.phase : row.result; }

std::string age(const JobRow& row, WallTime now) { return age_of(row.submitted, now) + " ago"; }

}  // namespace

std::string render_rows(const std::vector<JobRow>& rows, WallTime now, bool colour) {
  if (rows.empty()) {
    return "no jobs\n";
  }
  size_t id_width = 3;
  size_t age_width = 9;
  for (const JobRow& row : rows) {
    id_width = std::max(id_width, row.id.size());
    age_width = std::max(age_width, age(row, now).size());
  }
  std::string out = fmt::format("{:<{}}  {:<10} {:>6}  {:<{}}  {:<12} {}\n", "job", id_width,
                                "state", "tasks", "submitted", age_width, "ran", "class");
  for (const JobRow& row : rows) {
    const std::string tasks = row.result.empty()
                                  ? fmt::format("{}/{}", row.tasks_running, row.tasks)
                                  : std::to_string(row.tasks);
    out += fmt::format("{:<{}}  {} {:>6}  {:<{}}  {:<12} {}\n", row.id, id_width,
                       cell(state_word(row), 10, colour), tasks, age(row, now), age_width,
                       format_duration(row.duration),
                       row.damage.empty() ? row.class_name : printable(row.damage));
  }
  return out;
}

std::string render_rows_json(const std::vector<JobRow>& rows) {
  std::string out = R"({"schema":"muster.jobs/1","jobs":[)";
  for (size_t i = 0; i < rows.size(); ++i) {
    const JobRow& row = rows[i];
    out += fmt::format(R"({}{{"job":{},"phase":{},"result":{},"class":{},"tasks":{},)"
                       R"("tasks_running":{},"submitted":{},"duration_ms":{}}})",
                       i == 0 ? "" : ",", json_quote(row.id), json_quote(row.phase),
                       row.result.empty() ? "null" : json_quote(row.result),
                       row.class_name.empty() ? "null" : json_quote(row.class_name), row.tasks,
                       row.tasks_running, json_quote(format_iso(row.submitted)),
                       row.duration.count() / 1000);
  }
  return out + "]}\n";
}

}  // namespace muster::client
