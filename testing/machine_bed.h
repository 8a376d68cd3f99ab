#pragma once

#include "os/file/local_files.h"
#include "testing/cluster_contract.h"

#include <filesystem>
#include <memory>
#include <string_view>

namespace muster::testing {

/// The bed for clusters whose masters are processes on this machine: a script plays the master. It
/// takes the arguments of `muster master`, reports that it is ready, writes the job's summary when
/// it is told to stop (SIGTERM) or to succeed (SIGUSR1), and then exits.
class MachineBed : public ClusterBed {
 public:
  os::Files& files() override { return *files_; }
  [[nodiscard]] cluster::Home home() const override { return cluster::Home(scratch_.path()); }
  void write(const cluster::JobFolder& job, std::string_view text) override;
  void end(const cluster::JobFolder& job) override;
  bool lose(const cluster::JobFolder& job) override;

 protected:
  MachineBed();
  /// Returns the path of the script, for whoever starts masters.
  [[nodiscard]] std::filesystem::path program() const { return scratch_.path() / "muster"; }
  [[nodiscard]] const std::filesystem::path& folder() const { return scratch_.path(); }
  /// Ends the masters that are left; must be called before anything of the cluster is destroyed.
  void end_all();

 private:
  void signal(const cluster::JobFolder& job, int number);

  ScratchFolder scratch_;
  std::unique_ptr<os::Files> files_ = os::make_local_files(nullptr);
};

}  // namespace muster::testing
