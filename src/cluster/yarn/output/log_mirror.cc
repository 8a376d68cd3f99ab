#include "cluster/yarn/output/log_mirror.h"

#include "base/text.h"
#include "cluster/yarn/output/aggregated_log.h"
#include "cluster/yarn/output/node_logs.h"
#include "hadoop/hdfs/names/path.h"
#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace muster::cluster::yarn {
namespace {

namespace hdfs = hadoop::hdfs;
namespace rm = hadoop::yarn;

// A page of a node manager comes as a whole; longer files of a running job are shown from here on.
constexpr uint64_t kPieceMax = 48U << 20;
constexpr uint64_t kMarginBytes = 4U << 20;
constexpr int kOk = 200;
constexpr int kNotFound = 404;
constexpr uint32_t kMirrorMode = 0600;

/// Returns what a file costs in the budget.
uint64_t cost_of(uint64_t size_bytes) { return std::max(size_bytes, CopyBudget::kPieceMin); }

/// Returns whether nothing more can be fetched after an error.
bool ends_copy(const Status& brought) {
  return !brought && (brought.error().code == Errc::NeverFits ||
                      brought.error().code == Errc::PermissionDenied);
}

/// Writes log files into a folder, one after another, as an archive lists them.
class Extraction {
 public:
  Extraction(os::Files& files, const std::filesystem::path& folder,
             const std::set<std::string>& wanted, CopyBudget& budget)
      : files_(files), folder_(folder), wanted_(wanted), budget_(budget) {}

  Result<bool> begin(const std::string& container, const std::string& file) {
    file_.reset();
    if (!wanted_.contains(container)) {
      return false;
    }
    found_.insert(container);
    if (!is_task_log(file)) {
      return false;
    }
    // In an archive of several parts, each holds what was added since the one before.
    if (begun_.insert(container + "/" + file).second) {
      const Result<os::FileStat> old = files_.stat(folder_ / file);
      budget_.give_back(old ? cost_of(old->size_bytes) : 0);
      (void)files_.remove(folder_ / file);
    }
    MUSTER_TRY(file_, files_.open_append(folder_ / file, kMirrorMode));
    return true;
  }
  Status write(std::string_view bytes) { return file_->append(bytes); }
  [[nodiscard]] std::set<std::string>& found() { return found_; }

 private:
  os::Files& files_;
  const std::filesystem::path& folder_;
  const std::set<std::string>& wanted_;
  CopyBudget& budget_;
  std::set<std::string> found_;
  std::set<std::string> begun_;
  std::unique_ptr<os::AppendFile> file_;
};

}  // namespace

uint64_t copied_bytes(os::Files& files, const std::filesystem::path& folder) {
  const Result<std::vector<os::FolderEntry>> entries = files.list(folder);
  uint64_t bytes = 0;
  for (const os::FolderEntry& entry : entries.value_or(std::vector<os::FolderEntry>())) {
    const Result<os::FileStat> stat = files.stat(folder / entry.name);
    bytes += stat ? cost_of(stat->size_bytes) : 0;
  }
  return bytes;
}

/// Every public call begins with this.
Status LogMirror::begin() {
  MUSTER_TRY_STATUS(files_.make_folders(folder_, 0700));
  cut_.clear();
  if (limits_.bytes_max == UINT64_MAX && !limits_.time_max) {
    budget_ = {};
    return {};
  }
  const std::optional<HostTime> until =
      limits_.time_max ? std::optional(session_.loop().now() + *limits_.time_max) : std::nullopt;
  budget_ = CopyBudget(limits_.bytes_max, copied_bytes(files_, folder_), until);
  return {};
}

Status LogMirror::spend(uint64_t bytes) { return budget_.spend(bytes, session_.loop().now()); }

Status LogMirror::check_owner(const LogSource& source) {
  if (limits_.owner.empty()) {
    return {};
  }
  MUSTER_TRY(const rm::ContainerId id, rm::parse_container_id(source.container));
  const auto [known, is_new] = owners_.try_emplace(id.attempt.application);
  if (is_new) {
    MUSTER_TRY(Session* const session, session_.open());
    Result<rm::ApplicationReport> asked =
        session_.run(session->applications().report(id.attempt.application, session_.soon()));
    if (!asked) {
      owners_.erase(known);
      return std::move(asked).error();
    }
    known->second = asked->user;
  }
  if (known->second != limits_.owner) {
    return user_error(fmt::format("the job's log names {}, which is not of an application of {}",
                                  source.container, printable(limits_.owner)),
                      Errc::PermissionDenied);
  }
  return {};
}

Result<std::string> LogMirror::get(const std::string& server, const std::string& target) {
  MUSTER_TRY(Session* const session, session_.open());
  net::HttpClientRequest question;
  MUSTER_TRY(question.server, net::parse_host_port(server));
  question.target =
      fmt::format("{}{}user.name={}", target, target.find('?') == std::string::npos ? '?' : '&',
                  session->site().identity.user);
  MUSTER_TRY(net::HttpClientResponse reply,
             session_.run(net::http_get(&session->loop(), &session->dialer(), std::move(question),
                                        session_.soon())));
  if (reply.status == kOk) {
    return std::move(reply.body);
  }
  return Error{reply.status == kNotFound ? Errc::NotFound : Errc::Other, Blame::Cluster,
               fmt::format("the node manager at {} does not show {}: status {}", server, target,
                           reply.status)};
}

Result<std::string> LogMirror::page_of_node(const std::string& node) {
  if (node_pages_.empty()) {
    MUSTER_TRY(Session* const session, session_.open());
    MUSTER_TRY(const std::vector<rm::NodeReport> nodes,
               session_.run(session->applications().nodes({}, session_.soon())));
    for (const rm::NodeReport& report : nodes) {
      node_pages_[to_string(report.id)] = report.http_address;
    }
  }
  const auto found = node_pages_.find(node);
  if (found == node_pages_.end() || found->second.empty()) {
    return Error{Errc::NotFound, Blame::Cluster, "the cluster has no node " + node + " any more"};
  }
  return found->second;
}

Result<std::vector<NodeLogFile>> LogMirror::list_on_node(const std::string& server,
                                                         const LogSource& source) {
  MUSTER_TRY(const std::string page,
             get(server, fmt::format("/ws/v1/node/containers/{}/logs", source.container)));
  return parse_node_logs(page);
}

Result<size_t> LogMirror::bring_from_node(const LogSource& source) {
  MUSTER_TRY_STATUS(spend(CopyBudget::kPieceMin));
  MUSTER_TRY_STATUS(check_owner(source));
  MUSTER_TRY(const std::string server, page_of_node(source.node));
  MUSTER_TRY(const std::vector<NodeLogFile> listed, list_on_node(server, source));
  for (const NodeLogFile& file : listed) {
    if (is_task_log(file.name)) {
      MUSTER_TRY_STATUS(bring_file(source, server, file.name, file.size_bytes));
    }
  }
  return listed.size();
}

Status LogMirror::bring_rest_from_node(const LogSource& source) {
  MUSTER_TRY(const size_t shown, bring_from_node(source));
  MUSTER_TRY(const std::string server, page_of_node(source.node));
  MUSTER_TRY(const std::vector<NodeLogFile> left, list_on_node(server, source));
  if (shown == 0 || left.size() < shown) {
    return Error{Errc::NotFound, Blame::Cluster,
                 fmt::format("the node manager at {} is removing its logs", server)};
  }
  return {};
}

Status LogMirror::bring_file(const LogSource& source, const std::string& node_page,
                             const std::string& name, uint64_t size_bytes) {
  const std::filesystem::path path = folder_ / name;
  const Result<os::FileStat> stat = files_.stat(path);
  const uint64_t here = stat ? stat->size_bytes : 0;
  if (stat && here == size_bytes) {
    return {};
  }
  MUSTER_TRY_STATUS(spend(CopyBudget::kPieceMin));
  if (size_bytes == 0) {
    return files_.write(path, "", {.mode = kMirrorMode});
  }
  // A file that shrank has been rotated: it is a different one.
  const bool grows = stat && here < size_bytes && !name.ends_with(".times");
  // It may grow further before it is requested.
  const uint64_t asked = grows ? std::min(size_bytes - here + kMarginBytes, kPieceMax) : kPieceMax;
  MUSTER_TRY(const std::string page,
             get(node_page, fmt::format("/ws/v1/node/containers/{}/logs/{}?size=-{}",
                                        source.container, name, asked)));
  MUSTER_TRY(const NodeLogPiece piece, parse_node_log(page, asked));
  const uint64_t begins = piece.file_bytes - piece.bytes.size();
  if (grows && begins <= here && here <= piece.file_bytes) {
    const std::string_view news = piece.bytes.substr(static_cast<size_t>(here - begins));
    MUSTER_TRY_STATUS(spend(news.size()));
    MUSTER_TRY(const std::unique_ptr<os::AppendFile> file, files_.open_append(path, kMirrorMode));
    return file->append(news);
  }
  budget_.give_back(stat ? cost_of(here) : 0);
  MUSTER_TRY_STATUS(spend(piece.bytes.size()));
  if (begins > 0) {
    cut_.push_back(fmt::format("{}: only the last {} are shown while the job runs", name,
                               format_bytes(piece.bytes.size())));
  }
  return files_.write(path, piece.bytes, {.mode = kMirrorMode});
}

Result<LogMirror::Gaps> LogMirror::bring_live(const std::vector<LogSource>& sources) {
  MUSTER_TRY_STATUS(begin());
  Gaps gaps;
  for (const LogSource& source : sources) {
    MUSTER_TRY_STATUS(spend(0));
    const Result<size_t> shown = bring_from_node(source);
    const Status brought = shown ? Status() : Status(shown.error());
    if (ends_copy(brought)) {
      return brought.error();
    }
    if (!brought && brought.error().code != Errc::NotFound &&
        brought.error().code != Errc::Unavailable &&
        brought.error().code != Errc::DeadlineExceeded) {
      gaps.push_back(fmt::format("{}: {}", source.container, brought.error().message));
    } else if (!brought) {
      gaps.push_back(
          fmt::format("{} on {}: {}", source.container, source.node, brought.error().message));
    }
  }
  gaps.insert(gaps.end(), cut_.begin(), cut_.end());
  return gaps;
}

rt::Async<Result<std::set<std::string>>> LogMirror::read_folder(
    Session* session, std::string folder, const std::set<std::string>* wanted) {
  auto listed = co_await session->files().list(folder);
  MUSTER_CO_TRY(const std::vector<hdfs::FileStatus> entries, std::move(listed));
  Extraction extraction(files_, folder_, *wanted, budget_);
  const ContainerLogSink sink{
      .begin = [&](const std::string& container, const std::string& file) -> Result<bool> {
        MUSTER_TRY(const bool is_wanted, extraction.begin(container, file));
        MUSTER_TRY_STATUS(spend(is_wanted ? CopyBudget::kPieceMin : 0));
        return is_wanted;
      },
      .bytes = [&](std::string_view bytes) { return extraction.write(bytes); },
      .cost = [&](uint64_t bytes) { return spend(bytes); }};
  for (const hdfs::FileStatus& entry : entries) {
    if (entry.type != hdfs::FileType::File || entry.name.ends_with(".tmp")) {
      continue;
    }
    auto read =
        co_await read_aggregated_log(&session->files(), hdfs::child_of(folder, entry.name), &sink);
    MUSTER_CO_TRY_STATUS(std::move(read));
  }
  co_return std::move(extraction.found());
}

Result<std::set<std::string>> LogMirror::bring_aggregated(const rm::ApplicationId& application,
                                                          const std::set<std::string>& wanted,
                                                          const std::string& user) {
  MUSTER_TRY(Session* const session, session_.open());
  for (const std::string& folder :
       aggregated_log_folders(session->site().configuration, user, application)) {
    Result<std::set<std::string>> found = session_.run(read_folder(session, folder, &wanted));
    if (found || found.error().code != Errc::NotFound) {
      return found;
    }
  }
  return std::set<std::string>();
}

Result<LogMirror::Gaps> LogMirror::bring_ended(const std::vector<LogSource>& sources,
                                               const std::string& user) {
  MUSTER_TRY_STATUS(begin());
  std::map<rm::ApplicationId, std::set<std::string>> wanted;
  for (const LogSource& source : sources) {
    MUSTER_TRY(const rm::ContainerId id, rm::parse_container_id(source.container));
    wanted[id.attempt.application].insert(source.container);
  }
  std::set<std::string> found;
  for (const auto& [application, containers] : wanted) {
    MUSTER_TRY(const std::set<std::string> some, bring_aggregated(application, containers, user));
    found.insert(some.begin(), some.end());
  }
  Gaps gaps;
  for (const LogSource& source : sources) {
    if (found.contains(source.container)) {
      continue;
    }
    MUSTER_TRY_STATUS(spend(0));
    const Status brought = bring_rest_from_node(source);
    if (ends_copy(brought)) {
      return brought.error();
    }
    if (!brought) {
      gaps.push_back(fmt::format("{} on {}: neither in HDFS nor on its node: {}", source.container,
                                 source.node, brought.error().message));
    }
  }
  gaps.insert(gaps.end(), cut_.begin(), cut_.end());
  return gaps;
}

}  // namespace muster::cluster::yarn
