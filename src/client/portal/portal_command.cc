#include "base/text.h"
#include "client/commands.h"
#include "client/portal/team_list.h"
#include "client/portal/token_access.h"
#include "client/show/failure.h"
#include "client/show/job_finder.h"
#include "client/show/job_rows.h"
#include "client/show/shown_job.h"
#include "cluster/cluster.h"
#include "control/page_keys.h"
#include "net/socket.h"
#include "net/web_listener.h"
#include "os/host/host_names.h"
#include "os/host/limits.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "page/portal.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// How many jobs' pages are kept at hand; the one opened first makes room.
constexpr size_t kOpenMax = 32;
constexpr uint32_t kListedMax = 1000;
constexpr const char* kHolder = "holder";

rt::Async<Status> brought(Status status) { co_return status; }

/// Says where a job of this host is read; its cluster brings the rest.
ShownFrom from_cluster(Session& session, const cluster::JobFolder& job) {
  const auto bring_now = [&session, job]() -> Status {
    MUSTER_TRY(const std::unique_ptr<cluster::Outputs> outputs,
               session.clusters->of(job).outputs(job, {}));
    MUSTER_TRY(const cluster::Outputs::Gaps gaps, outputs->refresh());
    for (const std::string& gap : gaps) {
      session.console.err("muster: " + printable(gap) + "\n");
    }
    return {};
  };
  return {
      .files = *session.files,
      .bring_output = [bring_now] { return brought(bring_now()); },
      .bring_samples = [&session, job] { return session.clusters->of(job).fetch_samples(job); }};
}

/// The jobs that this host or a cluster knows.
class Shelf final : public page::JobShelf {
 public:
  Shelf(rt::IoLoop& loop, Session& session, std::string on, page::Access& access)
      : loop_(loop), session_(session), on_(std::move(on)), access_(access) {}

  Result<std::string> list(const page::Admission&, const page::Target&) override {
    MUSTER_TRY(const std::vector<JobRow> rows, read_rows());
    return render_rows_json(rows);
  }

  Result<std::string> prometheus(const page::Admission&) override {
    MUSTER_TRY(const std::vector<JobRow> rows, read_rows());
    std::vector<cluster::TeamJob> jobs(rows.size());
    std::vector<const cluster::TeamJob*> all;
    for (size_t i = 0; i < rows.size(); ++i) {
      jobs[i].state = rows[i].result.empty() ? rows[i].phase : rows[i].result;
      jobs[i].class_name = rows[i].class_name;
      jobs[i].duration = rows[i].duration;
      all.push_back(&jobs[i]);
    }
    // Anybody who has the link sees everything.
    return team_metrics_text(all, kHolder, {std::string(kHolder)});
  }

  rt::Async<Result<std::shared_ptr<page::Page>>> open(page::Admission, std::string id) override {
    co_return open(id);
  }

  Result<std::shared_ptr<page::Page>> open(const std::string& id) {
    const auto known = std::ranges::find(open_, id, &Open::first);
    if (known != open_.end()) {
      return page_of(known->second);
    }
    MUSTER_TRY(FoundJob found, find_job(session_, id, on_));
    if (!found.ended()) {
      return user_error(id + " has not ended; `muster status` prints the link to its own page");
    }
    if (open_.size() >= kOpenMax) {
      open_.erase(open_.begin());
    }
    ShownFrom from = from_cluster(session_, found.folder);
    open_.emplace_back(
        id, std::make_shared<ShownJob>(loop_, std::move(from), std::move(found), access_));
    return page_of(open_.back().second);
  }

 private:
  using Open = std::pair<std::string, std::shared_ptr<ShownJob>>;

  Result<std::vector<JobRow>> read_rows() {
    ListOptions options;
    options.on = on_;
    options.limit = kListedMax;
    MUSTER_TRY(JobRows rows, rows_of(session_, options, {.running = true, .ended = true}));
    for (const std::string& trouble : rows.troubles) {
      session_.console.err("muster: " + printable(trouble) + "\n");
    }
    return std::move(rows.all);
  }

  static std::shared_ptr<page::Page> page_of(const std::shared_ptr<ShownJob>& job) {
    return {job, &job->page()};
  }

  rt::IoLoop& loop_;
  Session& session_;
  std::string on_;
  page::Access& access_;
  std::vector<Open> open_;  ///< In the order in which they were opened.
};

/// A portal's process: listens on 127.0.0.1 until somebody ends it.
class PortalRun {
 public:
  PortalRun(Session& session, const PortalOptions& options)
      : secret_(make_secret()),
        access_(token_access(secret_)),
        shelf_(loop_, session, options.on, *access_),
        portal_(page::Portal::Deps{
            .loop = loop_, .shelf = shelf_, .access = *access_, .host_names = os::host_names()}) {}

  Status open(const PortalOptions& options);
  [[nodiscard]] std::string link() const {
    return control::page_link(fmt::format("127.0.0.1:{}", listener_->port()), secret_);
  }
  Status look(const std::string& id) {
    const auto opened = shelf_.open(id);
    return opened ? Status() : Status(opened.error());
  }
  void run() {
    const os::CodePages pages(loop_);
    loop_.run();
  }

 private:
  static control::Secret make_secret() {
    control::Secret secret{};
    rt::SystemRandom().fill(secret);
    return secret;
  }

  rt::IoLoop loop_;
  control::Secret secret_;
  std::unique_ptr<page::Access> access_;
  Shelf shelf_;
  page::Portal portal_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<net::WebListener> listener_;  ///< Last: it uses the portal.
};

Status PortalRun::open(const PortalOptions& options) {
  constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
  MUSTER_TRY(signals_, os::take_signals(loop_, kSignals, [this](int) { loop_.stop(); }));
  os::ignore_broken_pipes();
  MUSTER_TRY(
      net::Listening listening,
      net::listen_on({.host = "127.0.0.1", .port_low = options.port, .port_high = options.port}));
  listener_.emplace(net::WebListener::Deps{.loop = loop_, .server = portal_.server()},
                    std::move(listening));
  return {};
}

}  // namespace

int run_portal(Session& session, const PortalOptions& command) {
  os::raise_descriptor_limit();
  if (command.serve) {
    return serve_team(session, command);
  }
  if (!command.on.empty()) {
    // If the named cluster does not exist or cannot be asked, say so here.
    const Result<cluster::Cluster*> cluster = session.clusters->named(command.on, {});
    const Result<cluster::JobsPage> asked =
        cluster ? (*cluster)->jobs({.running = true, .ended = false, .limit = 1, .after = {}})
                : Result<cluster::JobsPage>(cluster.error());
    if (!asked) {
      return fail(session.console, asked.error());
    }
  }
  PortalRun run(session, command);
  if (!command.id.empty()) {
    // If the named job cannot be shown, say so here.
    if (const Status looked = run.look(command.id); !looked) {
      return fail(session.console, looked.error());
    }
  }
  if (const Status opened = run.open(command); !opened) {
    return fail(session.console, opened.error());
  }
  const std::string job = command.id.empty() ? "" : "&job=" + command.id;
  session.console.out(fmt::format("page: {}{}\n", run.link(), job));
  session.console.err("muster: serving until interrupted\n");
  run.run();
  return 0;
}

}  // namespace muster::client
