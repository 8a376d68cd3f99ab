#include "client/measure/account_text.h"

#include "base/text.h"
#include "client/follow/console.h"
#include "job/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace muster::client {
namespace {

using account::Class;

constexpr size_t kBarWidth = 30;

std::string_view meaning_of(Class what) {
  switch (what) {
    case Class::Gathering:
      return "launching, placing files, waiting for peers to join";
    case Class::Starting:
      return "programs started, first step not done";
    case Class::Productive:
      return "work that counts";
    case Class::Repeated:
      return "work lost since the last checkpoint";
    case Class::Stalled:
      return "running without any progress";
    case Class::Waiting:
      return "held for slower peers";
    case Class::Saving:
      return "writing checkpoints";
    case Class::Ending:
      return "stopping and exiting";
  }
  return "";
}

double part_of(Duration part, Duration whole) {
  return whole <= Duration::zero()
             ? 0
             : static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

std::string percent_of(Duration part, Duration whole) {
  return fmt::format("{:.1f} %", part_of(part, whole) * 100);
}

std::string bar(double share) {
  const auto full = static_cast<size_t>(std::lround(share * kBarWidth));
  std::string text(std::min(full, kBarWidth), '#');
  return text.empty() && share > 0 ? "." : text;
}

std::string class_rows(const account::Account& account) {
  std::string out;
  for (size_t i = 0; i < account::kClasses; ++i) {
    const Duration spent = account.classes[i];
    if (spent <= Duration::zero()) {
      continue;
    }
    const auto what = static_cast<Class>(i);
    out += fmt::format("  {:<11} {:>12} {:>8}  {:<{}}  {}\n", to_string(what),
                       format_duration(spent), percent_of(spent, account.granted),
                       bar(part_of(spent, account.granted)), kBarWidth, meaning_of(what));
  }
  return out;
}

std::string used_of(const account::RoleAccount& role) {
  std::vector<std::string> parts;
  if (role.memory_peak_bytes) {
    const std::string used = format_bytes(*role.memory_peak_bytes);
    parts.push_back(role.requested.memory_bytes > 0
                        ? fmt::format("memory {} of {} ({:.0f} %, {})", used,
                                      format_bytes(role.requested.memory_bytes),
                                      100.0 * static_cast<double>(*role.memory_peak_bytes) /
                                          static_cast<double>(role.requested.memory_bytes),
                                      role.memory_peak_task)
                        : fmt::format("memory {}, no limit ({})", used, role.memory_peak_task));
  } else if (role.requested.memory_bytes > 0) {
    parts.push_back(
        fmt::format("memory {} requested, use unknown", format_bytes(role.requested.memory_bytes)));
  }
  if (role.cores_mean && role.requested.vcores > 0) {
    parts.push_back(fmt::format("cores {:.1f} of {}", *role.cores_mean, role.requested.vcores));
  } else if (role.requested.vcores > 0) {
    parts.push_back(fmt::format("cores {} requested", role.requested.vcores));
  }
  if (role.requested.gpus > 0 && !role.gpu_mean) {
    parts.push_back(fmt::format("GPUs {} requested", role.requested.gpus));
  } else if (role.gpu_mean) {
    // GPUs that tasks share with others were not requested.
    const std::string requested =
        role.requested.gpus > 0 ? fmt::format("{} ", role.requested.gpus) : "";
    parts.push_back(fmt::format("GPUs {}at {:.0f} %", requested, *role.gpu_mean * 100));
  }
  if (role.gpu_memory_peak_bytes && role.gpu_memory_limit_bytes) {
    parts.push_back(fmt::format("GPU memory {} of {}", format_bytes(*role.gpu_memory_peak_bytes),
                                format_bytes(*role.gpu_memory_limit_bytes)));
  }
  return parts.empty() ? "nothing requested, use unknown" : join(parts, ", ");
}

std::string number_or_null(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : "null";
}

std::string bytes_or_null(const std::optional<uint64_t>& bytes) {
  return bytes ? std::to_string(*bytes) : "null";
}

std::string role_json(const account::RoleAccount& role) {
  return fmt::format(R"({}:{{"tasks":{},"containers":{},"granted_s":{},"classes":{},)"
                     R"("requested":{{"memory_bytes":{},"vcores":{},"gpus":{}}},)"
                     R"("used":{{"memory_bytes":{},"memory_task":{},"cores":{},"gpu":{},)"
                     R"("gpu_memory_bytes":{},"gpu_memory_limit_bytes":{}}}}})",
                     json_quote(role.name), role.tasks, role.containers, seconds_text(role.granted),
                     classes_json(role.classes), role.requested.memory_bytes, role.requested.vcores,
                     role.requested.gpus, bytes_or_null(role.memory_peak_bytes),
                     role.memory_peak_bytes ? json_quote(role.memory_peak_task) : "null",
                     number_or_null(role.cores_mean), number_or_null(role.gpu_mean),
                     bytes_or_null(role.gpu_memory_peak_bytes),
                     bytes_or_null(role.gpu_memory_limit_bytes));
}

std::string list_json(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (size_t i = 0; i < texts.size(); ++i) {
    out += (i == 0 ? "" : ",") + json_quote(texts[i]);
  }
  return out + "]";
}

}  // namespace

std::string seconds_text(Duration duration) {
  return fmt::format("{:.3f}", std::chrono::duration<double>(duration).count());
}

std::string classes_json(const account::ByClass& classes) {
  std::string out = "{";
  for (size_t i = 0; i < classes.size(); ++i) {
    out += fmt::format("{}\"{}\":{}", i == 0 ? "" : ",", to_string(static_cast<Class>(i)),
                       seconds_text(classes[i]));
  }
  return out + "}";
}

std::string account_text(const AccountView& view, bool colour) {
  const account::Account& account = view.account;
  std::string out = fmt::format("{} {}{}\n", paint(view.job, "1", colour), view.phase,
                                account.running ? ", so far:" : ":");
  const std::optional<double> goodput = account.goodput();
  out += fmt::format(
      "  granted     {:>12}           in {}{}\n", format_duration(account.granted),
      job::count_of(account.containers, "container"),
      account.given_back > 0 ? fmt::format(" ({} given back unused)", account.given_back) : "");
  out += class_rows(account);
  out += fmt::format("  queued      {:>12}           not included above: nothing was granted\n",
                     format_duration(account.queued));
  out += fmt::format("  goodput     {:>12}           productive / granted\n",
                     goodput ? fmt::format("{:.1f} %", *goodput * 100) : "none");
  out += "requested and used, per task\n";
  for (const account::RoleAccount& role : account.roles) {
    out += fmt::format("  {:<11} {}: {}\n", printable(role.name), job::count_of(role.tasks, "task"),
                       used_of(role));
  }
  for (const std::string& note : view.notes) {
    out += "note: " + printable(note) + "\n";
  }
  return view.advice.empty() ? out : out + "advice\n" + advice_text(view.advice, colour);
}

std::string account_json(const AccountView& view) {
  const account::Account& account = view.account;
  std::string roles;
  for (const account::RoleAccount& role : account.roles) {
    roles += (roles.empty() ? "" : ",") + role_json(role);
  }
  return fmt::format(
      R"({{"schema":"muster.eff/1","job":{},"phase":{},"running":{},"granted_s":{},"classes":{},)"
      R"("queued_s":{},"repeated_unknown_s":{},"goodput":{},"containers":{},"given_back":{},)"
      R"("starts":{{"by_step":{},"by_output":{},"unknown":{}}},"roles":{{{}}},)"
      R"("advice":{},"notes":{}}})"
      "\n",
      json_quote(view.job), json_quote(view.phase), account.running, seconds_text(account.granted),
      classes_json(account.classes), seconds_text(account.queued), seconds_text(account.guessed),
      number_or_null(account.goodput()), account.containers, account.given_back,
      account.starts.by_step, account.starts.by_output, account.starts.unknown, roles,
      advice_json(view.advice), list_json(view.notes));
}

std::string advice_text(const std::vector<account::Advice>& advice, bool colour) {
  std::string out;
  for (const account::Advice& each : advice) {
    out += fmt::format("  - {}\n      {}\n", paint(printable(each.evidence), "1", colour),
                       printable(each.what));
    if (!each.saves.empty()) {
      out += fmt::format("      saves {}\n", printable(each.saves));
    }
    for (const std::string& set : each.sets) {
      out += fmt::format("      --set {}\n", shell_quote(set));
    }
  }
  return out;
}

std::string advice_json(const std::vector<account::Advice>& advice) {
  std::string out = "[";
  for (size_t i = 0; i < advice.size(); ++i) {
    const account::Advice& each = advice[i];
    std::string numbers;
    for (const auto& [name, value] : each.numbers) {
      numbers += fmt::format("{}{}:{}", numbers.empty() ? "" : ",", json_quote(name), value);
    }
    out += fmt::format(
        R"({}{{"rule":{},"role":{},"evidence":{},"what":{},"saves":{},"set":{},"numbers":{{{}}}}})",
        i == 0 ? "" : ",", json_quote(each.rule),
        each.role.empty() ? "null" : json_quote(each.role), json_quote(each.evidence),
        json_quote(each.what), each.saves.empty() ? "null" : json_quote(each.saves),
        list_json(each.sets), numbers);
  }
  return out + "]";
}

}  // namespace muster::client
