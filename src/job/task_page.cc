#include "job/task_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace muster::job {
namespace {

constexpr std::string_view kPrefix = "http://localhost:";
constexpr size_t kNameMax = 32;
constexpr size_t kPathMax = 1024;
/// The job's page has it for its own.
constexpr std::string_view kTensorboard = "tensorboard";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

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
  if (read.ec != std::errc{} || page.port == 0 || !wrong_page_path(page.path).empty()) {
    return std::nullopt;
  }
  return page;
}

std::string link_of(std::string_view name, const std::string& url) {
  const auto page = task_page_of(url);
  return page && wrong_endpoint_name(name).empty() ? fmt::format("endpoints/{}{}", name, page->path)
                                                   : url;
}

std::string wrong_endpoint_name(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kNameMax && is_lower(name.front()) &&
                    std::ranges::all_of(name, [](char c) {
                      return is_lower(c) || is_digit(c) || c == '_' || c == '-';
                    });
  if (!fits) {
    return fmt::format(
        "`{}` is not a name of an endpoint; use 1 to {} lower-case letters, digits, `_` and `-`, "
        "and begin with a letter",
        name, kNameMax);
  }
  return name == kTensorboard ? "`tensorboard` is the name of Muster's own; use another" : "";
}

std::string wrong_page_path(std::string_view path) {
  const bool fits =
      path.starts_with('/') && path.size() <= kPathMax &&
      std::ranges::all_of(path, [](char c) { return c > ' ' && c != '\x7f' && c != '#'; });
  return fits ? "" : fmt::format("`{}` is not a path; begin with `/`, without blanks", path);
}

}  // namespace muster::job
