#include "base/text.h"
#include "client/commands.h"
#include "client/portal/admin_book.h"
#include "client/portal/team_list.h"
#include "client/portal/token_book.h"
#include "client/show/failure.h"
#include "client/show/shown_job.h"
#include "client/submit/job_source.h"
#include "cluster/cluster.h"
#include "cluster/owner_turns.h"
#include "cluster/team_jobs.h"
#include "control/keys.h"
#include "eventlog/derive_plan.h"
#include "net/address.h"
#include "net/certificates.h"
#include "net/socket.h"
#include "net/web_listener.h"
#include "os/file/foreign_files.h"
#include "os/file/local_files.h"
#include "os/host/host_names.h"
#include "os/process/code_pages.h"
#include "os/process/signals.h"
#include "page/portal.h"
#include "page/team_access.h"
#include "rt/io_loop.h"
#include "rt/system_random.h"
#include "rt/wait.h"
#include "spec/read/layers.h"
#include "spec/size.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// How many jobs' pages are kept at hand; the one that has not been looked at for longest makes
/// room. It also does so if the jobs' logs are longer than kTeamOpenLogBytesMax together, or if
/// their copies take more than half of the disk space that they may, so that there is room for
/// others.
constexpr size_t kTeamOpenMax = 32;
constexpr uint64_t kTeamDiskMin = 16U << 20;
constexpr uint64_t kTeamRowsMax = 500;
constexpr Duration kTurnPause = std::chrono::milliseconds(10);
/// A running job is read again after this time.
constexpr Duration kSnapshotMax = std::chrono::seconds(5);

/// Reads milliseconds since 1970, as browsers count.
std::optional<WallTime> time_of(const page::Target& target, std::string_view name) {
  const auto ms = target.number(name);
  constexpr uint64_t kFarAway = 253'402'300'800'000;  // The year 10000.
  return ms && *ms < kFarAway ? std::optional(WallTime(std::chrono::milliseconds(*ms)))
                              : std::nullopt;
}

TeamFilter filter_of(const page::Target& target) {
  const auto text = [&](std::string_view name) { return std::string(target.value(name)); };
  return {.user = text("user"),
          .queue = text("queue"),
          .name = text("name"),
          .class_name = text("class"),
          .state = text("state"),
          .host = text("host"),
          .from = time_of(target, "from"),
          .to = time_of(target, "to"),
          .offset = target.number("offset").value_or(0),
          .limit = std::min(target.number("limit").value_or(100), kTeamRowsMax)};
}

/// The jobs of a team, each shown to those who may see it.
class TeamShelf final : public page::JobShelf {
 public:
  /// `disk_max`: cluster::TeamOptions::disk_max.
  TeamShelf(rt::IoLoop& loop, Session& session, const AdminBook& admins, page::Access& access,
            uint64_t disk_max)
      : disk_max_(disk_max),
        loop_(loop),
        session_(session),
        files_(os::make_foreign_files()),
        admins_(admins),
        access_(access),
        opened_(loop) {}

  /// Called once, before the rest.
  void take(std::unique_ptr<cluster::TeamJobs> jobs) { jobs_ = std::move(jobs); }

  Result<std::string> list(const page::Admission& who, const page::Target& what) override {
    look();
    return team_list_json(jobs_->jobs(), who.user, admins_.users(), filter_of(what),
                          jobs_->notice());
  }

  Result<std::string> prometheus(const page::Admission& who) override {
    look();
    return team_metrics_text(jobs_->jobs(), who.user, admins_.users());
  }

  rt::Async<Result<std::shared_ptr<page::Page>>> open(page::Admission who,
                                                      std::string key) override {
    while (opening_.contains(key)) {
      co_await opened_.wait();
    }
    const cluster::TeamJob* job = jobs_->find(key);
    if (job == nullptr || !job->ended) {
      look();
      job = jobs_->find(key);
    }
    // The same answer in both cases, so that nobody learns which jobs exist.
    if (job == nullptr || !may_see(who.user, admins_.users(), *job)) {
      co_return user_error("no such job", Errc::NotFound);
    }
    const auto known = std::ranges::find(open_, key, &Open::key);
    if (known != open_.end() && is_current(*known, *job)) {
      std::rotate(known, known + 1, open_.end());
      co_return page_of(open_.back().shown);
    }
    const Turn turn(*this, key);
    auto read = co_await read_anew(key, job->owner);
    MUSTER_CO_TRY(std::shared_ptr<Shown> shown, std::move(read));
    std::erase_if(open_, [&](const Open& open) { return open.key == key; });
    open_.push_back({key, loop_.now(), shown});
    make_room();
    co_return page_of(shown);
  }

  /// Takes in what is new, and reports once what cannot be read.
  void look() {
    jobs_->refresh(session_.now());
    for (const std::string& trouble : jobs_->troubles()) {
      if (told_.size() < kTeamRowsMax && told_.insert(trouble).second) {
        session_.console.err("muster: " + printable(trouble) + "\n");
      }
    }
  }
  [[nodiscard]] size_t size() const { return jobs_->jobs().size(); }

 private:
  struct Shown {
    std::shared_ptr<const void> kept;  ///< TeamReading::kept, which `job` reads.
    uint64_t log_bytes = 0;
    std::function<uint64_t()> disk_bytes;
    ShownJob job;
  };
  struct Open {
    std::string key;
    HostTime read{};
    std::shared_ptr<Shown> shown;
  };
  /// While this exists, nobody else opens that job.
  class Turn {
   public:
    Turn(TeamShelf& shelf, const std::string& key)
        : shelf_(shelf), place_(shelf.opening_.insert(key).first) {}
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      shelf_.opening_.erase(place_);
      shelf_.opened_.pulse();
    }

   private:
    TeamShelf& shelf_;
    std::set<std::string>::iterator place_;
  };

  /// Makes room for the job that was looked at last, which stays.
  void make_room() {
    uint64_t bytes = 0;
    uint64_t disk = 0;
    for (const Open& open : open_) {
      bytes += open.shown->log_bytes;
      disk += open.shown->disk_bytes();
    }
    while (open_.size() > 1 && (open_.size() > kTeamOpenMax ||
                                bytes > cluster::kTeamOpenLogBytesMax || disk > disk_max_ / 2)) {
      bytes -= open_.front().shown->log_bytes;
      disk -= std::min(disk, open_.front().shown->disk_bytes());
      open_.erase(open_.begin());
    }
  }
  /// Also makes room for what has arrived.
  rt::Async<Status> bring_output(std::function<rt::Async<Status>()> bring) {
    auto brought = co_await bring();
    make_room();
    co_return brought;
  }
  [[nodiscard]] bool is_current(const Open& open, const cluster::TeamJob& job) const {
    return open.shown->job.job().ended() || (!job.ended && loop_.now() - open.read < kSnapshotMax);
  }
  /// Runs off the loop, as a long log takes seconds.
  rt::Async<Result<cluster::JobReading>> read_log(std::string owner, cluster::JobFolder folder,
                                                  std::shared_ptr<const void> kept) {
    std::shared_ptr<void> turn = turns_.take(owner);
    while (turn == nullptr) {
      co_await rt::pause_for(loop_, kTurnPause);
      turn = turns_.take(owner);
    }
    auto work = [files = files_, folder = std::move(folder), kept = std::move(kept),
                 turn = std::move(turn)] {
      return cluster::read_job(*files, folder, eventlog::derive_plan);
    };
    auto read = co_await rt::run_blocking(loop_, std::move(work));
    co_return read;
  }
  rt::Async<Result<std::shared_ptr<Shown>>> read_anew(std::string key, std::string owner) {
    auto opened = co_await jobs_->open(std::move(key));
    MUSTER_CO_TRY(cluster::TeamReading found, std::move(opened));
    auto read = co_await read_log(std::move(owner), found.folder, found.kept);
    MUSTER_CO_TRY(cluster::JobReading reading, std::move(read));
    const uint64_t log_bytes = cluster::log_bytes_of(*files_, found.folder);
    ShownFrom from{.files = *files_, .bring_output = nullptr};
    if (found.bring_output != nullptr) {
      from.bring_output = [this, bring = std::move(found.bring_output)] {
        return bring_output(bring);
      };
    }
    FoundJob job{.folder = std::move(found.folder),
                 .report = std::move(found.report),
                 .reading = std::move(reading)};
    // NOLINTNEXTLINE(modernize-make-shared): its page is made in its place and cannot be moved.
    co_return std::shared_ptr<Shown>(new Shown{std::move(found.kept),
                                               log_bytes,
                                               std::move(found.disk_bytes),
                                               {loop_, std::move(from), std::move(job), access_}});
  }
  static std::shared_ptr<page::Page> page_of(const std::shared_ptr<Shown>& shown) {
    return {shown, &shown->job.page()};
  }

  uint64_t disk_max_;
  rt::IoLoop& loop_;
  Session& session_;
  std::shared_ptr<os::Files> files_;
  cluster::OwnerTurns turns_{1};  ///< For logs that are being read.
  const AdminBook& admins_;
  page::Access& access_;
  std::set<std::string> told_;
  std::unique_ptr<cluster::TeamJobs> jobs_;
  std::vector<Open> open_;         ///< In the order in which they were last looked at.
  std::set<std::string> opening_;  ///< Keys.
  rt::Event opened_;               ///< Pulsed when a key leaves opening_.
};

constexpr std::string_view kScratchStart = "muster-portal-";
constexpr const char* kScratchLock = "lock";

/// A folder of this process's own, locked while the process lives. An unlocked one was left behind
/// by a killed portal, with everything that it had copied, and is removed when the next one starts.
class TeamScratch {
 public:
  explicit TeamScratch(os::Files& files) : files_(files) {}
  TeamScratch(const TeamScratch&) = delete;
  TeamScratch& operator=(const TeamScratch&) = delete;
  ~TeamScratch() {
    if (!path_.empty()) {
      (void)files_.remove_tree(path_);
    }
  }
  Status make(const std::string& name) {
    std::error_code error;
    const auto above =
        std::filesystem::canonical(std::filesystem::temp_directory_path(error), error);
    if (error) {
      return user_error("there is no folder for temporary files: " + error.message());
    }
    remove_left(above);
    const std::filesystem::path path = above / (std::string(kScratchStart) + name);
    MUSTER_TRY_STATUS(files_.make_folder(path, 0700));
    path_ = path;
    MUSTER_TRY(lock_, files_.try_lock(path / kScratchLock, 0600));
    return {};
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void remove_left(const std::filesystem::path& above) {
    const Result<std::vector<os::FolderEntry>> entries = files_.list(above);
    for (const os::FolderEntry& entry : entries.value_or(std::vector<os::FolderEntry>())) {
      const std::filesystem::path path = above / entry.name;
      if (!entry.name.starts_with(kScratchStart) || entry.kind != os::FileKind::Folder) {
        continue;
      }
      const Result<os::FileStat> found = files_.stat(path);
      // One without a lock file is just being made.
      if (found && found->owner == ::geteuid() && files_.exists(path / kScratchLock) &&
          files_.try_lock(path / kScratchLock, 0600).has_value()) {
        (void)files_.remove_tree(path);
      }
    }
  }

  os::Files& files_;
  std::filesystem::path path_;
  std::unique_ptr<os::FileLock> lock_;
};

std::string random_hex() {
  control::Key key{};
  rt::SystemRandom().fill(key);
  return control::to_hex(key);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> names_of(const PortalOptions& options) {
  std::vector<std::string> names = os::host_names();
  std::ranges::transform(options.names, std::back_inserter(names), lower_case);
  return names;
}

/// Returns the homes whose jobs are shown.
std::vector<std::string> homes_of(const PortalOptions& options, const cluster::Cluster& cluster) {
  std::vector<std::string> homes = options.homes;
  if (homes.empty() && !cluster.traits().team_homes.empty()) {
    homes.emplace_back(cluster.traits().team_homes);
  }
  return homes;
}

/// A team's portal as a process; runs until somebody ends it.
class TeamPortalRun {
 public:
  TeamPortalRun(Session& session, const PortalOptions& options, uint64_t disk_max, AdminBook admins,
                std::optional<TokenBook> tokens, std::optional<net::CertificateTls> tls)
      : session_(session),
        disk_max_(disk_max),
        scratch_(*session.files),
        admins_(std::move(admins)),
        tokens_(std::move(tokens)),
        tls_(std::move(tls)),
        access_(loop_, {.user_of = [this](std::string_view token) -> std::optional<std::string> {
                          return tokens_ ? tokens_->user_of(token) : std::nullopt;
                        },
                        .make_cookie = random_hex,
                        .proxies = options.proxies,
                        .user_header = lower_case(options.user_header),
                        .secure = tls_.has_value()}),
        shelf_(loop_, session, admins_, access_, disk_max),
        portal_(page::Portal::Deps{.loop = loop_,
                                   .shelf = shelf_,
                                   .access = access_,
                                   .host_names = names_of(options),
                                   .document = "team.html",
                                   .signs_in = true}) {}

  Status open(const PortalOptions& options) {
    MUSTER_TRY(cluster::Cluster* const cluster, session_.clusters->named(options.on, {}));
    if (!options.keytab.empty()) {
      MUSTER_TRY(tickets_, session_.tickets->judge(loop_, options.keytab));
      access_.judge_tickets(*tickets_);
    }
    MUSTER_TRY_STATUS(scratch_.make(random_hex()));
    MUSTER_TRY(auto jobs, cluster->team_jobs(loop_, {.homes = homes_of(options, *cluster),
                                                     .scratch = scratch_.path(),
                                                     .disk_max = disk_max_}));
    shelf_.take(std::move(jobs));
    constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
    MUSTER_TRY(signals_, os::take_signals(loop_, kSignals, [this](int) { loop_.stop(); }));
    os::ignore_broken_pipes();
    MUSTER_TRY(net::Listening listening,
               net::listen_on(
                   {.host = options.listen, .port_low = options.port, .port_high = options.port}));
    listener_.emplace(
        net::WebListener::Deps{
            .loop = loop_, .server = portal_.server(), .tls = tls_ ? &*tls_ : nullptr},
        std::move(listening));
    shelf_.look();
    return {};
  }
  [[nodiscard]] uint16_t port() const { return listener_->port(); }
  [[nodiscard]] size_t jobs() const { return shelf_.size(); }
  [[nodiscard]] bool secure() const { return tls_.has_value(); }
  void run() {
    const os::CodePages pages(loop_);
    loop_.run();
  }

 private:
  Session& session_;
  uint64_t disk_max_;
  TeamScratch scratch_;  ///< Before the loop, whose threads may still write into it.
  rt::IoLoop loop_;
  AdminBook admins_;
  std::optional<TokenBook> tokens_;
  std::optional<net::CertificateTls> tls_;
  std::unique_ptr<page::Negotiator> tickets_;  ///< nullptr: tickets do not count.
  page::TeamAccess access_;
  TeamShelf shelf_;
  page::Portal portal_;
  std::unique_ptr<os::Signals> signals_;
  std::optional<net::WebListener> listener_;  ///< Last: it uses the portal and the certificate.
};

/// Refuses options that do not fit together.
Status check_serving(Session& session, const PortalOptions& options) {
  MUSTER_TRY(const cluster::Cluster* const cluster, session.clusters->named(options.on, {}));
  if (homes_of(options, *cluster).empty()) {
    return user_error(
        "--serve needs --homes, which says where jobs are, as in --homes '/home/{user}/.muster'");
  }
  if (options.tokens.empty() && options.proxies.empty() && options.keytab.empty()) {
    return user_error(
        "--serve needs a way to identify users: --tokens FILE, --keytab FILE (Kerberos) or --proxy "
        "ADDRESS");
  }
  if (options.certificate.empty() != options.key.empty()) {
    return user_error("--certificate and --key belong together");
  }
  for (const std::string& proxy : options.proxies) {
    if (!net::parse_literal(proxy, 1)) {
      return user_error(fmt::format("--proxy must be an IP address, not `{}`", proxy));
    }
  }
  const bool loopback = options.listen == "127.0.0.1" || options.listen == "::1";
  if (!loopback && options.certificate.empty() &&
      !(options.tokens.empty() && options.keytab.empty())) {
    return user_error(
        fmt::format("{} would cross the network in the clear on {}; give --certificate and --key, "
                    "or listen on 127.0.0.1",
                    options.tokens.empty() ? "sessions" : "tokens", options.listen));
  }
  return {};
}

Result<uint64_t> disk_of(const PortalOptions& options) {
  MUSTER_TRY(const uint64_t disk, spec::parse_size(options.disk));
  if (disk < kTeamDiskMin) {
    return user_error(
        fmt::format("must be {} or more, not `{}`", format_bytes(kTeamDiskMin), options.disk));
  }
  return disk;
}

/// Reads the administrators whom the command and the site name.
Result<AdminBook> read_admins(Session& session, const PortalOptions& options) {
  MUSTER_TRY(const spec::Layers layers,
             read_layers(*session.files, JobSource(), session.surroundings()));
  MUSTER_TRY(const spec::PortalRules rules, spec::load_portal_rules(layers));
  std::vector<std::string> named = options.admins;
  named.insert(named.end(), rules.admins.begin(), rules.admins.end());
  return AdminBook::read(*session.files, std::move(named), options.admins_file);
}

}  // namespace

int serve_team(Session& session, const PortalOptions& options) {
  if (const Status fits = check_serving(session, options); !fits) {
    return fail(session.console, fits.error());
  }
  const Result<uint64_t> disk = disk_of(options);
  if (!disk) {
    return fail(session.console, disk.error().within("--disk"));
  }
  std::optional<TokenBook> tokens;
  if (!options.tokens.empty()) {
    Result<TokenBook> book = TokenBook::read(*session.files, options.tokens);
    if (!book) {
      return fail(session.console, book.error());
    }
    tokens.emplace(*std::move(book));
  }
  std::optional<net::CertificateTls> tls;
  if (!options.certificate.empty()) {
    Result<net::CertificateTls> made =
        net::CertificateTls::server(options.certificate, options.key);
    if (!made) {
      return fail(session.console, made.error());
    }
    tls.emplace(*std::move(made));
  }
  Result<AdminBook> admins = read_admins(session, options);
  if (!admins) {
    return fail(session.console, admins.error());
  }
  TeamPortalRun run(session, options, *disk, *std::move(admins), std::move(tokens), std::move(tls));
  if (const Status opened = run.open(options); !opened) {
    return fail(session.console, opened.error());
  }
  const bool v6 = options.listen.find(':') != std::string::npos;
  session.console.out(fmt::format("portal: http{}://{}{}{}:{}/\n", run.secure() ? "s" : "",
                                  v6 ? "[" : "", options.listen, v6 ? "]" : "", run.port()));
  session.console.err(fmt::format("muster: serving {} {} until interrupted\n", run.jobs(),
                                  run.jobs() == 1 ? "job" : "jobs"));
  run.run();
  return 0;
}

}  // namespace muster::client
