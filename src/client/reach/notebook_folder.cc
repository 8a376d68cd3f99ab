#include "client/reach/notebook_folder.h"

#include "base/text.h"
#include "client/reach/notebook_program.h"
#include "client/show/job_finder.h"
#include "cluster/job_folder.h"
#include "cluster/job_list.h"
#include "eventlog/plan_file.h"
#include "spec/spec.h"
#include "spec/write/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// A folder in HDFS.
struct HdfsFolder {
  std::string_view authority;  ///< "nn:8020"; "" if it is not named.
  std::vector<std::string_view> names;
};

HdfsFolder hdfs_folder(std::string_view text, std::string_view user) {
  constexpr std::string_view kScheme = "hdfs:";
  HdfsFolder place;
  if (text.starts_with(kScheme)) {
    text.remove_prefix(kScheme.size());
    if (text.starts_with("//")) {
      text.remove_prefix(2);
      place.authority = text.substr(0, text.find('/'));
      text.remove_prefix(place.authority.size());
    }
  } else if (!text.starts_with('/')) {
    place.names = {"user", user};
  }
  for (const std::string_view name : split(text, '/')) {
    if (!name.empty() && name != ".") {
      place.names.push_back(name);
    }
  }
  return place;
}

/// A job with a notebook whose files are kept.
struct Keeper {
  cluster::JobFolder folder;
  std::string kept;  ///< The HDFS folder.
};

Result<Keeper> read_keeper(Session& session, cluster::Cluster& cluster, const std::string& id) {
  cluster::JobFolder folder(session.home.jobs_folder() / id);
  if (!session.files->exists(folder.plan())) {
    MUSTER_TRY(folder, cluster.find(id));
  }
  MUSTER_TRY(const std::string text, session.files->read(folder.plan()));
  MUSTER_TRY(const eventlog::PlanFile plan, eventlog::parse_plan_file(text));
  MUSTER_TRY(const spec::Spec spec, spec::parse_json(plan.spec_json));
  const auto kept = spec.env.find(std::string(kKeptVariable));
  return Keeper{.folder = std::move(folder),
                .kept = kept == spec.env.end() ? "" : kept->second.text};
}

}  // namespace

bool share_files(std::string_view one, std::string_view other, std::string_view user) {
  const HdfsFolder first = hdfs_folder(one, user);
  const HdfsFolder second = hdfs_folder(other, user);
  const bool elsewhere =
      !first.authority.empty() && !second.authority.empty() && first.authority != second.authority;
  const auto [left, right] = std::ranges::mismatch(first.names, second.names);
  return !elsewhere && (left == first.names.end() || right == second.names.end());
}

rt::Fd take_notebook_turn(Session& session) {
  constexpr int kPermissions = 0600;
  (void)session.files->make_folders(session.home.root(), 0700);
  rt::Fd turn(::open((session.home.root() / "notebook.lock").c_str(),
                     O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kPermissions));
  if (turn.valid() && ::flock(turn.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    session.console.err("muster: waiting for another `muster notebook` that is just starting\n");
    while (::flock(turn.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  return turn;
}

Status check_notebook_folder(Session& session, cluster::Cluster& cluster, const std::string& folder,
                             std::string_view alternative) {
  cluster::JobsQuery query;
  do {
    MUSTER_TRY(cluster::JobsPage page, cluster.jobs(query));
    for (const cluster::ListedJob& job : page.jobs) {
      const Result<Keeper> keeper = read_keeper(session, cluster, job.id);
      if (!keeper || keeper->kept.empty() || !share_files(keeper->kept, folder, job.user)) {
        continue;
      }
      // A master records the end a moment before its cluster hears of it.
      const Result<FoundJob> found = read_found(session, keeper->folder);
      if (found && found->ended()) {
        continue;
      }
      return user_error(
          fmt::format("the notebook of {0} keeps its files in {1}, and two notebooks there would "
                      "overwrite each other's files; `muster notebook {0}` returns to it, {2} "
                      "starts another with a folder of its own",
                      printable(job.id), printable(keeper->kept), alternative),
          Errc::AlreadyExists);
    }
    query.after = std::move(page.next);
  } while (!query.after.empty());
  return {};
}

}  // namespace muster::client
