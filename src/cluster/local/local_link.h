#pragma once

#include "base/log.h"
#include "cluster/job_folder.h"
#include "cluster/link.h"
#include "cluster/local/claims.h"
#include "cluster/local/container_record.h"
#include "job/plan.h"
#include "os/exit_watch.h"
#include "os/files.h"
#include "os/watch.h"
#include "rt/io_loop.h"

#include <cstdint>
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

/// The local cluster's line: containers are child processes of this machine.
///
/// A grant is a locked claim file (claims.h); of a gang all containers that are asked for together
/// are granted together or not at all, so that two gangs never hold half of this machine each.
/// Every one of the `local.hosts` virtual hosts h1..hN has the whole machine: they divide nothing,
/// they only say which containers would fail together. Hosts to be avoided are used only when no
/// other is left. A container is gone when its stub has ended and nobody holds its claim any more,
/// which is when the last process of it has ended. Lives on the loop's thread.
class LocalLink final : public Link {
 public:
  LocalLink(rt::IoLoop& loop, os::Files& files, log::Sink& log, LocalLinkOptions options);
  ~LocalLink() override;

  Status start(std::vector<job::ContainerId> known, OnFact on_fact) override;
  void request(const job::RequestContainer& request) override;
  void cancel(job::RequestId request) override;
  void launch(const LaunchOrder& order) override;
  void release(const job::ContainerId& container) override;
  void reconcile() override;
  [[nodiscard]] bool known_dead(const job::ContainerId& container) const override;
  [[nodiscard]] std::string waits_for() const override { return waits_for_; }
  void finish(const job::Outcome& outcome, std::function<void()> done) override;

 private:
  struct Container {
    ContainerRecord record;
    rt::Fd claim;  ///< Ours until the stub has it.
    std::vector<uint32_t> gpus;
    std::unique_ptr<os::ExitWatch> exit;
    bool released = false;
    bool stub_ended = false;
    bool told = false;
    std::optional<int32_t> exit_code;
    std::optional<int32_t> signal;
    int looks = 0;  ///< At the claim, since the stub ended.
    rt::TimerId timer{};
  };
  struct Taking;

  void report_headroom();
  void pump();
  [[nodiscard]] std::vector<job::RequestContainer> next_set() const;
  [[nodiscard]] bool is_elastic_extra(const job::RequestContainer& request,
                                      std::map<uint16_t, uint32_t>& counts) const;
  void refuse_impossible();
  void on_taken(Taking& taking);
  void leave_line();
  void grant(const job::RequestContainer& request, const job::ContainerId& id, Claim claim);
  [[nodiscard]] job::HostName pick_host(const job::RequestContainer& request) const;
  [[nodiscard]] Status spawn_stub(Container& container, const LaunchOrder& order);
  void watch_stub(Container& container);
  void on_stub_ended(const job::ContainerId& id);
  void look_at_claim(const job::ContainerId& id);
  void tell_ended(Container& container);
  void tell(job::Fact fact);
  [[nodiscard]] bool stub_lives(const Container& container) const;
  void signal_stub(const Container& container, int signal) const;
  [[nodiscard]] std::filesystem::path log_path(const job::ContainerId& id) const;
  [[nodiscard]] std::string last_words(const job::ContainerId& id) const;
  void check_finished();

  rt::IoLoop& loop_;
  os::Files& files_;
  log::Logger log_;
  LocalLinkOptions options_;
  ClaimFolder claims_;
  Capacity capacity_;
  OnFact on_fact_;
  std::vector<job::RequestContainer> pending_;  ///< In the order they came.
  std::map<job::RequestId, job::ContainerId> granted_;
  std::map<job::ContainerId, Container> containers_;
  uint32_t last_number_ = 0;
  bool ready_ = false;   ///< The machine's capacity is known.
  bool taking_ = false;  ///< A pool thread is at it.
  bool pump_posted_ = false;
  std::string waits_for_;
  std::optional<Claim> in_line_;  ///< While what it waits for is held by others.
  std::unique_ptr<os::FileWatch> claims_watch_;
  rt::TimerId retry_{};
  Duration next_look_ = std::chrono::milliseconds(20);  ///< Doubles until a claim changes.
  std::function<void()> finished_;
  rt::TimerId finish_timer_{};
  std::shared_ptr<bool> alive_ =
      std::make_shared<bool>(true);  ///< For callbacks that come after our end.
};

}  // namespace muster::cluster::local
