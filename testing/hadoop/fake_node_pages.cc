#include "testing/hadoop/fake_node_pages.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace muster::testing {
namespace {

constexpr std::string_view kContainers = "/ws/v1/node/containers/";
constexpr size_t kAll = std::string_view::npos;
constexpr int kNotFound = 404;

using LogFiles = std::map<std::string, std::string>;

std::string list_page(const LogFiles& files) {
  std::string rows;
  for (const auto& [name, text] : files) {
    rows += fmt::format(R"({}{{"fileName":"{}","fileSize":"{}","lastModifiedTime":""}})",
                        rows.empty() ? "" : ",", name, text.size());
  }
  return fmt::format(
      R"({{"containerLogsInfo":[{{"containerLogInfo":[{}],"logAggregationType":"LOCAL"}}]}})",
      rows);
}

std::string file_page(std::string_view name, std::string_view text, size_t bytes_max) {
  const std::string_view end = text.substr(text.size() - std::min(text.size(), bytes_max));
  return fmt::format(
      "LogAggregationType: LOCAL\n=====\nLogType:{}\nLogLength:{}\nLogContents:\n{}\nEnd of "
      "LogType:{}\n",
      name, text.size(), end, name);
}

/// Parses "size=-4096&user.name=alice"; everything if no size is given.
size_t size_in(std::string_view query) {
  constexpr std::string_view kSize = "size=-";
  size_t size = kAll;
  if (query.starts_with(kSize)) {
    std::from_chars(query.data() + kSize.size(), query.data() + query.size(), size);
  }
  return size;
}

}  // namespace

net::HttpResponse FakeNodePages::answer(std::string_view target) {
  net::HttpResponse nothing;
  nothing.status = kNotFound;
  const size_t mark = target.find('?');
  const std::string_view query = mark == kAll ? "" : target.substr(mark + 1);
  const std::string_view path = target.substr(0, mark);
  if (!path.starts_with(kContainers)) {
    return nothing;
  }
  const std::vector<std::string_view> names = split(path.substr(kContainers.size()), '/');
  const auto container = logs_.find(names[0]);
  if (container == logs_.end() || names.size() < 2 || names[1] != "logs") {
    return nothing;
  }
  net::HttpResponse page;
  if (names.size() == 2) {
    if (const auto removed = removed_at_.find(names[0]);
        removed != removed_at_.end() && --removed->second == 0) {
      container->second.clear();
    }
    page.content_type = "application/json";
    page.body = list_page(container->second);
    return page;
  }
  const auto file = container->second.find(std::string(names[2]));
  if (file == container->second.end()) {
    return nothing;
  }
  page.body = file_page(file->first, file->second, size_in(query));
  return page;
}

}  // namespace muster::testing
