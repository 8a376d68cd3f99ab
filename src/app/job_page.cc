#include "app/job_page.h"

#include "base/check.h"
#include "control/page_keys.h"
#include "eventlog/description.h"
#include "eventlog/events.h"
#include "framework/tensorboard.h"
#include "job/task_page.h"
#include "master/clients/fact_history.h"
#include "master/watch/sample_book.h"
#include "metrics/prometheus.h"
#include "metrics/series_text.h"
#include "os/host/host_names.h"
#include "wire/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace muster::app {
namespace {

/// For one answer: some megabytes of text.
constexpr size_t kMetricPointsMax = 200'000;

}  // namespace

JobPage::JobPage(rt::IoLoop& loop, const control::Secret& secret,
                 std::unique_ptr<page::Access> access, eventlog::PlanFile asked)
    : loop_(loop),
      secret_(secret),
      asked_(std::move(asked)),
      dialer_(loop),
      tasks_(loop),
      access_(std::move(access)) {}

void JobPage::read_logs_in(os::Files& files, const std::filesystem::path& folder) {
  logs_ = std::make_unique<cluster::FolderLogs>(loop_, files, folder, [this] { page_->grown(); });
}

void JobPage::keep_logs_in(os::Files& files, const std::filesystem::path& folder,
                           agent::Rotation rotation) {
  kept_.emplace(files, folder, rotation, [this] { return loop_.wall_now(); });
  read_logs_in(files, folder);
}

void JobPage::read_logs_of_agents() {
  auto feed = std::make_unique<page::FeedLogs>(
      loop_, page::FeedLogs::Handlers{.follow = [this](bool on) { master_->follow_output(on); },
                                      .grown = [this] { page_->grown(); }});
  feed_ = feed.get();
  logs_ = std::move(feed);
}

void JobPage::open(master::Master& master) {
  master_ = &master;
  page_.emplace(
      page::Page::Deps{.loop = loop_,
                       .job = *this,
                       .logs = *logs_,
                       .access = *access_,
                       .dialer = dialer_,
                       .tasks = &tasks_,
                       .host_names = os::host_names(),
                       .stop = [this](std::string by) { master_->stop({.by = std::move(by)}); }});
  page_->on_served([this] { master_->audience_served(); });
}

void JobPage::started() {
  if (kept_) {
    master_->follow_output(true);
  }
}

void JobPage::serve(rt::Fd socket) { page_->serve(net::tcp_stream(loop_, std::move(socket))); }

void JobPage::changed() { page_->changed(); }

void JobPage::output(const wire::Output& piece) {
  const job::TaskId task = piece.attempt.task;
  const std::string& role = master_->machine().plan().role(task.role).name;
  if (kept_) {
    kept_->take(role, piece);
  }
  if (feed_ == nullptr) {
    return;
  }
  feed_->take({.role = role,
               .index = task.index,
               .attempt = piece.attempt.number,
               .is_err = piece.stream == wire::OutputStream::Stderr},
              piece.offset, piece.bytes);
}

std::string JobPage::description() const {
  return eventlog::job_json(master_->machine().plan(), asked_);
}

uint64_t JobPage::event_count() const { return master_->history().size(); }

page::Events JobPage::events(uint64_t from, uint64_t count) const {
  const master::FactHistory& history = master_->history();
  const job::Machine& machine = master_->machine();
  page::Events events{.json = {}, .next = std::min(from, history.size())};
  for (const uint64_t end = std::min(events.next + count, history.size()); events.next < end;
       ++events.next) {
    const auto event = wire::decode_client_event(*history.frame(events.next));
    const auto* const logged = event ? std::get_if<wire::FactLogged>(&*event) : nullptr;
    MUSTER_CHECK(logged != nullptr, "the history holds what was encoded there");
    events.json += events.json.empty() ? "" : ",";
    events.json += eventlog::event_json(
        machine.plan(), machine.state(),
        {.index = logged->index, .at = logged->at, .wall = logged->wall, .fact = logged->fact});
  }
  return events;
}

bool JobPage::ended() const { return master_->machine().state().phase == job::JobPhase::Ended; }

bool JobPage::stopping() const {
  return master_->machine().state().phase == job::JobPhase::Stopping;
}

const job::Task* JobPage::find_task(std::string_view role, uint32_t index) const {
  const auto known = master_->machine().plan().find_role(role);
  if (!known.has_value()) {
    return nullptr;
  }
  const auto& tasks = master_->machine().state().tasks[known->value];
  return index < tasks.size() ? &tasks[index] : nullptr;
}

std::optional<uint32_t> JobPage::attempts_of(std::string_view role, uint32_t index) const {
  const job::Task* const task = find_task(role, index);
  return task == nullptr ? std::nullopt
                         : std::optional(static_cast<uint32_t>(task->attempts.size()));
}

std::optional<page::SideServer> JobPage::endpoint(std::string_view name) const {
  const job::State& state = master_->machine().state();
  // The newest of that name, as in the status.
  const auto found = std::ranges::find(state.endpoints.rbegin(), state.endpoints.rend(), name,
                                       &job::Endpoint::name);
  const auto page = found == state.endpoints.rend() ? std::nullopt : job::task_page_of(found->url);
  if (!page) {
    return std::nullopt;
  }
  const job::TaskId task = found->attempt.task;
  return page::SideServer{
      .server = {.host = fmt::format("{}-{}", master_->machine().plan().role(task.role).name,
                                     task.index),
                 .port = page->port},
      .path = ""};
}

std::optional<page::SideServer> JobPage::tensorboard() const {
  const std::string name(framework::kTensorboardPort);
  const job::State& state = master_->machine().state();
  const auto found = std::ranges::find_if(state.endpoints, [&](const job::Endpoint& endpoint) {
    return endpoint.name == name && endpoint.url == framework::kTensorboardLink;
  });
  const job::Attempt* const attempt =
      found == state.endpoints.end() ? nullptr : state.find_attempt(found->attempt);
  if (attempt == nullptr || !attempt->address.named_ports.contains(name)) {
    return std::nullopt;
  }
  const control::Key agent_key = control::derive_key(
      secret_, {.kind = control::Peer::Kind::Agent, .container = attempt->container});
  return page::SideServer{
      .server = {.host = attempt->address.host, .port = attempt->address.named_ports.at(name)},
      .path = "/" + control::to_hex(control::side_path_key_of(agent_key))};
}

Result<std::string> JobPage::metrics(const page::MetricsRequest& request) const {
  const master::SampleBook& samples = master_->samples();
  MUSTER_TRY(const std::vector<metrics::Series> series, samples.read({.tasks = request.tasks,
                                                                      .names = request.names,
                                                                      .from_s = request.from_s,
                                                                      .step_s = request.step_s},
                                                                     kMetricPointsMax));
  return metrics::series_json(samples.now_s(), series);
}

Result<std::string> JobPage::metric_names() const {
  return metrics::names_json(master_->samples().names());
}

std::string JobPage::prometheus() const {
  const metrics::PrometheusContext context{
      .job = master_->machine().plan().job.value, .host_of = [this](const metrics::Subject& task) {
        const job::Task* const known = find_task(task.role, task.index);
        return known == nullptr || known->attempts.empty() ? std::string()
                                                           : known->attempts.back().host.value;
      }};
  return metrics::prometheus_text(context, master_->samples().latest());
}

bool JobPage::runs(const page::LogName& log) const {
  const job::Task* const task = find_task(log.role, log.index);
  if (task == nullptr || ended()) {
    return false;
  }
  for (const job::Attempt& attempt : task->attempts) {
    if (attempt.number == log.attempt) {
      return attempt.state != job::AttemptState::Ended;
    }
  }
  return false;
}

}  // namespace muster::app
