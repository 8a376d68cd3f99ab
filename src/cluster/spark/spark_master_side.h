#pragma once

#include "cluster/master_side.h"
#include "rt/fd.h"

#include <memory>
#include <string>
#include <utility>

namespace muster::cluster::spark {

/// A master beside a Spark driver: a process on the driver's machine, where it finds everything
/// that any master there finds, while its containers belong to the driver's Python.
class SparkMasterSide final : public MasterSide {
 public:
  struct Options {
    rt::Fd driver;            ///< The socket to the driver's Python.
    std::string listen_host;  ///< The literal address that executors reach this host by.
  };
  /// `host`: how masters of the driver's machine find what they need.
  SparkMasterSide(std::unique_ptr<MasterSide> host, Options options);

  Result<std::filesystem::path> log_file() override { return host_->log_file(); }
  Result<MasterOrder> read_order(os::Files& files) override { return host_->read_order(files); }
  Result<MasterPost> open(const Deps& deps) override;
  Result<std::unique_ptr<Link>> open_link(const Deps& deps) override;
  void report(const Result<std::string>& address) override { host_->report(address); }
  bool signalled(int signal) override { return host_->signalled(signal); }
  void ended(bool fenced) override { host_->ended(fenced); }

 private:
  std::unique_ptr<MasterSide> host_;
  Options options_;
};

}  // namespace muster::cluster::spark
