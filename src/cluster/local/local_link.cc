#include "cluster/local/local_link.h"

#include "cluster/local/container_record.h"
#include "cluster/local/host_choice.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

namespace muster::cluster::local {
namespace {

/// What has not ended by then is left to the keepers.
constexpr Duration kFinishMax = std::chrono::seconds(5);

/// Says how many hosts there are, so that nobody looks for another if there is only one. What is
/// free is known from the claims, and is no reason to hold a request back.
job::HeadroomReported told_hosts(uint32_t hosts) {
  return {.memory_bytes = UINT64_MAX, .vcores = UINT32_MAX, .gpus = UINT32_MAX, .hosts = hosts};
}

}  // namespace

LocalLink::LocalLink(rt::IoLoop& loop, os::Files& files, log::Sink& log, LocalLinkOptions options)
    : loop_(loop),
      files_(files),
      log_(log),
      options_(std::move(options)),
      queue_({.loop = loop, .plan = *options_.plan, .claims = ClaimFolder(options_.claims)},
             {.claimed = [this](const job::RequestContainer& request, const job::ContainerId& id,
                                Claim claim) { grant(request, id, std::move(claim)); },
              .tell = [this](job::Fact fact) { tell(std::move(fact)); }}),
      ended_(loop),
      scope_(loop) {}

Status LocalLink::start(std::vector<job::ContainerId> known, OnFact on_fact) {
  on_fact_ = std::move(on_fact);
  MUSTER_TRY_STATUS(
      queue_.start(highest_container(files_, options_.folder.containers()), options_.capacity));
  for (const job::ContainerId& id : known) {
    Result<ContainerRecord> record = read_record(files_, options_.folder.containers(), id);
    ContainerRecord found;
    found.container = id;
    containers_[id] = std::make_unique<LocalContainer>(
        container_deps(), record.has_value() ? *std::move(record) : std::move(found),
        [this](const job::ContainerEnded& ended) { on_ended(ended); });
  }
  return {};
}

LocalContainer::Deps LocalLink::container_deps() const {
  return {.loop = loop_,
          .files = files_,
          .folder = options_.folder,
          .program = options_.program,
          .network = options_.plan->spec.network,
          .orphan = options_.plan->liveness.orphan};
}

rt::Async<> LocalLink::deliver(job::Fact fact) {
  on_fact_(std::move(fact));
  co_return;
}

void LocalLink::grant(const job::RequestContainer& request, const job::ContainerId& id,
                      Claim claim) {
  std::vector<job::HostName> used;
  for (const auto& [other, container] : containers_) {
    if (!container->gone()) {
      used.push_back(container->host());
    }
  }
  ContainerRecord record;
  record.container = id;
  record.host = choose_host(request, options_.plan->spec.local.hosts, used);
  record.claim_file = claim.file;
  if (const Status written = write_record(files_, options_.folder.containers(), record);
      !written.has_value()) {
    ::unlink(claim.file.c_str());
    tell(
        job::RequestRefused{request.request, job::RefusalKind::Transient, written.error().message});
    return;
  }
  if (!hosts_told_) {
    hosts_told_ = true;
    tell(told_hosts(options_.plan->spec.local.hosts));
  }
  log_.info("container.granted", {{"container", id.value}, {"host", record.host.value}});
  tell(job::ContainerGranted{request.request, id, record.host});
  containers_[id] = std::make_unique<LocalContainer>(
      container_deps(), std::move(record), std::move(claim.lock), std::move(claim.gpus),
      [this](const job::ContainerEnded& ended) { on_ended(ended); });
}

void LocalLink::on_ended(const job::ContainerEnded& ended) {
  log_.info("container.ended", {{"container", ended.container.value},
                                {"kind", job::to_string(ended.kind)},
                                {"code", ended.exit_code.value_or(0)}});
  tell(ended);
  ended_.pulse();
}

void LocalLink::launch(const LaunchOrder& order) {
  const auto found = containers_.find(order.container);
  if (found == containers_.end()) {
    return;
  }
  if (const Status launched = found->second->launch(order); !launched.has_value()) {
    log_.warning("container.not_launched",
                 {{"container", order.container.value}, {"error", launched.error().message}});
    tell(job::LaunchFailed{order.container, launched.error().message});
  }
}

// Every end is seen here, so `confirm` makes no difference.
void LocalLink::release(const job::ContainerId& id, Confirm /*confirm*/) {
  if (const auto found = containers_.find(id); found != containers_.end()) {
    found->second->release();
  }
}

void LocalLink::reconcile() {
  for (const auto& [id, container] : containers_) {
    container->check();
  }
}

bool LocalLink::known_dead(const job::ContainerId& id) const {
  const auto found = containers_.find(id);
  return found == containers_.end() || found->second->known_dead();
}

void LocalLink::finish(const job::Outcome&, std::function<void()> done) {
  queue_.cancel_all();
  for (const auto& [id, container] : containers_) {
    container->release();
  }
  auto gone =
      rt::with_deadline(loop_, loop_.now() + kFinishMax, "the containers to end", all_gone());
  finishing_ =
      rt::start(loop_, std::move(gone), [done = std::move(done)](const Status&) { done(); });
}

rt::Async<Status> LocalLink::all_gone() {
  const auto gone = [](const auto& entry) { return entry.second->gone(); };
  while (!std::ranges::all_of(containers_, gone)) {
    co_await ended_.wait();
  }
  co_return Status();
}

}  // namespace muster::cluster::local
