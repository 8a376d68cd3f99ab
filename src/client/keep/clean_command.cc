#include "base/text.h"
#include "client/commands.h"
#include "client/show/failure.h"
#include "client/submit/job_source.h"
#include "cluster/cluster.h"
#include "job/describe.h"
#include "spec/duration_text.h"
#include "spec/read/layers.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <vector>

namespace muster::client {
namespace {

/// Reads what the site and the user say about cleaning.
Result<spec::Cleaning> cleaning_of(Session& session) {
  MUSTER_TRY(const spec::Layers layers, read_layers(*session.files, {}, session.surroundings()));
  return spec::load_cleaning(layers);
}

Result<Duration> age_of(const CleanOptions& command, const spec::Cleaning& cleaning) {
  if (command.older.empty()) {
    return cleaning.older.value_or(*spec::Cleaning().older);
  }
  Result<Duration> older = spec::parse_duration(command.older);
  if (!older) {
    return older.error().within("--older");
  }
  return older;
}

Result<uint64_t> total_of(const CleanOptions& command, const spec::Cleaning& cleaning) {
  if (command.over.empty()) {
    return cleaning.over;
  }
  Result<uint64_t> over = spec::parse_size(command.over);
  if (!over) {
    return over.error().within("--over");
  }
  return over;
}

/// For a cleaning that nobody asked for, the log says when it happened.
void begin_line(Session& session, const CleanOptions& command) {
  if (command.by_itself) {
    session.console.out(fmt::format("{} {}: ", format_iso(session.now()),
                                    command.on.empty() ? "this host" : command.on));
  }
}

/// The elements of a JSON list.
std::string quoted(const std::vector<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) {
    list += (list.empty() ? "" : ",") + json_quote(id);
  }
  return list;
}

int fail_line(Session& session, const CleanOptions& command, const Error& error) {
  begin_line(session, command);
  return fail(session.console, error);
}

Result<cluster::RetentionRules> rules_of(const CleanOptions& command,
                                         const spec::Cleaning& cleaning) {
  cluster::RetentionRules rules;
  rules.dry_run = command.dry_run;
  rules.in_turn = command.by_itself;
  if (command.all) {
    return rules;
  }
  MUSTER_TRY(rules.older_than, age_of(command, cleaning));
  MUSTER_TRY(rules.total_max_bytes, total_of(command, cleaning));
  rules.total_asked = !command.over.empty();
  // Somebody may still be reading what the last job left behind.
  rules.young = command.by_itself ? std::chrono::hours(24) : std::chrono::hours(0);
  return rules;
}

Result<cluster::Retained> retain(Session& session, const CleanOptions& command,
                                 const spec::Cleaning& cleaning) {
  MUSTER_TRY(const cluster::RetentionRules rules, rules_of(command, cleaning));
  MUSTER_TRY(cluster::Cluster* const cluster, session.clusters->named(command.on, {}));
  return cluster->retain(rules);
}

std::string json_of(const cluster::Retained& retained) {
  std::string out =
      fmt::format(R"({{"schema":"muster.clean/1","removed":[{}])", quoted(retained.removed));
  if (retained.files) {
    out += fmt::format(R"(,"files":{})", *retained.files);
  }
  out += fmt::format(R"(,"freed_bytes":{})", retained.freed_bytes);
  if (retained.left_bytes) {
    out += fmt::format(R"(,"left_bytes":{})", *retained.left_bytes);
  }
  return out + "}\n";
}

std::string text_of(const cluster::Retained& retained, bool dry_run) {
  const std::string jobs = job::count_of(retained.removed.size(), "job");
  if (!retained.where.empty()) {
    return fmt::format(
        "{}: {} {} and {}, {}\n", retained.where, dry_run ? "would remove" : "removed", jobs,
        job::count_of(retained.files.value_or(0), "file"), format_bytes(retained.freed_bytes));
  }
  std::string out;
  for (const std::string& id : retained.removed) {
    out += (dry_run ? "would remove " : "removed ") + id + "\n";
  }
  out += fmt::format("{}, {} {}", jobs, format_bytes(retained.freed_bytes),
                     dry_run ? "would be freed" : "freed");
  if (retained.left_bytes) {
    out += "; " + format_bytes(*retained.left_bytes) + " left";
  }
  return out + "\n";
}

}  // namespace

int clean_jobs(Session& session, const CleanOptions& command) {
  const Result<spec::Cleaning> cleaning = cleaning_of(session);
  if (!cleaning) {
    return fail(session.console, cleaning.error());
  }
  if (command.by_itself && !cleaning->older) {
    return 0;
  }
  const Result<cluster::Retained> retained = retain(session, command, *cleaning);
  if (!retained) {
    return fail_line(session, command, retained.error());
  }
  if (!retained->due) {
    return 0;
  }
  if (command.json) {
    session.console.out(json_of(*retained));
  } else {
    begin_line(session, command);
    session.console.out(text_of(*retained, command.dry_run));
  }
  for (const std::string& trouble : retained->troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return retained->troubles.empty() ? 0 : kCouldNotStart;
}

}  // namespace muster::client
