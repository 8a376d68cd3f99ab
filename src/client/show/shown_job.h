#pragma once

#include "client/measure/sample_files.h"
#include "client/show/job_finder.h"
#include "cluster/folder_logs.h"
#include "net/tcp_dialer.h"
#include "os/file/files.h"
#include "page/access.h"
#include "page/job_view.h"
#include "page/page.h"
#include "rt/async.h"
#include "rt/io_loop.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::client {

/// Where a portal reads a job from.
struct ShownFrom {
  os::Files& files;  ///< Outlives the job.
  /// Fetch what the cluster keeps into the job's folder; called when it is asked for.
  std::function<rt::Async<Status>()> bring_output;  ///< None: it is there.
  std::function<Status()> bring_samples = [] { return Status(); };
};

/// The page of one job as its folder describes it, at the moment when it was read.
class ShownJob final : public page::JobView {
 public:
  ShownJob(rt::IoLoop& loop, ShownFrom from, FoundJob job, page::Access& access);
  ~ShownJob() override;

  [[nodiscard]] page::Page& page() { return page_; }
  [[nodiscard]] const FoundJob& job() const { return job_; }

  [[nodiscard]] std::string status() const override;
  [[nodiscard]] std::string description() const override;
  [[nodiscard]] uint64_t event_count() const override { return job_.reading.log.records.size(); }
  [[nodiscard]] page::Events events(uint64_t from, uint64_t count) const override;
  [[nodiscard]] bool ended() const override { return job_.ended() || job_.lost(); }
  /// A portal does not leave with the job: nobody is in a hurry.
  [[nodiscard]] bool stopping() const override { return false; }
  [[nodiscard]] std::optional<uint32_t> attempts_of(std::string_view role,
                                                    uint32_t index) const override;
  [[nodiscard]] std::optional<page::SideServer> endpoint(std::string_view) const override {
    return std::nullopt;
  }
  [[nodiscard]] std::optional<page::SideServer> tensorboard() const override {
    return std::nullopt;
  }
  [[nodiscard]] bool runs(const page::LogName&) const override { return false; }
  [[nodiscard]] Result<std::string> metrics(const page::MetricsRequest& request) const override;
  [[nodiscard]] Result<std::string> metric_names() const override;
  [[nodiscard]] std::string prometheus() const override { return ""; }

 private:
  class Logs;
  /// Reads them again for each answer: a portal keeps no samples in memory.
  [[nodiscard]] Result<SampleFiles> samples() const;

  ShownFrom from_;
  FoundJob job_;
  std::unique_ptr<Logs> logs_;
  net::TcpDialer dialer_;
  page::Page page_;  ///< Last: it uses the rest.
};

}  // namespace muster::client
