#include "base/text.h"
#include "client/commands.h"
#include "client/failure.h"
#include "client/shown_job.h"
#include "client/team_index.h"
#include "client/team_list.h"
#include "client/token_book.h"
#include "control/keys.h"
#include "net/address.h"
#include "net/certificates.h"
#include "net/socket.h"
#include "net/tcp_dialer.h"
#include "os/code_pages.h"
#include "os/foreign_files.h"
#include "os/host_names.h"
#include "os/local_files.h"
#include "os/signals.h"
#include "page/portal.h"
#include "page/team_access.h"
#include "rt/io_loop.h"
#include "rt/scope.h"
#include "rt/system_random.h"
#include "rt/wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <csignal>
#include <iterator>
#include <memory>
#include <set>
#include <sys/socket.h>
#include <utility>
#include <vector>

namespace muster::client {
namespace {

/// Jobs whose pages are kept at hand; the one opened first makes room.
constexpr size_t kTeamOpenMax = 32;
constexpr uint64_t kTeamRowsMax = 500;
/// A job that runs is read again after this.
constexpr Duration kSnapshotMax = std::chrono::seconds(5);
constexpr Duration kShakeMax = std::chrono::seconds(10);
/// Connections that have not finished their handshake.
constexpr size_t kShakingMax = 128;

/// Milliseconds since 1970, as browsers count.
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
          .from = time_of(target, "from"),
          .to = time_of(target, "to"),
          .offset = target.number("offset").value_or(0),
          .limit = std::min(target.number("limit").value_or(100), kTeamRowsMax)};
}

/// The jobs of a team, each shown to those who may see it.
class TeamShelf final : public page::JobShelf {
 public:
  TeamShelf(rt::IoLoop& loop, Session& session, const PortalOptions& options, page::Access& access)
      : loop_(loop),
        session_(session),
        files_(os::make_foreign_files()),
        index_(*files_, options.homes),
        admins_(options.admins.begin(), options.admins.end()),
        access_(access) {}

  Result<std::string> list(const page::Admission& who, const page::Target& what) override {
    look();
    return team_list_json(index_.jobs(), who.user, admins_, filter_of(what));
  }

  Result<std::shared_ptr<page::Page>> open(const page::Admission& who,
                                           const std::string& key) override {
    const TeamJob* job = index_.find(key);
    if (job == nullptr || !job->ended) {
      look();
      job = index_.find(key);
    }
    // One answer for both: nobody learns which jobs there are.
    if (job == nullptr || !may_see(who.user, admins_, *job)) {
      return user_error("no such job", Errc::NotFound);
    }
    std::erase_if(open_, [&](const Open& open) {
      return open.key == key && !open.job->job().ended() &&
             (job->ended || loop_.now() - open.read >= kSnapshotMax);
    });
    const auto known = std::ranges::find(open_, key, &Open::key);
    if (known != open_.end()) {
      return page_of(known->job);
    }
    const cluster::JobFolder folder(job->folder);
    MUSTER_TRY(cluster::JobReading reading, cluster::read_job(*files_, folder, plan_of()));
    cluster::JobReport report = cluster::Running{};
    if (job->ended) {
      report = cluster::Ended{};
    } else if (job->state == "lost") {
      report = cluster::Lost{};
    }
    if (open_.size() >= kTeamOpenMax) {
      open_.erase(open_.begin());
    }
    open_.push_back(
        {key, loop_.now(),
         std::make_shared<ShownJob>(
             loop_, ShownFrom{.files = *files_},
             FoundJob{.folder = folder, .report = std::move(report), .reading = std::move(reading)},
             access_)});
    return page_of(open_.back().job);
  }

  /// Reads the homes, and says what is wrong with them, once.
  void look() {
    index_.refresh(session_.now());
    for (const std::string& trouble : index_.troubles()) {
      if (told_.size() < kTeamRowsMax && told_.insert(trouble).second) {
        session_.console.err("muster: " + printable(trouble) + "\n");
      }
    }
  }
  [[nodiscard]] size_t size() const { return index_.jobs().size(); }

 private:
  struct Open {
    std::string key;
    HostTime read{};
    std::shared_ptr<ShownJob> job;
  };
  static std::shared_ptr<page::Page> page_of(const std::shared_ptr<ShownJob>& job) {
    return {job, &job->page()};
  }

  rt::IoLoop& loop_;
  Session& session_;
  std::unique_ptr<os::Files> files_;
  TeamIndex index_;
  std::set<std::string> admins_;
  page::Access& access_;
  std::set<std::string> told_;
  std::vector<Open> open_;  ///< In the order in which they were opened.
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

/// A team's portal as a process: until somebody ends it.
class TeamPortalRun {
 public:
  TeamPortalRun(Session& session, const PortalOptions& options, std::optional<TokenBook> tokens,
                std::optional<net::CertificateTls> tls)
      : tokens_(std::move(tokens)),
        tls_(std::move(tls)),
        access_(loop_, {.user_of = [this](std::string_view token) -> std::optional<std::string> {
                          return tokens_ ? tokens_->user_of(token) : std::nullopt;
                        },
                        .make_cookie = random_hex,
                        .proxies = options.proxies,
                        .user_header = lower_case(options.user_header),
                        .secure = tls_.has_value()}),
        shelf_(loop_, session, options, access_),
        portal_(page::Portal::Deps{.loop = loop_,
                                   .shelf = shelf_,
                                   .access = access_,
                                   .host_names = names_of(options),
                                   .document = "team.html",
                                   .signs_in = true}),
        scope_(loop_) {}

  Status open(const PortalOptions& options) {
    constexpr std::array kSignals = {SIGTERM, SIGINT, SIGHUP};
    MUSTER_TRY(signals_, os::take_signals(loop_, kSignals, [this](int) { loop_.stop(); }));
    os::ignore_broken_pipes();
    MUSTER_TRY(listening_,
               net::listen_on(
                   {.host = options.listen, .port_low = options.port, .port_high = options.port}));
    watch_ = loop_.watch(listening_.fd.get(), rt::Interest::Read, [this] { on_readable(); });
    shelf_.look();
    return {};
  }
  [[nodiscard]] uint16_t port() const { return listening_.port; }
  [[nodiscard]] size_t jobs() const { return shelf_.size(); }
  [[nodiscard]] bool secure() const { return tls_.has_value(); }
  void run() {
    const os::CodePages pages(loop_);
    loop_.run();
  }

 private:
  void on_readable() {
    rt::Fd socket(::accept4(listening_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.valid()) {
      return;
    }
    net::disable_delay(socket.get());
    std::unique_ptr<net::Stream> stream = net::tcp_stream(loop_, std::move(socket));
    if (!tls_) {
      portal_.serve(std::move(stream));
    } else if (shaking_ < kShakingMax) {
      ++shaking_;
      scope_.spawn(shake(std::move(stream)));
    }
  }

  rt::Async<> shake(std::unique_ptr<net::Stream> stream) {
    auto work = tls_->accept(std::move(stream));
    auto shaken =
        co_await rt::with_deadline(loop_, loop_.now() + kShakeMax, "a handshake", std::move(work));
    --shaking_;
    if (shaken) {
      portal_.serve(*std::move(shaken));
    }
  }

  rt::IoLoop loop_;
  std::optional<TokenBook> tokens_;
  std::optional<net::CertificateTls> tls_;
  page::TeamAccess access_;
  TeamShelf shelf_;
  page::Portal portal_;
  std::unique_ptr<os::Signals> signals_;
  net::Listening listening_;
  std::unique_ptr<rt::FdWatch> watch_;
  size_t shaking_ = 0;
  rt::Scope scope_;  ///< Last: its coroutines use the rest.
};

/// What does not fit together.
Status check_serving(const PortalOptions& options) {
  if (options.homes.empty()) {
    return user_error(
        "--serve needs --homes, whose jobs to show, as in --homes '/home/{user}/.muster'");
  }
  if (options.tokens.empty() && options.proxies.empty()) {
    return user_error(
        "--serve needs --tokens, a file that says who may look, or --proxy, who says it");
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
  if (!loopback && options.certificate.empty() && !options.tokens.empty()) {
    return user_error(
        fmt::format("tokens would cross the network in clear on {}; give --certificate and --key, "
                    "or listen on 127.0.0.1",
                    options.listen));
  }
  return {};
}

}  // namespace

int serve_team(Session& session, const PortalOptions& options) {
  if (const Status fits = check_serving(options); !fits) {
    return fail(session.console, fits.error());
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
  TeamPortalRun run(session, options, std::move(tokens), std::move(tls));
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
