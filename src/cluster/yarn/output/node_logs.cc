#include "cluster/yarn/output/node_logs.h"

#include "base/text.h"

#include <boost/json.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace muster::cluster::yarn {
namespace {

namespace json = boost::json;

Error no_page(std::string_view what) {
  return Error{Errc::Corrupt, Blame::Cluster,
               "the node manager's page of " + std::string(what) + " cannot be read"};
}

std::optional<uint64_t> number_of(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size()
             ? std::optional(value)
             : std::nullopt;
}

/// A single element may come without its list.
std::vector<const json::object*> objects_in(const json::object& from, std::string_view key) {
  std::vector<const json::object*> objects;
  const json::value* const value = from.if_contains(key);
  if (value != nullptr && value->is_object()) {
    objects.push_back(&value->get_object());
  } else if (value != nullptr && value->is_array()) {
    for (const json::value& one : value->get_array()) {
      if (one.is_object()) {
        objects.push_back(&one.get_object());
      }
    }
  }
  return objects;
}

std::string text_member(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

}  // namespace

Result<std::vector<NodeLogFile>> parse_node_logs(std::string_view text) {
  boost::system::error_code error;
  const json::value page = json::parse(json::string_view(text.data(), text.size()), error);
  if (error || !page.is_object() || !page.get_object().contains("containerLogsInfo")) {
    return no_page("log files");
  }
  std::vector<NodeLogFile> files;
  for (const json::object* info : objects_in(page.get_object(), "containerLogsInfo")) {
    if (text_member(*info, "logAggregationType") == "AGGREGATED") {
      continue;  // The same files once more, as they are in HDFS.
    }
    for (const json::object* file : objects_in(*info, "containerLogInfo")) {
      const auto size = number_of(text_member(*file, "fileSize"));
      if (!size) {
        return no_page("log files");
      }
      files.push_back({.name = text_member(*file, "fileName"), .size_bytes = *size});
    }
  }
  return files;
}

Result<NodeLogPiece> parse_node_log(std::string_view page, uint64_t asked_bytes) {
  constexpr std::string_view kLength = "\nLogLength:";
  constexpr std::string_view kContents = "\nLogContents:\n";
  const size_t contents = page.find(kContents);
  const size_t length = page.substr(0, contents).find(kLength);
  if (contents == std::string_view::npos || length == std::string_view::npos) {
    return no_page("a log file");
  }
  const size_t digits = length + kLength.size();
  const auto file_bytes = number_of(trim(page.substr(digits, page.find('\n', digits) - digits)));
  if (!file_bytes) {
    return no_page("a log file");
  }
  const std::string_view rest = page.substr(contents + kContents.size());
  const uint64_t bytes = std::min(*file_bytes, asked_bytes);
  if (bytes > rest.size()) {
    return no_page("a log file");
  }
  return NodeLogPiece{.file_bytes = *file_bytes,
                      .bytes = rest.substr(0, static_cast<size_t>(bytes))};
}

bool is_task_log(std::string_view name) {
  const std::vector<std::string_view> dots = split(name, '.');
  const bool streams =
      (dots.size() == 3 || dots.size() == 4) && (dots[2] == "stdout" || dots[2] == "stderr");
  // A task's names for its files become part of a request, and local file names.
  const auto is_of_role = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (!streams || !std::ranges::all_of(dots[0], is_of_role)) {
    return false;
  }
  const size_t dash = dots[0].rfind('-');
  return dash != std::string_view::npos && dash > 0 && number_of(dots[0].substr(dash + 1)) &&
         number_of(dots[1]) && (dots.size() == 3 || dots[3] == "times" || number_of(dots[3]));
}

}  // namespace muster::cluster::yarn
