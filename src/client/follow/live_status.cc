#include "client/follow/live_status.h"

#include "base/text.h"
#include "client/show/master_question.h"
#include "client/show/status_text.h"
#include "wire/frame.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <utility>
#include <variant>

namespace muster::client {
namespace {

namespace json = boost::json;

constexpr Duration kPatience = std::chrono::seconds(1);

std::string text_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_string() ? printable(value->get_string()) : std::string();
}

int64_t number_in(const json::object& from, std::string_view key) {
  const json::value* const value = from.if_contains(key);
  return value != nullptr && value->is_int64() ? value->get_int64() : 0;
}

std::string task_lines(std::string_view role, const json::value& about) {
  std::string lines;
  const json::value* const tasks =
      about.is_object() ? about.get_object().if_contains("tasks") : nullptr;
  for (const json::value& task :
       tasks != nullptr && tasks->is_array() ? tasks->get_array() : json::array()) {
    if (task.is_object()) {
      const json::object& fields = task.get_object();
      lines += fmt::format(
          "  {:<16} {:<10} {:<4} {}\n", fmt::format("{}:{}", role, number_in(fields, "index")),
          text_in(fields, "state"), number_in(fields, "attempts"), text_in(fields, "host"));
    }
  }
  return lines;
}

}  // namespace

std::optional<std::string> ask_status(Session& session, const cluster::JobFolder& folder,
                                      const std::string& address) {
  std::optional<wire::ClientEvent> answer = ask_master(
      session, folder, address, wire::StatusAsked{}, kPatience, [](const wire::ClientEvent& event) {
        return std::holds_alternative<wire::StatusAnswered>(event);
      });
  if (!answer) {
    return std::nullopt;
  }
  return std::move(std::get<wire::StatusAnswered>(*answer).json);
}

std::string render_live_notes(const std::string& text, const std::string& page) {
  std::string notes = page.empty() ? "" : "page: " + page + "\n";
  if (const std::string waits_for = waits_for_of(text); !waits_for.empty()) {
    notes += "waiting: " + printable(waits_for) + "\n";
  }
  if (const std::string trouble = log_trouble_of(text); !trouble.empty()) {
    notes +=
        "the job's log cannot be written: " + printable(trouble) + "; starts and restarts wait\n";
  }
  if (const std::string trouble = notice_trouble_of(text); !trouble.empty()) {
    notes += "notices: " + printable(trouble) + "\n";
  }
  return notes;
}

std::string render_live_status(const std::string& text, const std::string& page) {
  boost::system::error_code error;
  const json::value value = json::parse(text, error);
  if (error || !value.is_object()) {
    return printable(text) + "\n";
  }
  const json::object& status = value.get_object();
  std::string shown =
      fmt::format("{}  {} on {} as {}\n", text_in(status, "job"), text_in(status, "phase"),
                  text_in(status, "on"), text_in(status, "application_id"));
  shown += render_live_notes(text, page);
  shown += fmt::format("  {:<16} {:<10} {:<4} {}\n", "TASK", "STATE", "RUNS", "HOST");
  const json::value* const roles = status.if_contains("roles");
  for (const auto& [role, about] :
       roles != nullptr && roles->is_object() ? roles->get_object() : json::object()) {
    shown += task_lines(role, about);
  }
  return shown;
}

}  // namespace muster::client
