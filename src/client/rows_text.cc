#include "base/text.h"
#include "client/job_rows.h"
#include "client/state_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace muster::client {
namespace {

std::string state_word(const JobRow& row) { return row.result.empty() ? row.phase : row.result; }

}  // namespace

std::string render_rows(const std::vector<JobRow>& rows, WallTime now, bool colour) {
  if (rows.empty()) {
    return "no jobs\n";
  }
  size_t width = 3;
  for (const JobRow& row : rows) {
    width = std::max(width, row.id.size());
  }
  std::string out = fmt::format("{:<{}}  {:<10} {:>6}  {:<14} {:<12} {}\n", "job", width, "state",
                                "tasks", "submitted", "ran", "class");
  for (const JobRow& row : rows) {
    const std::string tasks = row.result.empty()
                                  ? fmt::format("{}/{}", row.tasks_running, row.tasks)
                                  : std::to_string(row.tasks);
    out += fmt::format("{:<{}}  {} {:>6}  {:<14} {:<12} {}\n", row.id, width,
                       cell(state_word(row), 10, colour), tasks,
                       age_of(row.submitted, now) + " ago", format_duration(row.duration),
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
