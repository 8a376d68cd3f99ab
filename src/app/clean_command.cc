#include "app/commands.h"
#include "app/failure.h"
#include "app/job_finder.h"
#include "base/text.h"
#include "client/cleaning.h"
#include "client/job_source.h"
#include "cluster/yarn/cleaning_turn.h"
#include "cluster/yarn/staging_cleaner.h"
#include "job/describe.h"
#include "spec/duration_text.h"
#include "spec/layers.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace muster::app {
namespace {

/// What site and user say of cleaning.
Result<spec::Cleaning> cleaning_of(Session& session) {
  MUSTER_TRY(const spec::Layers layers,
             client::read_layers(*session.files, {}, session.surroundings()));
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

/// Of what nobody asked for, the log tells when it was.
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

Result<bool> take_turn(cluster::yarn::YarnCluster& cluster, const std::string& root) {
  MUSTER_TRY(cluster::yarn::Session* const line, cluster.session());
  return cluster.run(cluster::yarn::take_cleaning_turn(
      &line->files().name_node(), root, cluster::yarn::scratch_path(root, line->random())));
}

/// `muster clean --on yarn`: the user's folder in HDFS.
int clean_staging(Session& session, const CleanOptions& command, const spec::Cleaning& cleaning) {
  const Result<Duration> older = age_of(command, cleaning);
  if (!older) {
    return fail_line(session, command, older.error());
  }
  const Result<std::unique_ptr<RemoteJobs>> jobs = RemoteJobs::open(session, command.on);
  if (!jobs) {
    return fail_line(session, command, jobs.error());
  }
  const std::string& root = (*jobs)->root();
  if (command.by_itself) {
    const Result<bool> turn = take_turn((*jobs)->client().cluster(), root);
    if (!turn || !*turn) {
      return turn ? 0 : fail_line(session, command, turn.error());
    }
  }
  begin_line(session, command);
  cluster::yarn::StagingCleaner cleaner((*jobs)->client().cluster(), (*jobs)->directory(), root);
  const Result<cluster::yarn::StagingCleaned> cleaned = cleaner.clean(
      {.older_than = command.all ? Duration::zero() : *older, .dry_run = command.dry_run});
  if (!cleaned) {
    return fail(session.console, cleaned.error());
  }
  if (command.json) {
    session.console.out(
        fmt::format(R"({{"schema":"muster.clean/1","removed":[{}],"files":{},"freed_bytes":{}}})"
                    "\n",
                    quoted(cleaned->jobs), cleaned->files.size(), cleaned->freed_bytes));
  } else {
    session.console.out(fmt::format(
        "{}: {} {} and {} {}, {}\n", root, command.dry_run ? "would remove" : "removed",
        job::count_of(cleaned->jobs.size(), "job"), cleaned->files.size(),
        cleaned->files.size() == 1 ? "file" : "files", format_bytes(cleaned->freed_bytes)));
  }
  for (const std::string& trouble : cleaned->troubles) {
    session.console.err("muster: " + printable(trouble) + "\n");
  }
  return cleaned->troubles.empty() ? 0 : kCouldNotStart;
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
  if (!command.on.empty() && command.on != "local") {
    return clean_staging(session, command, *cleaning);
  }
  client::CleanRules rules;
  rules.dry_run = command.dry_run;
  if (!command.all) {
    const Result<Duration> older = age_of(command, *cleaning);
    const Result<uint64_t> over = total_of(command, *cleaning);
    if (!older || !over) {
      return fail(session.console, !older ? older.error() : over.error());
    }
    rules.older_than = *older;
    rules.total_max_bytes = *over;
    // Somebody may still be reading what the last job left.
    rules.young = command.by_itself ? std::chrono::hours(24) : std::chrono::hours(0);
  }
  const Result<client::Cleaned> cleaned =
      client::clean_home(*session.files, session.home, rules, session.now());
  if (!cleaned) {
    return fail(session.console, cleaned.error());
  }
  if (command.json) {
    session.console.out(fmt::format(
        R"({{"schema":"muster.clean/1","removed":[{}],"freed_bytes":{},"left_bytes":{}}})"
        "\n",
        quoted(cleaned->removed), cleaned->freed_bytes, cleaned->left_bytes));
  } else {
    begin_line(session, command);
    for (const std::string& id : cleaned->removed) {
      session.console.out((command.dry_run ? "would remove " : "removed ") + id + "\n");
    }
    session.console.out(fmt::format(
        "{}, {} {}; {} left\n", job::count_of(cleaned->removed.size(), "job"),
        format_bytes(cleaned->freed_bytes), command.dry_run ? "would be freed" : "freed",
        format_bytes(cleaned->left_bytes)));
  }
  for (const std::string& trouble : cleaned->troubles) {
    session.console.err("muster: " + trouble + "\n");
  }
  return cleaned->troubles.empty() ? 0 : kCouldNotStart;
}

}  // namespace muster::app
