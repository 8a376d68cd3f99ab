#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Pages that tasks publish: how an EndpointPublished says where one is, and where people see it.
namespace muster::job {

/// A page that a program beside a task serves on the task's host.
struct TaskPage {
  uint16_t port = 0;
  std::string path = "/";  ///< The page to begin with; begins with a slash.
  bool operator==(const TaskPage&) const = default;
};

/// Returns the URL of such a page in a fact: "http://localhost:8265/".
[[nodiscard]] std::string url_of(const TaskPage& page);
/// Its inverse; nullopt for a URL that is not a task's own page.
[[nodiscard]] std::optional<TaskPage> task_page_of(std::string_view url);

/// Returns where people see what was published under that name: for a task's own page the path
/// below the job's page, "endpoints/dashboard/"; for anything else the URL itself.
[[nodiscard]] std::string link_of(std::string_view name, const std::string& url);

}  // namespace muster::job
