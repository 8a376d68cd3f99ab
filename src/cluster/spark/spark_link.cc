#include "cluster/spark/spark_link.h"

#include <utility>
#include <variant>

namespace muster::cluster::spark {
namespace {

/// The driver's Spark tasks need this long at most to see that the job is over.
constexpr Duration kFinishMax = std::chrono::seconds(5);

}  // namespace

SparkLink::SparkLink(rt::IoLoop& loop, log::Sink& log, SparkLinkOptions options)
    : loop_(loop),
      log_(log),
      plan_(options.plan),
      line_(loop, std::move(options.driver),
            {.line = [this](std::string_view line) { on_line(line); },
             .closed = [this](const std::string& why) { on_closed(why); }}),
      finished_(loop),
      scope_(loop) {}

Status SparkLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  on_fact_ = std::move(on_fact);
  for (const job::ContainerId& id : known) {
    // Their driver is gone, and nothing else could say how they ended.
    scope_.spawn(deliver(job::ContainerEnded{id, job::ContainerEndKind::HostLost, {}, ""}));
  }
  return line_.start();
}

rt::Async<> SparkLink::deliver(job::Fact fact) {
  on_fact_(std::move(fact));
  co_return;
}

void SparkLink::request(const job::RequestContainer& request) {
  if (asked_.insert(request.request).second) {
    line_.send(request_line(request, plan_->role(request.role).name));
  }
}

void SparkLink::cancel(job::RequestId request) { line_.send(cancel_line(request)); }

void SparkLink::launch(const LaunchOrder& order) {
  const auto found = containers_.find(order.container);
  if (found == containers_.end() || found->second.launched || found->second.released) {
    return;
  }
  Container& container = found->second;
  container.launched = true;
  AgentLaunch launch;
  launch.order = order;
  launch.order.host = container.grant.host;
  launch.job_folder = container.grant.folder;
  launch.listen_host = container.grant.listen_host;
  launch.network = plan_->spec.network;
  launch.orphan = plan_->liveness.orphan;
  line_.send(launch_line(launch));
}

// Every end is reported once the container's holder has seen it, so `confirm` makes no difference.
void SparkLink::release(const job::ContainerId& id, Confirm /*confirm*/) {
  const auto found = containers_.find(id);
  if (found == containers_.end() || found->second.released) {
    return;
  }
  found->second.released = true;
  line_.send(release_line(id));
}

void SparkLink::reconcile() { line_.send(reconcile_line()); }

bool SparkLink::known_dead(const job::ContainerId& id) const {
  return closed_ || !containers_.contains(id);
}

void SparkLink::finish(const job::Outcome& outcome, std::function<void()> done) {
  line_.send(finish_line(job::to_string(outcome.result)));
  auto work =
      rt::with_deadline(loop_, loop_.now() + kFinishMax, "Spark's tasks to end", all_ended());
  finishing_ =
      rt::start(loop_, std::move(work), [done = std::move(done)](const Status&) { done(); });
}

rt::Async<Status> SparkLink::all_ended() {
  co_await finished_.wait();
  co_return Status();
}

// ---- what the driver says

void SparkLink::on_line(std::string_view line) {
  const Result<DriverMessage> message = parse_driver_message(line);
  if (!message.has_value()) {
    log_.error("driver.bad_line", {{"error", message.error().message}});
    return;
  }
  std::visit([this](const auto& one) { on(one); }, *message);
}

void SparkLink::on_closed(const std::string& why) {
  closed_ = true;
  log_.info("driver.closed", {{"reason", why}});
  on_fact_(job::StopAsked{why});
  while (!containers_.empty()) {
    const job::ContainerId id = containers_.begin()->first;
    containers_.erase(id);
    on_fact_(job::ContainerEnded{id, job::ContainerEndKind::HostLost, {}, why});
  }
  on(Finished{});
}

void SparkLink::on(const Granted& granted) {
  log_.info("container.granted",
            {{"container", granted.container.value}, {"host", granted.host.value}});
  containers_[granted.container] = {.grant = granted};
  on_fact_(job::ContainerGranted{granted.request, granted.container, granted.host});
}

void SparkLink::on(const job::ContainerEnded& ended) {
  const auto found = containers_.find(ended.container);
  if (found == containers_.end()) {
    return;
  }
  job::ContainerEnded fact = ended;
  if (found->second.released) {
    fact.kind = job::ContainerEndKind::Released;
  }
  containers_.erase(found);
  log_.info("container.ended",
            {{"container", fact.container.value}, {"kind", job::to_string(fact.kind)}});
  on_fact_(fact);
}

void SparkLink::on(const Waits& waits) { waits_for_ = waits.text; }

}  // namespace muster::cluster::spark
