#include "app/live_status.h"
#include "base/text.h"
#include "client/status_text.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace muster::app {
namespace {

namespace json = boost::json;

std::string text_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_string() ? printable(value->get_string()) : std::string();
}

int64_t number_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

std::string task_line(std::string_view role, const json::object& task) {
  return fmt::format("  {:<16} {:<10} {:<4} {}\n",
                     fmt::format("{}:{}", role, number_in(task, "index")), text_in(task, "state"),
                     number_in(task, "attempts"), text_in(task, "host"));
}

}  // namespace

std::string render_live_notes(const std::string& text, const std::string& page) {
  std::string notes = page.empty() ? "" : "page: " + page + "\n";
  if (const std::string waits_for = client::waits_for_of(text); !waits_for.empty()) {
    notes += "waiting: " + printable(waits_for) + "\n";
  }
  if (const std::string trouble = client::log_trouble_of(text); !trouble.empty()) {
    notes +=
        "the job's log cannot be written: " + printable(trouble) + "; starts and restarts wait\n";
  }
  return notes;
}

std::string render_live_status(const std::string& text) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) {
    return text + "\n";
  }
  const json::object& status = value.get_object();
  std::string shown =
      fmt::format("{}  {} on {} as {}\n", text_in(status, "job"), text_in(status, "phase"),
                  text_in(status, "on"), text_in(status, "application_id"));
  shown += render_live_notes(text, text_in(status, "page"));
  shown += fmt::format("  {:<16} {:<10} {:<4} {}\n", "TASK", "STATE", "RUNS", "HOST");
  const json::value* const roles = status.if_contains("roles");
  if (roles == nullptr || !roles->is_object()) {
    return shown;
  }
  for (const auto& [role, about] : roles->get_object()) {
    const json::value* const tasks =
        about.is_object() ? about.get_object().if_contains("tasks") : nullptr;
    if (tasks == nullptr || !tasks->is_array()) {
      continue;
    }
    for (const json::value& task : tasks->get_array()) {
      shown += task.is_object() ? task_line(role, task.get_object()) : std::string();
    }
  }
  return shown;
}

}  // namespace muster::app
