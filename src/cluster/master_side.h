#pragma once

#include "base/log.h"
#include "base/result.h"
#include "cluster/host_memory.h"
#include "cluster/link.h"
#include "cluster/place_store.h"
#include "cluster/sample_store.h"
#include "eventlog/plan_file.h"
#include "eventlog/segment_store.h"
#include "job/plan.h"
#include "os/file/files.h"
#include "page/access.h"
#include "rt/io_loop.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace muster::cluster {

/// What a job's client left for the job's masters.
struct MasterOrder {
  eventlog::PlanFile plan;
  std::string secret_hex;  ///< The job's (control::to_hex).
};

/// What a master works with, and reports about itself, where its process runs.
struct MasterPost {
  eventlog::SegmentStore& segments;
  PlaceStore& place;
  SampleStore* samples = nullptr;  ///< nullptr: samples are not kept.
  HostMemory* hosts = nullptr;     ///< nullptr: nothing is remembered about hosts.
  /// Values of the specification's secret entries: "env.NAME", "roles.ROLE.env.NAME".
  std::map<std::string, std::string> secrets;
  std::string listen_host;     ///< A literal address; empty: this machine's loopback.
  std::string application_id;  ///< The cluster's own name for the job; "" for none.
  std::string logs_folder;     ///< Where people find tasks' output.
  std::string page;            ///< The link to the job's page; "" where clients add it.
  /// Who may look at that page; nullptr: whoever has a link with the job's token.
  std::unique_ptr<page::Access> access;

  /// Where the page reads tasks' output.
  enum class Output : uint8_t {
    Folder,      ///< The job's logs folder, where agents write it.
    Agents,      ///< Agents send it while somebody looks at it.
    AgentsKept,  ///< Agents send it, and it is kept in the job's logs folder.
  };
  Output output = Output::Folder;
};

/// One cluster as the process of a job's master sees it: what the process finds where it was
/// started, and how it may end there. Written once per cluster; the process itself
/// (app/master_command.cc) asks nothing else about where it runs.
///
/// The calls come in the order in which they stand here, those up to open_link() while the loop may
/// still be run inside them. One per process; outlives its master.
class MasterSide {
 public:
  struct Deps {
    rt::IoLoop& loop;
    os::Files& files;
    log::Sink& log;
    const job::Plan& plan;
    /// The process must end with this exit status at once. Called on the loop; may be repeated.
    std::function<void(int exit_status)> quit;
  };

  virtual ~MasterSide() = default;
  /// Where this process keeps its own log.
  virtual Result<std::filesystem::path> log_file() = 0;
  virtual Result<MasterOrder> read_order(os::Files& files) = 0;
  /// Opens what keeps the job. The deps outlive this.
  virtual Result<MasterPost> open(const Deps& deps) = 0;
  /// Makes the link to the cluster, which is not started yet.
  virtual Result<std::unique_ptr<Link>> open_link(const Deps& deps) = 0;
  /// Tells whoever waits for this master where it listens, or why it could not start; in that case
  /// it follows any of the calls above, and no other call comes after it. Called once.
  virtual void report(const Result<std::string>& address) = 0;
  /// The process got SIGTERM, SIGINT or SIGHUP, at any time. Returns true if the job is to be
  /// stopped.
  virtual bool signalled(int signal) = 0;
  /// The master is done, because the job ended or a newer master is in charge (`fenced`). Calls
  /// `quit` once nothing is left to do.
  virtual void ended(bool fenced) = 0;
};

}  // namespace muster::cluster
