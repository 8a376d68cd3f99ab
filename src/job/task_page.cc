#include "job/task_page.h"

#include "spec/names.h"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace muster::job {
namespace {

constexpr std::string_view kPrefix = "http://localhost:";

}  // namespace

std::string url_of(const TaskPage& page) {
  return fmt::format("{}{}{}", kPrefix, page.port, page.path);
}

std::optional<TaskPage> task_page_of(std::string_view url) {
  if (!url.starts_with(kPrefix)) {
    return std::nullopt;
  }
  url.remove_prefix(kPrefix.size());
  TaskPage page;
  const auto read = std::from_chars(url.data(), url.data() + url.size(), page.port);
  page.path = std::string(read.ptr, url.data() + url.size());
  if (read.ec != std::errc{} || page.port == 0 || !spec::wrong_page_path(page.path).empty()) {
    return std::nullopt;
  }
  return page;
}

std::string link_of(std::string_view name, const std::string& url) {
  const auto page = task_page_of(url);
  return page && spec::wrong_endpoint_name(name).empty()
             ? fmt::format("endpoints/{}{}", name, page->path)
             : url;
}

}  // namespace muster::job
