#include "master/watch/mlflow_tracker.h"

#include "base/base64.h"
#include "base/redaction.h"
#include "base/text.h"
#include "master/watch/sample_book.h"
#include "net/http_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::master {
namespace {

/// How often curves are sent while values come each second; coarser values are sent as often as
/// they come.
constexpr Duration kTellEach = std::chrono::seconds(5);
constexpr Duration kRetryFirst = std::chrono::seconds(1);
constexpr Duration kRetryMax = std::chrono::minutes(1);
/// The most values per look, which make a few requests.
constexpr size_t kTrackedPointsMax = 20'000;
/// The most that is shown of a server's error message.
constexpr size_t kWordsMax = 300;

std::string value_of(const std::map<std::string, std::string>& variables, std::string_view name) {
  const auto found = variables.find(std::string(name));
  return found == variables.end() ? std::string() : std::string(trim(found->second));
}

std::string encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '-' || c == '.' || c == '_' || c == '~';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

/// Returns whether a server that answers so would answer the same again.
bool is_last_word(int status) {
  return status >= 300 && status < 500 && status != 408 && status != 425 && status != 429;
}

}  // namespace

Result<std::optional<MlflowSettings>> mlflow_settings(
    const std::map<std::string, std::string>& variables) {
  std::string uri = value_of(variables, "MLFLOW_TRACKING_URI");
  if (uri.empty()) {
    return std::optional<MlflowSettings>();
  }
  std::string login;
  const size_t host_at = uri.find("://") + 3;
  const size_t at = uri.find('@');
  if (uri.find("://") != std::string::npos && at != std::string::npos &&
      at < uri.find_first_of("/?", host_at)) {
    login = uri.substr(host_at, at - host_at);
    uri.erase(host_at, at + 1 - host_at);
  }
  MlflowSettings settings;
  Result<net::WebAddress> server = net::parse_web_address(uri);
  if (!server) {
    return Error(server.error()).within("MLFLOW_TRACKING_URI");
  }
  settings.server = *std::move(server);
  while (settings.server.target.ends_with('/')) {
    settings.server.target.pop_back();
  }
  settings.experiment = value_of(variables, "MLFLOW_EXPERIMENT_NAME");
  settings.experiment_id = value_of(variables, "MLFLOW_EXPERIMENT_ID");
  settings.authorities = value_of(variables, "SSL_CERT_FILE");
  if (const std::string token = value_of(variables, "MLFLOW_TRACKING_TOKEN"); !token.empty()) {
    settings.authorization = "Bearer " + token;
  } else if (const std::string user = value_of(variables, "MLFLOW_TRACKING_USERNAME");
             !user.empty() || !login.empty()) {
    const std::string both =
        user.empty() ? login : user + ":" + value_of(variables, "MLFLOW_TRACKING_PASSWORD");
    settings.authorization = "Basic " + base64_encode(both);
  }
  return std::optional(std::move(settings));
}

MlflowTracker::MlflowTracker(rt::IoLoop& loop, log::Logger log, MlflowSettings settings,
                             tracking::Context context)
    : loop_(loop),
      log_(log),
      settings_(std::move(settings)),
      context_(std::move(context)),
      dialers_(loop, settings_.authorities),
      ending_(loop),
      told_(loop) {}

MlflowTracker::~MlflowTracker() = default;

void MlflowTracker::start(const Master& master) {
  master_ = &master;
  const job::Plan& plan = master.machine().plan();
  const job::TaskId first = plan.chief.value_or(job::TaskId{});
  curves_.emplace(to_string(plan, first));
  running_ = rt::start(loop_, tell(), [this] { told_.set(); });
}

rt::Async<> MlflowTracker::finish() {
  ending_.set();
  const Status told =
      co_await rt::with_deadline(loop_, loop_.now() + kEndMax, "the MLflow server", told_all());
  if (!told) {
    log_.warning("mlflow.given_up", {{"reason", told.error().message}});
    running_.cancel();
  }
}

rt::Async<Status> MlflowTracker::told_all() {
  co_await told_.wait();
  co_return Status();
}

rt::Async<> MlflowTracker::tell() {
  Status told = co_await until_it_works(&MlflowTracker::begin_run);
  while (told && !ending_.is_set()) {
    co_await wait(std::max<Duration>(kTellEach, std::chrono::seconds(step_s_)));
    told = co_await until_it_works(&MlflowTracker::tell_curves);
  }
  if (told) {
    told = co_await until_it_works(&MlflowTracker::tell_curves);
  }
  if (told) {
    told = co_await until_it_works(&MlflowTracker::tell_end);
  }
  if (!told) {
    log_.warning("mlflow.refused", {{"reason", told.error().message}});
  }
}

rt::Async<> MlflowTracker::wait(Duration most) {
  const auto ends = [](rt::Event* ending) -> rt::Async<Status> {
    co_await ending->wait();
    co_return Status();
  };
  (void)co_await rt::with_deadline(loop_, loop_.now() + most, "the end", ends(&ending_));
}

rt::Async<Status> MlflowTracker::until_it_works(rt::Async<Status> (MlflowTracker::*work)()) {
  Duration pause = kRetryFirst;
  while (true) {
    Status done = co_await (this->*work)();
    if (done || done.error().blame == Blame::User) {
      co_return done;
    }
    log_.info("mlflow.failed", {{"reason", done.error().message}});
    if (ending_.is_set()) {
      co_await rt::pause_for(loop_, kRetryFirst);
    } else {
      co_await wait(pause);
      pause = std::min(2 * pause, kRetryMax);
    }
  }
}

rt::Async<Status> MlflowTracker::begin_run() {
  MUSTER_CO_TRY(const std::string experiment, co_await find_experiment());
  const job::Plan& plan = master_->machine().plan();
  // An earlier master may have begun it, or this one, if the answer was lost.
  MUSTER_CO_TRY(const std::string searched,
                co_await call("POST", "runs/search", tracking::search_body(experiment, plan.job)));
  MUSTER_CO_TRY(const std::optional<tracking::FoundRun> found, tracking::run_found(searched));
  if (found) {
    run_id_ = found->id;
    told_until_s_ = found->logged_s;
    log_.info("mlflow.continued", {{"run", run_id_}});
    co_return Status();
  }
  MUSTER_CO_TRY(
      const std::string created,
      co_await call("POST", "runs/create", tracking::create_body(experiment, plan, context_)));
  MUSTER_CO_TRY(const std::string id, tracking::text_at(created, {"run", "info", "run_id"}));
  for (std::string& body :
       tracking::batch_bodies(id, tracking::parameters(plan, context_), {}, {})) {
    MUSTER_CO_TRY_STATUS(co_await call("POST", "runs/log-batch", std::move(body)));
  }
  run_id_ = id;
  log_.info("mlflow.begun", {{"run", run_id_}});
  co_return Status();
}

rt::Async<Result<std::string>> MlflowTracker::find_experiment() {
  if (!settings_.experiment_id.empty()) {
    co_return settings_.experiment_id;
  }
  if (settings_.experiment.empty()) {
    co_return std::string("0");  // MLflow's own default.
  }
  const Result<std::string> known = co_await call(
      "GET", "experiments/get-by-name?experiment_name=" + encoded(settings_.experiment), "");
  if (known) {
    co_return tracking::text_at(*known, {"experiment", "experiment_id"});
  }
  if (known.error().code != Errc::NotFound) {
    co_return known.error();
  }
  MUSTER_CO_TRY(
      const std::string made,
      co_await call("POST", "experiments/create", tracking::experiment_body(settings_.experiment)));
  co_return tracking::text_at(made, {"experiment_id"});
}

std::vector<tracking::CurvePoint> MlflowTracker::new_points(int64_t until_s) {
  std::string reason;
  for (const uint32_t step : {1U, 10U, 60U}) {
    if (step < step_s_) {
      continue;
    }
    const auto read = master_->samples().read({.tasks = {},
                                               .names = {"user."},
                                               .from_s = told_until_s_,
                                               .until_s = until_s,
                                               .step_s = step},
                                              kTrackedPointsMax);
    if (read) {
      step_s_ = step;
      return curves_->take(*read);
    }
    reason = read.error().message;
  }
  // There are thousands of tasks, and the server was away for a long time.
  log_.warning("mlflow.dropped", {{"until_s", until_s}, {"reason", reason}});
  return {};
}

rt::Async<Status> MlflowTracker::tell_curves() {
  // Values that come later for that time are not sent.
  const int64_t until_s =
      tracking::settled_until(master_->samples().now_s(), step_s_, ending_.is_set());
  if (until_s <= told_until_s_) {
    co_return Status();
  }
  if (unsent_.empty()) {
    const std::vector<tracking::CurvePoint> points = new_points(until_s);
    if (!points.empty()) {
      for (std::string& body :
           tracking::batch_bodies(run_id_, {}, {tracking::logged_tag(until_s)}, points)) {
        unsent_.push_back(std::move(body));
      }
    }
    told_until_s_ = until_s;
  }
  while (!unsent_.empty()) {
    MUSTER_CO_TRY_STATUS(co_await call("POST", "runs/log-batch", unsent_.front()));
    unsent_.pop_front();
  }
  co_return Status();
}

rt::Async<Status> MlflowTracker::tell_end() {
  const job::Machine& machine = master_->machine();
  const job::State& state = machine.state();
  if (!state.outcome) {
    co_return Status();
  }
  for (std::string& body : tracking::batch_bodies(
           run_id_, {}, tracking::end_tags(machine.plan(), state, context_), {})) {
    MUSTER_CO_TRY_STATUS(co_await call("POST", "runs/log-batch", std::move(body)));
  }
  MUSTER_CO_TRY_STATUS(co_await call(
      "POST", "runs/update", tracking::end_body(run_id_, state.outcome->result, loop_.wall_now())));
  log_.info("mlflow.ended", {{"run", run_id_}});
  co_return Status();
}

/// Returns the beginning of a server's answer, without secrets: it may repeat the request.
std::string MlflowTracker::shown(std::string_view answer) const {
  std::map<std::string, std::string> secrets = context_.secrets;
  secrets.emplace("", settings_.authorization.substr(settings_.authorization.find(' ') + 1));
  const std::string hidden = redact(answer.substr(0, 2 * kWordsMax), secrets);
  return printable(hidden.substr(0, kWordsMax));
}

rt::Async<Result<std::string>> MlflowTracker::call(std::string method, std::string path,
                                                   std::string body) {
  MUSTER_CO_TRY(net::Dialer* const dialer, dialers_.of(settings_.server));
  net::HttpClientRequest request;
  request.server = settings_.server.server;
  request.method = std::move(method);
  request.target = settings_.server.target + "/api/2.0/mlflow/" + path;
  request.host = settings_.server.host;
  request.headers = {{"Content-Type", "application/json"}, {"User-Agent", "muster"}};
  if (!settings_.authorization.empty()) {
    request.headers.emplace_back("Authorization", settings_.authorization);
  }
  request.body = std::move(body);
  auto answered =
      co_await net::http_get(&loop_, dialer, std::move(request), loop_.now() + kAnswerMax);
  MUSTER_CO_TRY(net::HttpClientResponse answer, std::move(answered));
  if (answer.status >= 200 && answer.status < 300) {
    co_return std::move(answer.body);
  }
  const std::string words = shown(answer.body);
  Error error = is_last_word(answer.status) ? user_error("") : cluster_error("");
  error.message = fmt::format("the MLflow server answered {} to {}: {}", answer.status,
                              path.substr(0, path.find('?')), words);
  if (answer.status == 404 && answer.body.find("RESOURCE_DOES_NOT_EXIST") != std::string::npos) {
    error.code = Errc::NotFound;
  }
  co_return error;
}

}  // namespace muster::master
