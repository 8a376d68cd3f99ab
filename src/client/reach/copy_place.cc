#include "client/reach/copy_place.h"

#include "base/text.h"
#include "client/reach/task_selection.h"
#include "client/show/job_finder.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::client {

Result<CopyPlace> copy_place_of(const std::string& text) {
  if (text.starts_with('/') || text.starts_with('.') || text.find(':') == std::string::npos) {
    return CopyPlace{.job = {}, .task = {}, .path = text};
  }
  const size_t job_end = text.find(':');
  size_t task_end = text.find(':', job_end + 1);
  if (task_end != std::string::npos) {
    const size_t index_end = std::min(text.find(':', task_end + 1), text.size());
    const std::string index = text.substr(task_end + 1, index_end - task_end - 1);
    const bool is_index =
        !index.empty() && std::ranges::all_of(index, [](char c) { return c >= '0' && c <= '9'; });
    task_end = is_index ? index_end : task_end;
  }
  if (task_end == std::string::npos || task_end == text.size()) {
    return user_error(
        fmt::format("{} does not name a file of a task; write JOB:TASK:PATH, as in "
                    "last:worker:0:model.pt, or ./NAME for a file here",
                    printable(text)));
  }
  return CopyPlace{.job = text.substr(0, job_end),
                   .task = text.substr(job_end + 1, task_end - job_end - 1),
                   .path = task_end + 1 == text.size() ? "." : text.substr(task_end + 1)};
}

Result<std::vector<CopyPlace>> each_task(Session& session, const CopyPlace& place,
                                         const std::string& on) {
  std::vector<CopyPlace> places;
  if (place.job.empty() || place.task.find(':') != std::string::npos) {
    places.push_back(place);
    return places;
  }
  MUSTER_TRY(const FoundJob job, find_job(session, place.job, on));
  const job::Plan& plan = job.reading.replayed.machine.plan();
  MUSTER_TRY(const std::vector<job::TaskId> tasks, tasks_of({place.task}, plan));
  for (const job::TaskId task : tasks) {
    places.push_back({.job = place.job, .task = to_string(plan, task), .path = place.path});
  }
  return places;
}

std::string file_name_of(const CopyPlace& place) {
  std::string name = place.task;
  std::ranges::replace(name, ':', '-');
  return name;
}

}  // namespace muster::client
