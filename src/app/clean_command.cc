#include "app/commands.h"
#include "app/failure.h"
#include "app/job_finder.h"
#include "base/text.h"
#include "client/cleaning.h"
#include "cluster/yarn/staging_cleaner.h"
#include "job/describe.h"
#include "spec/duration_text.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::app {
namespace {

Result<Duration> age_of(const CleanOptions& command) {
  Result<Duration> older = spec::parse_duration(command.older.empty() ? "30d" : command.older);
  if (!older) {
    return older.error().within("--older");
  }
  return older;
}

/// The elements of a JSON list.
std::string quoted(const std::vector<std::string>& ids) {
  std::string list;
  for (const std::string& id : ids) {
    list += (list.empty() ? "" : ",") + json_quote(id);
  }
  return list;
}

/// `muster clean --on yarn`: the user's folder in HDFS.
int clean_staging(Session& session, const CleanOptions& command) {
  const Result<Duration> older = age_of(command);
  if (!older) {
    return fail(session.console, older.error());
  }
  const Result<std::unique_ptr<RemoteJobs>> jobs = RemoteJobs::open(session, command.on);
  if (!jobs) {
    return fail(session.console, jobs.error());
  }
  const std::string& root = (*jobs)->root();
  cluster::yarn::StagingCleaner cleaner((*jobs)->client().cluster(), (*jobs)->directory(), root);
  const Result<cluster::yarn::StagingCleaned> cleaned =
      cleaner.clean({.now = session.now(),
                     .older_than = command.all ? Duration::zero() : *older,
                     .dry_run = command.dry_run});
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
  if (!command.on.empty() && command.on != "local") {
    return clean_staging(session, command);
  }
  client::CleanRules rules;
  rules.dry_run = command.dry_run;
  if (!command.all) {
    const Result<Duration> older = age_of(command);
    const Result<uint64_t> over = spec::parse_size(command.over.empty() ? "5g" : command.over);
    if (!older || !over) {
      return fail(session.console, !older ? older.error() : over.error().within("--over"));
    }
    rules.older_than = *older;
    rules.total_max_bytes = *over;
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
