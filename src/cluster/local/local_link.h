#pragma once

#include "base/log.h"
#include "cluster/job_folder.h"
#include "cluster/link.h"
#include "cluster/local/claim_queue.h"
#include "cluster/local/claims.h"
#include "cluster/local/local_container.h"
#include "job/plan.h"
#include "os/file/files.h"
#include "rt/io_loop.h"
#include "rt/running.h"
#include "rt/scope.h"
#include "rt/wait.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::cluster::local {

struct LocalLinkOptions {
  const job::Plan* plan = nullptr;  ///< Outlives the link.
  JobFolder folder{""};
  std::filesystem::path program;  ///< This binary: `program keeper ...` becomes the stub.
  std::filesystem::path claims = ClaimFolder::default_folder();
  std::optional<Capacity> capacity;  ///< nullopt: what this machine has.
};

/// The link to the local cluster: containers are child processes on this machine.
///
/// A request becomes a claim in the ClaimQueue, the claim a grant, and from then on a
/// LocalContainer. Each of the `local.hosts` virtual hosts h1..hN has the whole machine: they
/// divide nothing and only say which containers would fail together. Lives on the loop's thread.
class LocalLink final : public Link {
 public:
  LocalLink(rt::IoLoop& loop, os::Files& files, log::Sink& log, LocalLinkOptions options);

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override { queue_.add(request); }
  void cancel(job::RequestId request) override { queue_.cancel(request); }
  void launch(const LaunchOrder& order) override;
  void release(const job::ContainerId& container, Confirm confirm) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override;
  [[nodiscard]] std::string waits_for() const override { return queue_.waits_for(); }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

 private:
  void grant(const job::RequestContainer& request, const job::ContainerId& id, Claim claim);
  void on_ended(const job::ContainerEnded& ended);
  /// Reports a fact in a later turn of the loop.
  void tell(job::Fact fact) { scope_.spawn(deliver(std::move(fact))); }
  [[nodiscard]] rt::Async<> deliver(job::Fact fact);
  [[nodiscard]] rt::Async<Status> all_gone();
  [[nodiscard]] LocalContainer::Deps container_deps() const;

  rt::IoLoop& loop_;
  os::Files& files_;
  log::Logger log_;
  LocalLinkOptions options_;
  OnFact on_fact_;
  std::map<job::ContainerId, std::unique_ptr<LocalContainer>> containers_;
  ClaimQueue queue_;
  rt::Event ended_;  ///< Pulsed when a container has ended.
  bool hosts_told_ = false;
  rt::Scope scope_;
  rt::Running finishing_;  ///< The coroutines last: they use the rest.
};

}  // namespace muster::cluster::local
