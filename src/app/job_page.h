#pragma once

#include "app/kept_output.h"
#include "cluster/folder_logs.h"
#include "control/keys.h"
#include "eventlog/plan_file.h"
#include "job/state.h"
#include "master/clients/audience.h"
#include "master/master.h"
#include "net/tcp_dialer.h"
#include "os/file/files.h"
#include "page/access.h"
#include "page/feed_logs.h"
#include "page/page.h"
#include "rt/fd.h"
#include "rt/io_loop.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::app {

/// The page of the job whose master this process is: shows the page what the master knows. Made
/// before the master, whose audience it is, and outlives it.
class JobPage final : public master::Audience, public page::JobView {
 public:
  JobPage(rt::IoLoop& loop, const control::Secret& secret, std::unique_ptr<page::Access> access,
          eventlog::PlanFile asked);

  /// Output is read from the files in `folder`.
  void read_logs_in(os::Files& files, const std::filesystem::path& folder);
  /// Output comes from the agents, is stored in `folder` as it arrives, and is read from there.
  void keep_logs_in(os::Files& files, const std::filesystem::path& folder,
                    agent::Rotation rotation);
  /// Output comes from the agents: their files are on other hosts.
  void read_logs_of_agents();
  /// Sets the master whose job it is, before that starts. One of the above must have been called.
  void open(master::Master& master);
  /// For the master: the route by which the page reaches tasks.
  [[nodiscard]] master::TaskDialer& tasks() { return tasks_; }
  /// The master has started.
  void started();
  /// Takes over a connection that does not speak the control protocol.
  void serve(rt::Fd socket);

  // master::Audience
  void changed() override;
  void output(const wire::Output& piece) override;
  [[nodiscard]] bool served() const override { return page_->served(); }

  // page::JobView
  [[nodiscard]] std::string status() const override { return master_->status(); }
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] uint64_t event_count() const override;
  [[nodiscard]] page::Events events(uint64_t from, uint64_t count) const override;
  [[nodiscard]] bool ended() const override;
  [[nodiscard]] bool stopping() const override;
  [[nodiscard]] std::optional<uint32_t> attempts_of(std::string_view role,
                                                    uint32_t index) const override;
  [[nodiscard]] std::optional<page::SideServer> endpoint(std::string_view name) const override;
  [[nodiscard]] std::optional<page::SideServer> tensorboard() const override;
  [[nodiscard]] bool runs(const page::LogName& log) const override;
  [[nodiscard]] Result<std::string> metrics(const page::MetricsRequest& request) const override;
  [[nodiscard]] Result<std::string> metric_names() const override;
  [[nodiscard]] std::string prometheus() const override;

 private:
  [[nodiscard]] const job::Task* find_task(std::string_view role, uint32_t index) const;

  rt::IoLoop& loop_;
  control::Secret secret_;
  eventlog::PlanFile asked_;
  net::TcpDialer dialer_;
  master::TaskDialer tasks_;
  master::Master* master_ = nullptr;
  std::unique_ptr<page::Access> access_;
  page::FeedLogs* feed_ = nullptr;  ///< Into `logs_`, where output comes from the agents.
  std::optional<KeptOutput> kept_;  ///< Where output comes from the agents and is kept.
  std::unique_ptr<page::LogSource> logs_;
  std::optional<page::Page> page_;  ///< Last: its answers use the rest.
};

}  // namespace muster::app
